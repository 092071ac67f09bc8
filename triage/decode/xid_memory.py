"""The Xids of GPU memory: 48, 63, 64, 94, 95, 171, 172.

Texts and units: NVIDIA open driver 595.45.04 (kern_gpu_error_cont_ga100.c, kern_gpu_error_cont_gb100.c) and its file of
RAS events. Remapping: NVIDIA GPU Memory Error Management, https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, capital, distinct, some

UNITS = {
    "FB DED": "the frame buffer", "DED CBC": "the compression data of the frame buffer",
    "LTC Data": "the data of an L2 slice",
    "LTC GPC": "an L2 slice, on the way to the processors", "LTC TAG": "the tags of an L2 slice",
    "LTC CBC": "the compression data of an L2 slice", "FBHUB": "the hub of the frame buffer",
    "SM": "a streaming multiprocessor", "CE User Channel": "a copy engine that worked for a program",
    "CE Kernel Channel": "a copy engine that worked for the driver", "MMU": "the memory management unit",
    "GCC": "a constant cache", "CTXSW": "the context switch", "PCIE Egress": "the PCIe unit, outgoing",
    "PCIE Ingress": "the PCIe unit, incoming", "PMU": "the power controller", "SEC2": "the security controller",
    "GSP": "the system processor (GSP)", "FB Falcon": "the controller of the frame buffer", "NVDEC": "a video decoder",
    "NVJPG": "a JPEG engine", "OFA": "the optical flow engine",
}  # fmt: skip
# What Xid 64 says: is a repair queued (harmless), or is there none left?
FAILED = {
    "Row Remapping table is full": "the table of replaced rows is full: no further repair is possible",
    "All reserved rows for bank are remapped": "all spare rows of this bank are used up: no further repair of the bank",
    "Attempting to remap a reserved row": "a spare row itself went bad",
    "Attempting to remap a row that is already pending remapping": "this row already waits for its repair: nothing new",
    "pending row remap": "a repair already waits for the next reset",
    "pending bank remap": "a repair already waits for the next reset",
    "pending LTS swap": "a repair already waits for the next reset",
    "unable to retire page": "the page could not be retired",
}
_CONTAINED = lazy.pattern(r"\b(Contained|Uncontained): ([A-Z][A-Za-z0-9 /]*?)(?: ?\(|\.| physAddr|\s*RST)")
_RST = lazy.pattern(r"\bRST: (Yes|No), D-RST: (Yes|No)")
_BUFFER = lazy.pattern(r"(?:framebuffer at|FBPA (\d{1,3}) subpartition (\d{1,3}))(?: physAddr 0x([0-9a-fA-F]{1,16}))?"
                       r"(?: partition (\d{1,3}), subpartition (\d{1,3}))?")  # fmt: skip
_ROW = lazy.pattern(r"New row (?:\(0x([0-9a-fA-F]{1,16})\) )?marked for remapping")
_ADDRESS = lazy.pattern(r"(?:physAddr:? |\(|at )0x([0-9a-fA-F]{8,16})\b")
_SRAM = lazy.pattern(r"Uncorrectable SRAM error|GSP-RISCV uncorrectable ECC|detected on GPU in GSP-RISCV")


def containment(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 94 and 95: which unit, and what the driver wants; the strictest line decides."""
    found = []
    for text in texts:
        if m := _CONTAINED.search(text):
            unit = UNITS.get(m[2].strip(), f"unit {m[2].strip()}, which the table does not hold")
            how = "was kept to one program" if m[1] == "Contained" else "could not be kept to one program"
            found.append(f"The error was met by {unit} and {how}.")
            break
    flags = [m for text in texts for m in _RST.finditer(text)]
    if any(m[1] == "Yes" for m in flags):
        found.append("RST: Yes: the driver wants the GPU reset now.")
    elif any(m[2] == "Yes" for m in flags):
        found.append("D-RST: Yes: let the running jobs end, then reset the GPU.")
    elif flags:
        found.append("RST and D-RST are both No: the driver asks for no reset of its own.")
    return found


def uncorrectable(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 48, 171 and 172: DRAM or SRAM, and where."""
    found = []
    if any(_SRAM.search(text) for text in texts):
        found.append("The bad bit is in an SRAM inside the chip, which has no spare rows: there is nothing to remap.")
    for text in texts:
        m = _BUFFER.search(text)
        if m:
            part, sub = m[4] or m[1], m[5] or m[2]
            where = [f"partition {part}, subpartition {sub}"] if part else []
            where += [f"address 0x{m[3].lower()}"] if m[3] else []
            told = f" ({', '.join(where)})" if where else ""
            found.append(f"The bad bit is in the memory chips{told}.")
            break
    places = distinct(m[1].lower().lstrip("0") for text in texts for m in [_ADDRESS.search(text)] if m)
    if len(places) > 1:
        found.append(f"{len(places)} different addresses are named: {some([f'0x{p}' for p in places], 3)}.")
    return found


def remapped(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 63: a repair is booked."""
    rows = [m for text in texts for m in _ROW.finditer(text)]
    if rows:
        places = distinct(m[1].lower().lstrip("0") for m in rows if m[1])
        where = f" ({some([f'0x{p}' for p in places], 3)})" if places else ""
        count = f"{len(rows)} rows are" if len(rows) > 1 else "A row is"
        return [f"{count} booked for replacement{where}; the next reset of the GPU puts the spare in its place."]
    if any("page retired" in text or "retired page" in text for text in texts):
        return ["A page is booked for retirement; the next load of the driver takes it out of use."]
    return []


def not_remapped(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 64: why the repair was not made."""
    whole = "\n".join(texts).lower()
    reasons = distinct(words for key, words in FAILED.items() if key.lower() in whole)
    return [f"{capital(reason)}." for reason in reasons[:3]]
