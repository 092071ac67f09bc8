"""Windows: parameters of bug checks, device problem codes, status words.

Bug checks: https://learn.microsoft.com/windows-hardware/drivers/debugger/bug-check-code-reference2, pages of 0x116,
0x119, 0x124, 0x133, 0x9F, 0x1B0 and 0x1A8. Problem codes: triage/formats/windows_codes.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from triage import lazy
from triage.decode import mce, ntstatus, pci
from triage.decode.phrases import Known, whole
from triage.formats import windows_codes

Parameters = tuple[int, ...]
SCHEDULER = {
    0x1: "the driver reported a fence number that cannot be", 0x2: "the driver failed to submit a command",
    0x3: "the driver failed to patch a command buffer", 0x4: "the driver reported a flip that it cannot do",
    0x5: "the driver failed a system or paging command", 0xC: "a fatal page fault of the GPU",
    0x10: "an interrupt that was not expected after an engine reset",
    0x400: "an inner state of Windows is wrong, typically through damaged memory or bad hardware",
    0xE00: "no memory was left for flip requests",
    0x1000: "an inner state of Windows is wrong, typically through damaged memory or bad hardware",
    0x10000: "an inner state of Windows is wrong, typically through damaged memory or bad hardware",
}  # fmt: skip
WHEA = {
    0x0: "a machine check of the processor", 0x1: "a corrected machine check", 0x2: "a corrected platform error",
    0x3: "a non-maskable interrupt", 0x4: "an uncorrectable PCI Express error", 0x5: "a generic hardware error",
    0x6: "an error at initialisation", 0x7: "an error at boot", 0x10: "an error that a device driver reported",
}  # fmt: skip
WATCHDOG = {
    0: "one deferred call (DPC) or interrupt routine ran too long",
    1: "the processor spent too long in all at raised priority (DISPATCH_LEVEL)",
}
POWER = {
    0x1: "a device object was freed while a power request was open",
    0x2: "a device finished the system power request but did not ask for the next",
    0x3: "a device held a power request for too long", 0x4: "the change waited too long for Plug and Play",
    0x5: "a device did not change its power state in time", 0x6: "a device failed to change its power state",
    0x500: "a device finished the system power request but did not ask for the next",
}  # fmt: skip
MINIPORT = {1: "the display driver failed to add the device", 2: "the display driver failed to start the device"}
BLACK = {
    1: "somebody pressed Win+Ctrl+Shift+B", 2: "somebody pressed the volume keys", 4: "Windows itself asked",
    8: "the power button was pressed long", 9: "a test", 0xA: "a monitor is there but no mode was set",
}  # fmt: skip
_PAIR = lazy.pattern(r"^\s*(?:BUGCHECK_P|Arg)([1-4]): (?:0x)?([0-9a-fA-F`]{1,18})", re.MULTILINE)
_HEX = r"(?:0x)?([0-9a-fA-F]{1,16})"
_FOUR = ", ".join([_HEX] * 4)
_INLINE = lazy.pattern(rf"0x0*([0-9a-fA-F]{{2,4}}) \({_FOUR}\)")
_SHORT = lazy.pattern(rf"BugCheck ([0-9A-Fa-f]{{1,8}}), \{{{_FOUR}\}}")


def parameters(code: int, text: str) -> Parameters | None:
    """The four parameters of that stop code in a dump, an event text or a short line."""
    for regex in (_INLINE, _SHORT):
        for m in regex.finditer(text):
            if int(m[1], 16) == code:
                return tuple(int(m[i], 16) for i in range(2, 6))
    pairs = {int(m[1]): int(m[2].replace("`", "") or "0", 16) for m in _PAIR.finditer(text)}
    return tuple(pairs.get(i, 0) for i in range(1, 5)) if 1 in pairs else None


def _first(table: dict[int, str]) -> Callable[[Parameters], list[str]]:
    return lambda p: [f"Parameter 1 is 0x{p[0]:x}: {table.get(p[0], 'the table does not hold it')}."]


def _reset(p: Parameters) -> list[str]:
    if p[2] >> 28 & 0xF != 0xC:
        return []
    return [f"Parameter 3, the status of the last step of the reset: {ntstatus.words(p[2])}."]


def _hardware(p: Parameters) -> list[str]:
    found = _first(WHEA)(p)
    status = (p[2] & 0xFFFFFFFF) << 32 | p[3] & 0xFFFFFFFF
    if p[0] == 0 and status >> 63:
        found.append(f"Parameters 3 and 4 hold the status word 0x{status:016x}: {mce.code(status)}.")
    return found


def _dpc(p: Parameters) -> list[str]:
    found = _first(WATCHDOG)(p)
    if p[0] == 0 and p[2]:
        found.append(f"It ran for {p[1]} ticks of {p[2]} allowed.")
    return found


def _miniport(p: Parameters) -> list[str]:
    status = [f"Parameter 2: {ntstatus.words(p[1])}."] if p[1] else []
    return _first(MINIPORT)(p) + status


BUGCHECKS: dict[int, Callable[[Parameters], list[str]]] = {
    0x116: _reset, 0x117: _reset, 0x119: _first(SCHEDULER), 0x124: _hardware, 0x133: _dpc, 0x9F: _first(POWER),
    0x1B0: _miniport, 0x1A8: _first(BLACK),
}  # fmt: skip


def bugcheck(texts: Sequence[str], known: Known) -> list[str]:
    """Stop codes and live dumps, from the entity `bugcheck` and the parameters in the text."""
    code = whole(known, "bugcheck")
    if code is None or code not in BUGCHECKS:
        return []
    for text in texts:
        found = parameters(code, text)
        if found:
            return BUGCHECKS[code](found)
    return []


def device(texts: Sequence[str], known: Known) -> list[str]:
    """The name of a problem code, and the status that came with it."""
    found = []
    code = whole(known, "device_code")
    name = windows_codes.symbol(code) if code is not None else ""
    if name and str(known.get("symbol", "")) != name:
        found.append(f"Problem code {code} is {name}.")
    named = next(filter(None, map(pci.instance, texts)), None)
    if named and "gpu_model" not in known and (model := pci.model(*named)):
        found.append(f"The instance id names an {model}.")
    return found + status(texts, known)


def status(texts: Sequence[str], known: Known) -> list[str]:
    """The status word of an event, where it says more than that all is well."""
    value = whole(known, "ntstatus")
    if value is None or not value:
        return []
    return [f"The status is {ntstatus.words(value)}."]
