r"""Events of which people paste only the description: no headings, in any language, often quoted with `> `.

    The driver \Driver\WUDFRd failed to load.
    Device: ROOT\DISPLAY\0000
    Status: 0xC0000365

What tells them apart is never a word: a driver's path, a stop code with its four parameters, a class GUID above a
status, the name of the display driver beside an id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import lazy
from triage.formats.windows_codes import INSTANCE
from triage.formats.windows_payload import Payload
from triage.model import Line

Loose = tuple[int, dict[str, str], Payload]

_QUOTE = lazy.pattern(r"^[>\s]+")
# `Event ID 153 from source nvlddmkm`, `Ereignis-ID "153" in der Quelle "nvlddmkm"`, `nvlddmkm 的事件 ID 153`
_DISPLAY_ID = lazy.pattern(
    r"\bnvlddmkm\b[^\n]{0,60}?(?<![A-Za-z])ID\W{0,6}(\d{1,4})\b|(?<![A-Za-z])ID\W{0,6}(\d{1,4})\b[^\n]{0,60}?\bnvlddmkm\b"
)
_STOP = lazy.pattern(r"\b0x[0-9a-fA-F]{2,8} ?\((?:0x[0-9a-fA-F]+, ?){3}0x[0-9a-fA-F]+\)")
_START = lazy.pattern(r"\b(?:PCI|ROOT|ACPI|SWD)\\[^\s\\]+\\\S+")
_HEADED = lazy.pattern(r"^[^:：]{1,40}[:：]\s*\w+\\[^\s\\]+\\\S+\s*$")
_GUID = lazy.pattern(r"[:：]\s*\{[0-9a-fA-F-]{36}\}\s*$")
_STATUS = lazy.pattern(r"[:：]\s*0x[0-9A-Fa-f]{8}\s*$")
_DEVICE = lazy.pattern(r"\\Device\\\w+")
# Application, module and exception code below each other, whatever the words before them are.
_PROGRAM = lazy.pattern(r"[:：]\s*[\w.+ -]{1,60}\.exe\s*[,，]", re.IGNORECASE)
_MODULE = lazy.pattern(r"[:：]\s*[\w.+-]{1,60}\.(?:dll|exe|pyd|sys)\s*[,，]", re.IGNORECASE)
_EXCEPTION = lazy.pattern(r"[:：]\s*(?:0x)?[cCeE8][0-9a-fA-F]{7}\s*$")
_PROVIDERS = {0: "nvlddmkm", 13: "nvlddmkm", 14: "nvlddmkm", 153: "nvlddmkm", 4101: "Display"}
_DESCRIPTION_LINES, _START_LINES, _LOAD_LINES = 16, 14, 5


def read(lines: Sequence[Line], at: int) -> Loose | None:
    """Lines taken, header values and payload of the description that begins at `lines[at]`."""
    text = lines[at].text
    if "nvlddmkm" in text:
        return _of_display_driver(lines, at)
    if "\\Driver\\" in text:
        return _load_failure(lines, at)
    if "\\" in text and _START.search(text):
        return _start_failure(lines, at)
    if ".exe" in text and _PROGRAM.search(text):
        return _application_error(lines, at)
    if "0x" in text:
        return _stop(lines, at)
    return None


def _event(provider: str, number: int, texts: Sequence[str]) -> Loose:
    return len(texts), {"provider": provider, "event_id": str(number)}, Payload(text="\n".join(texts))


def _texts(lines: Sequence[Line], at: int, most: int) -> list[str]:
    return [_QUOTE.sub("", line.text) for line in lines[at : at + most]]


def _of_display_driver(lines: Sequence[Line], at: int) -> Loose | None:
    """`The description for Event ID 153 from source nvlddmkm cannot be found` and the strings below it."""
    found = _DISPLAY_ID.search(lines[at].text)
    number = int(found[1] or found[2]) if found else -1
    if number not in _PROVIDERS:
        return None
    texts = _texts(lines, at, _DESCRIPTION_LINES)
    last = 0
    for i, text in enumerate(texts[1:], 1):
        if "nvlddmkm" in text:
            break
        if _DEVICE.match(text):
            message = next((k for k in range(i + 1, len(texts)) if texts[k]), i)
            last = message if message <= i + 2 else i
            break
    return _event(_PROVIDERS[number], number, texts[: last + 1])


def _stop(lines: Sequence[Line], at: int) -> Loose | None:
    """A stop code with its parameters in brackets, which may stand on the line below."""
    texts = _texts(lines, at, 2)
    count = 1 if _STOP.search(texts[0]) else 2 if len(texts) > 1 and texts[1].startswith("(") else 0
    if count == 2 and not _STOP.search(" ".join(texts)):
        return None
    return _event("BugCheck", 1001, [" ".join(texts[:count])] + [""] * (count - 1)) if count else None


def _application_error(lines: Sequence[Line], at: int) -> Loose | None:
    texts = _texts(lines, at, _LOAD_LINES)
    code = next((i for i, text in enumerate(texts) if _EXCEPTION.search(text)), 0)
    if not code or not any(_MODULE.search(text) for text in texts[1:code]):
        return None
    return _event("Application Error", 1000, texts[: code + 1])


def _load_failure(lines: Sequence[Line], at: int) -> Loose | None:
    r"""Kernel-PnP 219: a path below \Driver, and the device in the same line or just below."""
    texts = _texts(lines, at, _LOAD_LINES)
    named = next((i for i, text in enumerate(texts) if INSTANCE.search(text)), -1)
    if named < 0:
        return None
    below = texts[named + 1] if named + 1 < len(texts) else ""
    last = named + 1 if _STATUS.search(below) else named
    return _event("Microsoft-Windows-Kernel-PnP", 219, texts[: last + 1])


def _start_failure(lines: Sequence[Line], at: int) -> Loose | None:
    """Kernel-PnP 411: the device, then a class GUID, then the problem and its status."""
    if _HEADED.match(lines[at].text):
        return None  # a list of devices, not a sentence about one
    texts = _texts(lines, at, _START_LINES)
    guid = next((i for i, text in enumerate(texts) if _GUID.search(text)), 0)
    status = next((i for i, text in enumerate(texts) if i > guid and _STATUS.search(text)), 0)
    if not 0 < guid <= 4 or not status or _START.search("\n".join(texts[1:status])):
        return None
    return _event("Microsoft-Windows-Kernel-PnP", 411, texts[: status + 1])
