"""Ports of InfiniBand cards as three tools list them."""

from __future__ import annotations

import pytest

from triage.formats import read
from triage.model import Line

IBSTAT = (
    "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 2\n\tFirmware version: 28.39.1002\n\tPort 1:\n\t\tState: Active\n"
    "\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n\tPort 2:\n\t\tState: Down\n\t\tPhysical state: Polling\n"
    "CA 'mlx5_1'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Initializing\n\t\tPhysical state: LinkUp\nready"
)
DEVINFO = (
    "hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.39.1002\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n"
    "\t\t\tlink_layer:\t\tInfiniBand\n\n\t\tport:\t2\n\t\t\tstate:\t\t\tPORT_DOWN (1)\n"
)
STATUS = (
    "Infiniband device 'mlx5_0' port 1 status:\n\tdefault gid:\t fe80:0000:0000:0000\n\tstate:\t\t 2: INIT\n"
    "\tphys state:\t 5: LinkUp\n\trate:\t\t 400 Gb/sec (4X NDR)\n"
)


def states(text: str) -> list[str]:
    records = read([Line(i, one, one) for i, one in enumerate(text.split("\n"), 1)], "test")
    return [line for one in records if one.format == "ib-port" for line in one.text.split("\n") if "tate :" in line]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            IBSTAT,
            ["mlx5_0 port 1 / State : Active", "mlx5_0 port 1 / Physical state : LinkUp", "mlx5_0 port 2 / State : Down",
             "mlx5_0 port 2 / Physical state : Polling", "mlx5_1 port 1 / State : Initializing", "mlx5_1 port 1 / Physical state : LinkUp"],
        ),
        (DEVINFO, ["mlx5_0 port 1 / State : Active", "mlx5_0 port 2 / State : Down"]),
        (STATUS, ["mlx5_0 port 1 / State : Initializing", "mlx5_0 port 1 / Physical state : LinkUp"]),
        ("\tPort 1:\n\t\tState: Down", []),
        ("Port 22: open\n\tState: Down", []),
    ],
)  # fmt: skip
def test_each_port_is_named_by_its_card(text: str, expected: list[str]) -> None:
    assert states(text) == expected


def test_what_follows_a_listing_is_no_part_of_it() -> None:
    records = read([Line(i, one, one) for i, one in enumerate(IBSTAT.split("\n"), 1)], "test")
    assert [one.format for one in records if one.text == "ready"] == ["text"]
