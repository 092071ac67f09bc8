"""Xid 13 and 31: what a program did on the GPU, where, and whether the place stays the same.

Fault types and access types: NV_PFAULT_* of the open driver (dev_fault.h, kgmmuGetFaultTypeString in
src/nvidia/src/kernel/gpu/mmu). Words of the warp errors as the driver prints them, meanings after CUDA-GDB's table of
exception codes. Same place again and again: NVIDIA's Xid catalogue, WORKFLOW_XID_13 and WORKFLOW_XID_31.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.decode import xid
from triage.decode.phrases import Known, capital, distinct, some

WARP = {
    "out of range address": "a kernel used an address beyond what it may use",
    "misaligned address": "a kernel used an address that does not fit the size of the access",
    "illegal instruction encoding": "the bytes of an instruction are none that this GPU knows",
    "illegal instruction parameter": "an instruction had operands that it must not have",
    "illegal instr encoding": "the bytes of an instruction are none that this GPU knows",
    "illegal instr param": "an instruction had operands that it must not have",
    "invalid address space": "an access went to a kind of memory that the instruction cannot reach",
    "stack error": "the call stack of a thread was damaged or ran over",
    "api stack error": "the call stack of a thread was damaged or ran over",
    "mmu fault": "an address is not mapped; an Xid 31 beside it gives the address",
    "mmu nack": "an address is not mapped; an Xid 31 beside it gives the address",
    "multiple warp errors": "more than one warp failed",
}
TYPES = {
    "PDE": "nothing is mapped anywhere near the address",
    "PDE_SIZE": "the page directory has a wrong size",
    "PTE": "the page itself is not mapped, though others near it are",
    "VA_LIMIT_VIOLATION": "the address is larger than the address space of the GPU",
    "UNBOUND_INST_BLOCK": "the channel had no address space",
    "PRIV_VIOLATION": "the page is for privileged use only",
    "RO_VIOLATION": "the page may only be read",
    "WO_VIOLATION": "the page may only be written",
    "PITCH_MASK_VIOLATION": "the layout of the surface does not fit",
    "WORK_CREATION": "work could not be created from the GPU",
    "UNSUPPORTED_APERTURE": "the memory is of a kind that this access cannot reach",
    "COMPRESSION_FAILURE": "compressed data could not be read",
    "CC_VIOLATION": "the rules of confidential computing forbid the access",
    "UNSUPPORTED_KIND": "the page has a layout that this unit cannot use",
    "REGION_VIOLATION": "the address lies in a region that is not allowed",
    "POISONED": "the memory behind it was marked as bad",
    "ATOMIC_VIOLATION": "the page does not allow atomic operations",
}
ENGINES = {
    "NVDEC": "a video decoder", "NVENC": "a video encoder", "NVJPG": "a JPEG engine",
    "HOST": "the unit that feeds commands", "PBDMA": "the unit that feeds commands",
}  # fmt: skip
ACCESS = {"READ": "a read", "WRITE": "a write", "ATOMIC": "an atomic operation", "PREFETCH": "a prefetch"}
_SM = lazy.pattern(r"on \(GPC (\d{1,3}), TPC (\d{1,3})(?:, SM (\d{1,3}))?\): ([A-Za-z][A-Za-z /]{2,50})")
_FAULT = lazy.pattern(
    r"MMU Fault: ENGINE ([\w ]+?)(?: (GPC\d{1,3}))? ((?:GPC|HUB|HSHUB)CLIENT\w*) faulted @ "
    r"0x([0-9a-f]{1,8})_([0-9a-f]{1,8})\. Fault is of type (\w+) ACCESS_TYPE_(?:(VIRT|PHYS)_)?(\w+)"
)
_PID = lazy.pattern(r"\bpid=(\d{1,10})\b")
_NEAR = 0x10000


@dataclass(frozen=True, slots=True)
class Fault:
    """A page fault of the GPU; `gpc` is empty where the driver does not print it."""

    engine: str
    client: str
    address: int
    type: str
    access: str
    physical: bool
    gpc: str
    pid: str


def fault(text: str) -> Fault | None:
    m = _FAULT.search(text)
    if not m:
        return None
    kind = m[6].removeprefix("FAULT_").removeprefix("INFO_TYPE_")
    pid = _PID.search(text)
    address = int(m[4], 16) << 32 | int(m[5], 16)
    return Fault(m[1], m[3], address, kind, m[8], m[7] == "PHYS", m[2] or "", pid[1] if pid else "")


def engine(name: str, client: str) -> str:
    """Which part of the GPU used the address."""
    if name.startswith("GRAPHICS"):
        part = "the compute and graphics engine"
        return f"a kernel on {part}" if "CLIENT_T1" in client else part
    if name.startswith("CE"):
        return f"copy engine {name[2:]}" if name[2:].isdigit() else "a copy engine"
    return next((words for start, words in ENGINES.items() if name.startswith(start)), f"engine {name}")


def page_fault(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 31."""
    faults = [one for one in map(fault, texts) if one is not None]
    if not faults:
        return []
    first = faults[0]
    access = ACCESS.get(first.access, f"an access of type {first.access}")
    kind = "physical address" if first.physical else "address"
    said = f"{engine(first.engine, first.client)} made {access} at {kind} 0x{first.address:x}"
    why = TYPES.get(first.type, f"fault type {first.type}, which the table does not hold")
    found = [f"{capital(said)}: {why} ({first.type}, {first.access})."]
    if first.physical:
        found.append("A physical address comes from the driver, not from a pointer of the program.")
    elif first.address < _NEAR:
        found.append("The address is close to zero: a null pointer plus an offset.")
    return found + _spread(faults)


def _spread(faults: Sequence[Fault]) -> list[str]:
    """Whether several faults of one GPU hit one unit or many."""
    if len(faults) < 2:
        return []
    units = distinct(f"{f.gpc} {f.client}" for f in faults if f.gpc)
    gpcs = distinct(f.gpc for f in faults if f.gpc)
    pids = distinct(f.pid for f in faults if f.pid)
    if len(gpcs) > 1:
        return [f"The {len(faults)} faults hit {some(gpcs)}: "
                "a changing place speaks for the program, not for one broken unit."]  # fmt: skip
    if len(units) == 1 and len(pids) > 2 and all(f.gpc for f in faults):
        return [f"{len(pids)} processes faulted at the same unit, {units[0]}: a constant place can be the card; "
                "run a known-good program on it."]  # fmt: skip
    return []


def exception(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 13."""
    places = [(m[1], m[2], m[3] or "", m[4].strip(), text) for text in texts for m in _SM.finditer(text)]
    found = []
    telling = [p for p in places if not p[3].lower().startswith("multiple warp")] or places
    if telling:
        gpc, tpc, sm, words, _ = telling[0]
        meaning = WARP.get(words.lower())
        where = f"GPC {gpc}, TPC {tpc}{f', SM {sm}' if sm else ''}"
        found.append(f"{words} on {where}{f': {meaning}' if meaning else ''}.")
    if said := next(filter(None, map(xid.program, texts)), ""):
        found.append(said)
    units = distinct(f"GPC {p[0]}, TPC {p[1]}" for p in places)
    pids = distinct(m[1] for p in places for m in [_PID.search(p[4])] if m)
    if len(units) > 1:
        found.append(f"{len(units)} different places failed: that speaks for the program, not for one broken unit.")
    elif units and len(pids) > 1:
        found.append(f"{len(pids)} processes failed at the same place, {units[0]}: that can be the card; "
                     "test it with a known-good program.")  # fmt: skip
    return found
