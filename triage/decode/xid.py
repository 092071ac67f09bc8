"""What an Xid line says beyond its number: which channel or recovery action, who called, what the firmware did.

Texts: NVIDIA open driver 595.45.04, src/nvidia/src/kernel/gpu (rc/kernel_rc.c, gpu.c, gsp/kernel_gsp.c); values of the
recovery action: src/common/sdk/nvidia/inc/ctrl (NV2080_CTRL_GPU_RECOVERY_ACTION), as in NVML
nvmlDeviceGpuRecoveryAction_t. RISC-V causes: RISC-V privileged architecture, table of mcause.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, distinct, some

ACTIONS = {
    0: "nothing: the GPU is usable again",
    1: "a reset of this GPU",
    2: "a reboot of the node; every GPU of the node may print this, healthy ones too",
    3: "that all peer-to-peer jobs stop; read the action again afterwards",
    4: "no new work, and a reset as soon as the running jobs have ended",
    5: "a recovery of the IMEX domain: look at the fabric, not at this GPU",
}
# Function numbers of calls to the GSP: src/nvidia/inc/kernel/vgpu/rpc_global_enums.h.
FUNCTIONS = {
    10: "a call to free an object", 47: "a call to unload the driver", 76: "a control call",
    103: "a call to allocate an object",
    4097: "the end of the firmware's start",
}  # fmt: skip
# Second-lowest byte of a control command of class 0x2080: ctrl2080base.h, NV2080_CTRL_<name>.
INTERFACES = {
    0x01: "GPU", 0x02: "FUSE", 0x03: "EVENT", 0x04: "TIMER", 0x05: "THERMAL", 0x06: "I2C", 0x08: "BIOS",
    0x0A: "INTERNAL", 0x10: "CLK", 0x11: "FIFO", 0x12: "GR", 0x13: "FB", 0x17: "MC", 0x18: "BUS", 0x20: "PERF",
}  # fmt: skip
RISCV = {
    0x0: "instruction address misaligned", 0x1: "instruction access fault", 0x2: "illegal instruction",
    0x3: "breakpoint", 0x4: "load address misaligned", 0x5: "load access fault", 0x6: "store address misaligned",
    0x7: "store access fault", 0xC: "instruction page fault", 0xD: "load page fault", 0xF: "store page fault",
}  # fmt: skip
_ACTION = lazy.pattern(r"recovery action changed from 0x[0-9a-fA-F]+ \([^)\n]*\) to 0x([0-9a-fA-F]{1,8})\b")
_PREVIOUS = lazy.pattern(r"caused by previous Xid (\d{1,4})\b")
_RPC = lazy.pattern(
    r"Timeout (?:after (\d{1,6})s of )?waiting for RPC (?:response )?from (?:GPU\d+ )?GSP\d*! Expected function "
    r"(\d{1,6}) \((\w+)\)(?: sequence \d+)? \(0x([0-9a-fA-F]{1,8}) 0x([0-9a-fA-F]{1,8})\)"
)
_CALLER = lazy.pattern(r"\bpid=(\d{1,10}), *name=([^,\n]{1,64}),")
_TASK = lazy.pattern(r"GSP task exception: ([^(\n]{1,60}?) \(cause:0x([0-9a-fA-F]{1,8})\)[^\n]*?task:(\d{1,4})")
_CLASS = lazy.pattern(r"\bClass (?:0x)?0*([0-9a-fA-F]{4})\b")
# Class numbers: NVIDIA open-gpu-doc, classes/. The low byte c0 is compute, 97 is graphics, b5 the copy engine.
_KINDS = {0xC0: "compute", 0x97: "graphics", 0xB5: "copy"}
_CHIPS = {
    0xB0: "Maxwell", 0xB1: "Maxwell", 0xC0: "Pascal", 0xC1: "Pascal", 0xC3: "Volta", 0xC5: "Turing", 0xC6: "Ampere",
    0xC7: "Ampere", 0xC9: "Ada", 0xCB: "Hopper", 0xCD: "Blackwell", 0xCE: "Blackwell",
}  # fmt: skip


def action(value: int) -> str:
    return ACTIONS.get(value, f"action 0x{value:x}, which the table does not hold")


def recovery(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 154, and the same text in Windows events: what the driver asks for in the end."""
    last = next((m for text in reversed(texts) for m in reversed(list(_ACTION.finditer(text)))), None)
    if last is None:
        return []
    now = int(last[1], 16)
    verb = "now needs" if now else "now asks for"
    return [f"The driver {verb} {action(now)}."]


def removal(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 45: newer drivers name the fault that made them tear the channel down."""
    numbers = distinct(m[1] for text in texts for m in _PREVIOUS.finditer(text))
    if not numbers:
        return []
    return [f"The driver itself names what came before: Xid {some(numbers)}."]


def command(number: int) -> str:
    """`control command 0x20803032, interface BUS` of a call to the GSP."""
    name = INTERFACES.get(number >> 8 & 0xFF, "") if number >> 16 == 0x2080 else ""
    return f"control command 0x{number:08x}{f' ({name} interface)' if name else ''}"


def rpc(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 119 and 175: what was asked of the GSP, for how long, and by whom."""
    calls = [m for text in texts for m in _RPC.finditer(text)]
    if not calls:
        return []
    first = calls[0]
    what = FUNCTIONS.get(int(first[2]), f"function {int(first[2])} ({first[3]})")
    if int(first[2]) == 76:
        what += f", {command(int(first[4], 16))}"
    waited = f" for {int(first[1])} s" if first[1] else ""
    found = [f"The driver waited{waited} for an answer of the GSP to {what}."]
    named = [m[2].strip("'\"") for text in texts for m in [_CALLER.search(text)] if m]
    callers = distinct(name for name in named if "unknown" not in name)
    if len(callers) > 1:
        found.append(f"{some(callers)} all got no answer: the firmware does not answer, no matter who asks.")
    elif callers:
        found.append(f"{callers[0]} happened to be the caller; that does not make it the cause.")
    kinds = distinct(m[4] for m in calls)
    if len(kinds) > 1:
        found.append(f"{len(kinds)} different commands timed out.")
    return found


def task(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 120: the exception of a task on the GSP."""
    for text in texts:
        if m := _TASK.search(text):
            code = int(m[2], 16)
            name = RISCV.get(code, f"cause 0x{code:x}, not in the table")
            return [f"Task {m[3]} of the GSP firmware stopped with a RISC-V exception: {name}."]
    return []


def program(text: str) -> str:
    """`Class 0xcbc0 is Hopper's compute class: a compute program ran, not graphics.`"""
    m = _CLASS.search(text)
    if not m:
        return ""
    number = int(m[1], 16)
    kind, chip = _KINDS.get(number & 0xFF), _CHIPS.get(number >> 8)
    return f"Class 0x{number:04x} is the {kind} class of {chip}." if kind and chip else ""


def class_error(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 69: whose command it was."""
    return [said for said in [next(filter(None, map(program, texts)), "")] if said]
