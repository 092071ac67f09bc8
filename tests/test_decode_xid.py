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
