"""Sub-fields of Xid lines: faults and their spread, memory repairs, calls to the firmware."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import xid, xid_faults, xid_memory

FAULT = (
    "NVRM: Xid (PCI:0000:5e:00): 31, pid={pid}, name=python3, channel 0x00000002, intr 00000000. MMU Fault: ENGINE GRAPHICS "
    "{gpc} GPCCLIENT_T1_11 faulted @ 0x{address}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
)
WARP = (
    "NVRM: Xid (PCI:0000:5d:00): 13, pid={pid}, name=a, Graphics SM Warp Exception on (GPC {gpc}, TPC 7, SM 0): "
    "Out Of Range Address"
)
RPC = (
    "NVRM: Xid (PCI:0000:89:00): 119, pid=7, name={name}, Timeout after 6s of waiting for RPC response from GPU4 GSP! "
    "Expected function 76 (GSP_RM_CONTROL) (0x{command} 0x58c)."
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


def test_the_class_names_the_kind_of_program() -> None:
    text = "Graphics Exception: ChID 000c, Class 0000cbc0, Offset 00000000, Data 00000000"
    assert xid_faults.exception([text], {}) == ["Class 0xcbc0 is the compute class of Hopper."]
    assert xid.program(text.replace("cbc0", "ffff")) == ""


def test_calls_to_the_firmware() -> None:
    told = xid.rpc([RPC.format(name="nvidia-smi", command="20803032")], {})
    assert (
        told[0] == "The driver waited for 6 s for an answer of the GSP to a control call, control command 0x20803032."
    )
    assert told[1].startswith("nvidia-smi happened to be the caller")
    several = [RPC.format(name=n, command=c) for n, c in (("python", "20800122"), ("dcgm", "20801313"))]
    told = xid.rpc(several, {})
    assert "(GPU interface)" in told[0]
    assert told[1].startswith("python and dcgm all got no answer")
    assert told[2].startswith("2 different commands")


def test_recovery_actions() -> None:
    line = "154, GPU recovery action changed from 0x0 (None) to 0x{} ({})"
    assert "a reset of this GPU" in xid.recovery([line.format(1, "GPU Reset Required")], {})[0]
    assert "usable again" in xid.recovery([line.format(1, "x"), line.format(0, "None")], {})[0]
    assert "action 0x9, which the table does not hold" in xid.recovery([line.format(9, "New")], {})[0]


def test_the_driver_names_the_cause_of_a_torn_down_channel() -> None:
    text = "45, pid=41877, name=python3, channel 0x00000015 caused by previous Xid 149"
    assert xid.removal([text, text], {}) == ["The driver itself names what came before: Xid 149."]
    assert xid.removal(["45, pid=41877, name=python3, Ch 00000001"], {}) == []


def test_firmware_tasks() -> None:
    text = "120, GSP task exception: load access page fault (cause:0xd) @ pc:0x1402b1c, partition:4#0, task:3"
    assert xid.task([text], {}) == ["Task 3 of the GSP firmware stopped with a RISC-V exception: load page fault."]


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


@given(
    st.text(),
    st.sampled_from([fault(), WARP.format(pid=1, gpc=1), RPC.format(name="a", command="20800101")]),
    st.integers(0, 200),
)
def test_never_raises(noise: str, line: str, cut: int) -> None:
    text = line[:cut] + noise + line[cut:]
    readers = (
        xid.recovery, xid.removal, xid.rpc, xid.task, xid.class_error, xid_faults.page_fault, xid_faults.exception,
        xid_memory.containment, xid_memory.uncorrectable, xid_memory.remapped, xid_memory.not_remapped,
    )  # fmt: skip
    for read in readers:
        assert all(said.endswith(".") for said in read([text, noise], {}))
