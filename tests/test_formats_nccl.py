"""NCCL's own lines in the spellings of its versions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.formats.nccl import Nccl, address, interfaces
from triage.model import Line, Record, Value


def take(text: str, **fields: str) -> Record | None:
    return Nccl().take([Line(1, text, text, dict(fields))], 0)


@pytest.mark.parametrize(
    ("line", "text", "fields"),
    [
        (
            "node07:2571:2571 [0] NCCL INFO Bootstrap: Using eth0:192.0.2.2<0>",
            "Bootstrap: Using eth0:192.0.2.2<0>",
            {"host": "node07", "pid": 2571, "cudadev": 0, "level": "info"},
        ),
        (
            "cloud-gx2:30422:30702 [6] init.cc:418 NCCL WARN Cuda failure 802 'system not yet initialized'",
            "Cuda failure 802 'system not yet initialized'",
            {"host": "cloud-gx2", "pid": 30422, "cudadev": 6, "level": "warn", "file": "init.cc", "line_number": 418},
        ),
        (
            "[2026-11-30 01:02:11] node07:3086:3115 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend",
            "Error: failed to extend",
            {"host": "node07", "level": "warn", "file": "misc/shmutils.cc"},
        ),
        (
            "node07:1:2 [3] transport/net_ib.cc:93 (ncclIbTest) NCCL WARN NET/IB : Got completion with error 12",
            "NET/IB : Got completion with error 12",
            {"cudadev": 3, "file": "transport/net_ib.cc", "function": "ncclIbTest", "line_number": 93},
        ),
        (
            "node07:3086:3086 [0] NCCL INFO group.cc:76 -> 2 [Async thread]",
            "group.cc:76 -> 2 [Async thread]",
            {"level": "info", "file": "group.cc", "line_number": 76},
        ),
        ("node07:3086:3086 [0] init.cc:126 -> 6", "init.cc:126 -> 6", {"level": "info", "file": "init.cc"}),
        ("NCCL WARN Cuda failure 'out of memory'", "Cuda failure 'out of memory'", {"level": "warn"}),
        ("init.cc:904 NCCL WARN Duplicate GPU detected", "Duplicate GPU detected", {"file": "init.cc"}),
        ("  5%|#  | 5/100 [00:02<00:40,  2.4it/s]node07:1:2 [0] NCCL WARN text", "text", {"host": "node07"}),
        (
            "pod-7c4-worker-0.train:410:470 NCCL INFO NET/IB : No device found.",
            "NET/IB : No device found.",
            {"pid": 410},
        ),
    ],
)
def test_spellings(line: str, text: str, fields: dict[str, Value]) -> None:
    found = take(line)
    assert found is not None
    assert found.text == text
    assert fields.items() <= found.fields.items()


@pytest.mark.parametrize(
    "line",
    ["", "NCCL version 2.28.9+cuda13.0", "I see NCCL WARN in my log, is it bad?", "export NCCL_DEBUG=INFO", "a -> b"],
)
def test_others(line: str) -> None:
    assert take(line) is None


def test_time_and_prefix_fields() -> None:
    found = take("[2026-11-30 01:02:11] node07:3086:3115 [0] init.cc:1 NCCL WARN x", rank="3")
    assert found is not None
    assert found.time is not None
    assert found.time.kind == "naive"
    assert found.fields["rank"] == "3"
    wrapped = take("node07:3086:3115 [0] NCCL INFO x", time="2026-11-30T01:02:11Z")
    assert wrapped is not None
    assert wrapped.time is not None
    assert wrapped.time.kind == "zoned"


@pytest.mark.parametrize(
    "line",
    [
        "[2] include/socket.h:403 NCCL WARN Connect failed",
        "<cluster>:920:1145 [2] include/socket.h:403 NCCL WARN Connect failed",
        "2025-08-12 09:37:02.216313 worker-9 >> :168:1228 [2] include/socket.h:403 NCCL WARN Connect failed",
        "host-01.example.com:XXXXXX [2] include/socket.h:403 NCCL WARN Connect failed",
    ],
)
def test_heads_that_were_cut_or_masked(line: str) -> None:
    found = take(line)
    assert found is not None
    assert (found.text, found.fields["file"], found.fields["cudadev"]) == ("Connect failed", "include/socket.h", 2)


def test_interfaces_by_address() -> None:
    assert interfaces("NET/Socket : Using [0]ens5:10.60.4.137<0> [1]veth5b1c:fe80::3c9d:7b2e%veth5b1c<0>") == {
        "10.60.4.137": "ens5",
        "fe80::3c9d:7b2e": "veth5b1c",
    }
    assert interfaces("NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.3<0>") == {"10.0.0.3": "eth0"}
    assert interfaces("Channel 00 : 0[0] -> 1[1]") == {}
    assert address("fe80::3c9d:7b2e%25<41507>") == "fe80::3c9d:7b2e"
    assert address("node1<57557>") is None


@settings(max_examples=200)
@given(
    st.text(max_size=80), st.sampled_from(["NCCL WARN ", "NCCL INFO ", "h:1:2 [0] ", " -> 6", ""]), st.text(max_size=80)
)
def test_never_raises(before: str, middle: str, after: str) -> None:
    found = take(before + middle + after)
    assert found is None or len(found.lines) == 1
