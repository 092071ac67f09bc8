"""Crash texts: a WinDbg dump, BlueScreenView, the words of a blue screen, an error report without its event."""

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
# The names that a blue screen shows in place of a number:
# https://learn.microsoft.com/windows-hardware/drivers/debugger/bug-check-code-reference2
_STOPS = {
    "VIDEO_TDR_FAILURE": 0x116, "VIDEO_TDR_ERROR": 0x116, "VIDEO_SCHEDULER_INTERNAL_ERROR": 0x119,
    "WHEA_UNCORRECTABLE_ERROR": 0x124, "DPC_WATCHDOG_VIOLATION": 0x133, "DRIVER_POWER_STATE_FAILURE": 0x9F,
    "VIDEO_MEMORY_MANAGEMENT_INTERNAL": 0x10E, "VIDEO_DXGKRNL_FATAL_ERROR": 0x113, "MEMORY_MANAGEMENT": 0x1A,
    "SYSTEM_SERVICE_EXCEPTION": 0x3B, "PAGE_FAULT_IN_NONPAGED_AREA": 0x50, "IRQL_NOT_LESS_OR_EQUAL": 0xA,
    "DRIVER_IRQL_NOT_LESS_OR_EQUAL": 0xD1, "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED": 0x7E,
    "KERNEL_SECURITY_CHECK_FAILURE": 0x139, "THREAD_STUCK_IN_DEVICE_DRIVER": 0xEA, "CLOCK_WATCHDOG_TIMEOUT": 0x101,
    "KMODE_EXCEPTION_NOT_HANDLED": 0x1E, "CRITICAL_PROCESS_DIED": 0xEF,
}  # fmt: skip
_SCREEN = lazy.pattern(
    r"(?i:\bstop ?code|\bbug ?check (?:string|code)|终止代码|停止代码|停止代碼|停止コード|Stillstandcode|Stoppcode|"
    r"code d.arrêt|código de detención|код остановки)\s*[:：]?\s*"
    r"(?:(?P<name>[A-Z][A-Za-z_ ]{6,})|0x(?P<code>[0-9a-fA-F]{2,8})\b)"
)
_SHORT = lazy.pattern(r"^BugCheck ([0-9A-Fa-f]{1,8}), \{")
_FAILED = lazy.pattern(r"(?:[:：(]|^)\s*([\w.-]+\.sys)\b", re.IGNORECASE)
_SCREEN_LINES = 12
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


def screen(lines: Sequence[Line], at: int) -> tuple[int, dict[str, Value]] | None:
    """`Stop code: VIDEO_TDR_FAILURE` and `What failed: nvlddmkm.sys` of a blue screen, or a table of BlueScreenView."""
    number = _stop_code(lines[at].text)
    if not number:
        return None
    fields: dict[str, Value] = {"bugcheck": hex(number)}
    count = 1
    for i in range(1, min(_SCREEN_LINES, len(lines) - at)):
        text = lines[at + i].text
        failed = _FAILED.search(text)
        if failed:
            fields["module"], count = failed[1], i + 1
            break
        if len(text) > 200 or (not text.strip() and not _SHORT.match(lines[at].text)):
            break
    return count, fields


def _stop_code(text: str) -> int:
    short = _SHORT.match(text) if text.startswith("BugCheck") else None
    if short:
        return int(short[1], 16)
    folded = text.lower()
    named = "stop" in folded or "bug" in folded or "stillstand" in folded or not text.isascii()
    found = _SCREEN.search(text) if named else None
    if not found:
        return 0
    return int(found["code"], 16) if found["code"] else _STOPS.get(found["name"].strip().upper().replace(" ", "_"), 0)


def crash(lines: Sequence[Line], at: int) -> tuple[int, dict[str, Value]] | None:
    """Lines taken and fields of the crash text that begins at `lines[at]`, with the provider that would log it."""
    found = dump(lines, at) or screen(lines, at)
    if found is not None:
        return found[0], {"provider": "BugCheck", "origin": "windbg", **found[1]}
    told = report(lines, at)
    if told is None:
        return None
    name = "live_code" if told[1] == "LiveKernelEvent" else "bugcheck"
    provider = "Windows Error Reporting"
    return told[0], {"provider": provider, "origin": provider.lower(), "wer_event": told[1], name: told[2]}


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
