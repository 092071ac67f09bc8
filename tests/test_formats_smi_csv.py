"""Queries of nvidia-smi in CSV."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.clock import iso
from triage.formats import read
from triage.formats.smi_csv import heading
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


HEADED = """
timestamp, index, name, pci.bus_id, power.draw [W], power.limit [W], pcie.link.width.current, pcie.link.width.max, clocks_event_reasons.active
2024/02/13 09:11:02.113, 0, NVIDIA A40, 00000000:25:00.0, 281.11 W, 300.00 W, 16, 16, 0x0000000000000004
2024/02/13 09:11:02.116, 1, NVIDIA A40, 00000000:41:00.0, [Unknown Error], [N/A], 8, 16, 0x0000000000000048
2024/02/13 09:11:02.118, 2, NVIDIA A40, 00000000:81:00.0, 288.00 W, 300.00 W, 16, 16, 0x0000000000000000
"""


def test_rows_are_flattened_to_the_paths_of_the_dump() -> None:
    head, first, second, third = records(HEADED)
    assert {one.format for one in (head, first, second, third)} == {"smi-query"}
    assert "GPU 00000000:25:00.0 / Power Readings / Power Limit : 300.00 W" in first.text
    assert "GPU 00000000:41:00.0 / Clocks Event Reasons / HW Slowdown / HW Thermal Slowdown : Active" in second.text
    assert (second.fields["gpu"], second.fields["pci"], second.fields["errors"]) == ("1", "0000:41:00", 1)
    assert (second.fields["link_width"], second.fields["link_width_peers"]) == (8, 16)
    assert "power_limit" not in second.fields
    assert third.time is not None
    assert iso(third.time).startswith("2024-02-13T09:11:02")


def test_columns_come_from_the_command_where_there_is_no_heading() -> None:
    command, first, second = records(
        "$ nvidia-smi --query-gpu=index,pci.bus_id,remapped_rows.pending --format=csv,noheader,nounits\n"
        "0, 00000000:01:00.0, No\n1, 00000000:41:00.0, Yes"
    )
    assert command.format == "text"
    assert second.text.split("\n")[-1] == "GPU 00000000:41:00.0 / Remapped Rows / Pending : Yes"
    assert first.fields["pci"] == "0000:01:00"


def test_processes_carry_their_pid() -> None:
    _, row = records("pid, process_name, used_gpu_memory [MiB], gpu_uuid\n4711, python3, 812 MiB, GPU-1")
    assert (row.fields["pid"], row.fields["process"], row.fields["processes_memory"]) == ("4711", "python3", 812)


@pytest.mark.parametrize(("text", "known"), [
    ("index, name, pci.bus_id", True), ("uuid, mig.mode.current, mig.mode.pending", True), ("name, index, value", False),
    ("epoch, step, loss", False), ("Error, name, pci.bus_id", False), ("clocks.current.sm [MHz], pstate", True),
])  # fmt: skip
def test_heading(text: str, known: bool) -> None:
    assert heading(text) is known


@given(st.lists(st.sampled_from(HEADED.split("\n")) | st.text(max_size=9), max_size=20))
def test_any_pieces_are_read(texts: list[str]) -> None:
    found = read([Line(i, text, text) for i, text in enumerate(texts)], "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    assert all(len(one.offsets) == len(one.lines) for one in found)
