"""What the text of a Python traceback tells beside its exceptions, and messages that rich wrapped."""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.formats.pyshapes import Label
from triage.model import Record, Value

SIGNALS = {
    "segmentation fault": "SIGSEGV", "aborted": "SIGABRT", "bus error": "SIGBUS", "illegal instruction": "SIGILL",
    "floating point exception": "SIGFPE", "floating-point exception": "SIGFPE", "killed": "SIGKILL",
    "terminated": "SIGTERM", "interrupt": "SIGINT", "hangup": "SIGHUP",
}  # fmt: skip
_DEVICE = lazy.pattern(r"\bcuda:(?P<gpu>[0-9]{1,2})\b")
_BY_SIGNAL = lazy.pattern(r"\bis killed by signal: (?P<name>[A-Z][a-z ]+[a-z])")
_TOP, _LEAST = "╭", 40


def told(texts: Sequence[str]) -> dict[str, Value]:
    """The GPU, if the text names one (`cuda:1`) and no other, and the signal that a DataLoader's worker died of."""
    fields: dict[str, Value] = {}
    devices = {found["gpu"] for text in texts for found in _DEVICE.finditer(text[:4000])}
    if len(devices) == 1:
        fields["gpu"] = int(devices.pop())
    killed = next((found for text in texts if (found := _BY_SIGNAL.search(text[:4000]))), None)
    if killed and (signal := SIGNALS.get(killed["name"].lower())):
        fields["signal"] = signal
    return fields


def rejoin(found: Record, labels: Sequence[Label]) -> Record:
    """The record with the message lines that rich wrapped joined by blanks.

    Below its box, rich prints the message broken between words at the width of the console: that of the box, or of
    the longest line where the console is wider. A break is undone only where the next word had no room on the line.

    >>> from triage.model import Line
    >>> box = "╭" + "─ Traceback (most recent call last) ".ljust(48, "─") + "╮"
    >>> texts = ["Traceback (most recent call last)", "E: Tried to allocate 2.00 GiB (GPU 0; 3.79 GiB ", "total)"]
    >>> lines = [Line(n, text, raw) for n, (text, raw) in enumerate(zip(texts, [box, *texts[1:]]))]
    >>> made = Record("", "traceback", lines, "\\n".join(texts), [0, 34, 82])
    >>> rejoin(made, ["header", "raised", "message"]).text.split("\\n")[1]
    'E: Tried to allocate 2.00 GiB (GPU 0; 3.79 GiB total)'
    """
    texts = found.text.split("\n")
    tops = [line.raw.rstrip() for line in found.lines if line.raw.lstrip().startswith(_TOP)]
    width = max(map(len, tops), default=0)
    if width < _LEAST or len(texts) != len(found.lines):
        return found
    message = [text.rstrip() for text, label in zip(texts, labels, strict=False) if label in ("raised", "message")]
    width = max(width, *map(len, message), _LEAST)
    joined, offsets = texts[0], [0]
    for number, text in enumerate(texts[1:], 1):
        goes_on = labels[number] == "message" and labels[number - 1] in ("raised", "message")
        if goes_on and _broken(texts[number - 1], text, width):
            joined = joined.rstrip(" ") + " "
        else:
            joined += "\n"
        offsets.append(len(joined))
        joined += text
    found.text, found.offsets = joined, offsets
    return found


def _broken(before: str, after: str, width: int) -> bool:
    """True if `after` goes on with the line `before`: its first word had no room there."""
    before = before.rstrip()
    if not before or not after or after[0].isspace():
        return False
    return len(before) <= width < len(before) + 1 + len(after.split(" ", 1)[0])
