"""Crash texts: a WinDbg `!analyze -v` dump, and a Windows Error Reporting report without its event."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import lazy
from triage.model import Line, Value

_START = lazy.pattern(
    r"!analyze\b|^\*\s+Bugcheck Analysis\s+\*|^BUGCHECK_CODE:|^[A-Z][A-Z0-9_]{6,} \([0-9a-f]{1,8}\)\s*$"
)
_SURE = lazy.pattern(r"^BUGCHECK_CODE:\s+[0-9a-fA-F]|^Arg1: [0-9a-fA-F`]+")
_HEAD = lazy.pattern(r"^[A-Z][A-Z0-9_]{6,} \(([0-9a-f]{1,8})\)\s*$")
_PAIR = lazy.pattern(r"^([A-Z][A-Z0-9_]+):\s+(\S.*?)\s*$")
_ARGUMENT = lazy.pattern(r"^Arg([1-4]): ([0-9a-fA-F`]+)")
_NAMES = {
    "BUGCHECK_CODE": "bugcheck", "IMAGE_NAME": "module", "PROCESS_NAME": "process", "MODULE_NAME": "_module",
    "FAILURE_BUCKET_ID": "bucket", "SYMBOL_NAME": "symbol",
    "BUGCHECK_P1": "p1", "BUGCHECK_P2": "p2", "BUGCHECK_P3": "p3", "BUGCHECK_P4": "p4",
}  # fmt: skip
_MOST_LINES = 800
_REPORT = lazy.pattern(
    r"^\W*(?:[^:：=\n]{1,40}[:：=]\s*)(LiveKernelEvent|BlueScreen)\s*$|\bEvent Name: (LiveKernelEvent|BlueScreen)\b"
)
_CODE = lazy.pattern(
    r"^\W*(?:P1|Code|代码|代碼|Código|Код|コード|Codice|Sig\[0\]\.Value)\s*[:：=]\s*(?:0x)?([0-9a-fA-F]{1,8})\s*$"
)


def dump(lines: Sequence[Line], at: int) -> tuple[int, dict[str, Value]] | None:
    """The number of lines of the dump that begins at `at`, and bugcheck, p1 to p4, module, process, symbol, bucket.

    `process` is only the current process of that processor, not the culprit.
    """
    text = lines[at].text
    if not ("analyze" in text or "Bugcheck" in text or text[:1].isupper()) or not _START.search(text):
        return None
    count, sure = _dump_length(lines, at)
    if not sure:
        return None
    fields: dict[str, Value] = {}
    for line in lines[at : at + count]:
        pair, head, argument = _PAIR.match(line.text), _HEAD.match(line.text), _ARGUMENT.match(line.text)
        if pair and pair[1] in _NAMES:
            fields[_NAMES[pair[1]]] = pair[2]
        elif head:
            fields.setdefault("bugcheck", head[1])
        elif argument:
            fields.setdefault(f"p{argument[1]}", argument[2].replace("`", ""))
    for name in ("bugcheck", "p1", "p2", "p3", "p4"):
        if name in fields:
            try:
                fields[name] = hex(int(str(fields[name]), 16))
            except ValueError:
                del fields[name]
    module = fields.pop("_module", None)
    if module and "module" not in fields:
        fields["module"] = f"{module}.sys"
    return (count, fields) if "bugcheck" in fields else None


def _dump_length(lines: Sequence[Line], at: int) -> tuple[int, bool]:
    sure = False
    for count in range(1, min(_MOST_LINES, len(lines) - at) + 1):
        text = lines[at + count - 1].text
        sure = sure or bool(_SURE.match(text))
        if text.startswith("Followup:"):
            return count, sure
        if count > 1 and re.search(r"!analyze\b", text) and not text.startswith("Use "):
            return count - 1, sure
    return min(_MOST_LINES, len(lines) - at), sure


def report(lines: Sequence[Line], at: int) -> tuple[int, str, str] | None:
    """A report of Reliability Monitor, dxdiag or Report.wer: lines taken, its kind, its code in hexadecimal."""
    text = lines[at].text
    found = _REPORT.search(text) if "LiveKernelEvent" in text or "BlueScreen" in text else None
    if not found:
        return None
    for count in range(1, min(25, len(lines) - at)):
        text = lines[at + count].text
        code = _CODE.match(text)
        if code:
            return count + 1, found[1] or found[2], hex(int(code[1], 16))
        if _REPORT.search(text):
            break
    return None
