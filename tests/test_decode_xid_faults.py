"""Faults of programs on the GPU: what they did, where, and whether the place stays the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import xid_faults

FAULT = (
    "NVRM: Xid (PCI:0000:5e:00): 31, pid={pid}, name=python3, channel 0x00000002, intr 00000000. MMU Fault: ENGINE GRAPHICS "
    "{gpc} GPCCLIENT_T1_11 faulted @ 0x{address}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
)
WARP = (
    "NVRM: Xid (PCI:0000:5d:00): 13, pid={pid}, name=a, Graphics SM Warp Exception on (GPC {gpc}, TPC 7, SM 0): "
    "Out Of Range Address"
)


def fault(pid: int = 1, gpc: str = "GPC5", address: str = "7d02_300c0000") -> str:
    return FAULT.format(pid=pid, gpc=gpc, address=address)


def test_a_page_fault_in_words() -> None:
    assert xid_faults.page_fault([fault()], {}) == [
        "A kernel on the compute and graphics engine made a read at address 0x7d02300c0000: "
        "nothing is mapped anywhere near the address (PDE, READ)."
    ]
    assert "null pointer" in xid_faults.page_fault([fault(address="0_00000010")], {})[1]


def test_places_that_change_speak_for_the_program() -> None:
    told = xid_faults.page_fault([fault(1, "GPC1"), fault(2, "GPC3"), fault(3, "GPC5")], {})
    assert (
        told[-1]
        == "The 3 faults hit GPC1, GPC3 and GPC5: a changing place speaks for the program, not for one broken unit."
    )


def test_a_constant_place_needs_several_processes() -> None:
    assert len(xid_faults.page_fault([fault(1), fault(1)], {})) == 1
    assert "can be the card" in xid_faults.page_fault([fault(1), fault(2), fault(3)], {})[-1]


def test_physical_addresses_and_unknown_types() -> None:
    told = xid_faults.page_fault(
        [fault().replace("VIRT_READ", "PHYS_WRITE").replace("FAULT_PDE", "FAULT_NEW_THING")], {}
    )
    assert "fault type NEW_THING, which the table does not hold" in told[0]
    assert "comes from the driver" in told[1]


def test_old_lines_without_a_gpc_and_copy_engines() -> None:
    one = xid_faults.fault(fault().replace("GPC5 ", ""))
    assert one is not None
    assert one.gpc == ""
    copy = fault().replace("ENGINE GRAPHICS GPC5 GPCCLIENT_T1_11", "ENGINE CE3 HUBCLIENT_CE1")
    assert xid_faults.page_fault([copy], {})[0].startswith("Copy engine 3 made a read")


@given(st.integers(0, 2**64 - 1))
def test_addresses_come_back_whole(address: int) -> None:
    one = xid_faults.fault(fault(address=f"{address >> 32:x}_{address & 0xFFFFFFFF:08x}"))
    assert one is not None
    assert one.address == address


def test_exceptions_and_their_places() -> None:
    assert xid_faults.exception([WARP.format(pid=1, gpc=7)], {}) == [
        "Out Of Range Address on GPC 7, TPC 7, SM 0: a kernel used an address beyond what it may use."
    ]
    many = [WARP.format(pid=1, gpc=n) for n in range(3)]
    assert xid_faults.exception(many, {})[-1].startswith("3 different places failed: that speaks for the program")
    same = [WARP.format(pid=n, gpc=3) for n in range(2)]
    assert "that can be the card" in xid_faults.exception(same, {})[-1]
