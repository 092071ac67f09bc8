"""Errors of GPU memory: containment, places and repairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import xid_memory


def test_containment_flags() -> None:
    told = xid_memory.containment(["95, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"], {})
    assert told == [
        "The error was met by the tags of an L2 slice and could not be kept to one program.",
        "RST: Yes: the driver wants the GPU reset now.",
    ]
    told = xid_memory.containment(["94, Contained: NEW UNIT (0x1). RST: No, D-RST: Yes"], {})
    assert "unit NEW UNIT, which the table does not hold" in told[0]
    assert told[1].startswith("D-RST: Yes")


def test_memory_places_and_repairs() -> None:
    dram = (
        "48, pid=1, name=a, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr "
        "0x2c4e9d40 partition 16, subpartition 3."
    )
    assert xid_memory.uncorrectable([dram], {}) == [
        "The bad bit is in the memory chips (partition 16, subpartition 3, address 0x2c4e9d40)."
    ]
    assert "SRAM" in xid_memory.uncorrectable(["172, GSP-RISCV, Uncorrectable SRAM error"], {})[0]
    row = "63, Row Remapper: New row (0x000000002c4e9d40) marked for remapping, reset gpu to activate."
    assert xid_memory.remapped([row], {})[0].startswith("A row is booked for replacement (0x2c4e9d40)")
    full = "64, Row Remapper Error: (0x00000011a2bc4de0) - All reserved rows for bank are remapped"
    assert xid_memory.not_remapped([full], {}) == [
        "All spare rows of this bank are used up: no further repair of the bank."
    ]
    waiting = (
        "64, Row Remapper: (0x1) - Attempting to remap a row that is already pending remapping. Remapping will occur"
    )
    assert "already waits" in xid_memory.not_remapped([waiting], {})[0]


@given(st.text(), st.integers(0, 2**64 - 1), st.integers(0, 31))
def test_places_come_back_whole_from_any_line(noise: str, address: int, partition: int) -> None:
    line = f"48, pid=1, name=a, DBE in the framebuffer at physAddr 0x{address:x} partition {partition}, subpartition 1."
    for read in (xid_memory.containment, xid_memory.uncorrectable, xid_memory.remapped, xid_memory.not_remapped):
        assert all(said.endswith(".") for said in read([noise, line + noise], {}))
    assert f"partition {partition}, subpartition 1, address 0x{address:x}" in xid_memory.uncorrectable([line], {})[0]
