r"""A report of Windows Error Reporting as it lies in its folder (`...\WER\ReportArchive\Kernel_141_...\Report.wer`).

    EventType=LiveKernelEvent
    EventTime=133594128170000000
    Sig[0].Name=Code
    Sig[0].Value=141

Names of signature fields may be translated, their places are not:
https://learn.microsoft.com/windows/win32/wer/windows-error-reporting
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from triage import clock, lazy
from triage.entities import hexadecimal
from triage.formats.base import record
from triage.model import Line, Record, Stamp, Value

_KIND = lazy.pattern(r"EventType=([A-Za-z]\w{2,40})\s*$")
_PAIR = lazy.pattern(r"([A-Za-z][\w.\[\]]{1,60})=(.*?)\s*$")
_VALUE = lazy.pattern(r"Sig\[(\d{1,2})\]\.Value=(.*?)\s*$")
_LONGEST = 800
_CODES = {"LiveKernelEvent": "live_code", "BlueScreen": "bugcheck"}
_CRASHES = ("APPCRASH", "BEX", "BEX64")
_HANGS = ("AppHangB1", "AppHangXProcB1")
# The places in the report of a crash: the program, the module at fault, the exception.
_PROGRAM, _MODULE, _EXCEPTION = 0, 3, 6
_OF_BEX = 7  # BEX puts the offset before the exception (judgement: as reports show that people post)


def read(lines: Sequence[Line], at: int) -> Record | None:
    """The report whose kind stands at a line, one record, with the fields of the event that Windows logs for it."""
    found = _KIND.match(lines[at].text) if lines[at].text.startswith("EventType=") else None
    if not found:
        return None
    end, told, values = at + 1, dict[str, str](), dict[int, str]()
    while end < len(lines) and end - at < _LONGEST and (pair := _PAIR.match(lines[end].text)):
        told[pair[1]] = pair[2]
        if value := _VALUE.match(lines[end].text):
            values[int(value[1])] = value[2]
        end += 1
    if "EventTime" not in told or not values:
        return None
    last = max(i for i in range(at, end) if _VALUE.match(lines[i].text))
    # Behind the signature stand settings and the modules that were loaded: nothing of the event itself.
    texts = [line.text if at + i <= last else "" for i, line in enumerate(lines[at:end])]
    return record("windows-event", lines[at:end], texts, _moment(told["EventTime"]), **_fields(found[1], values))


def _fields(kind: str, values: dict[int, str]) -> dict[str, Value]:
    reporting: dict[str, Value] = {
        "provider": "Windows Error Reporting", "origin": "windows error reporting", "wer_event": kind,
    }  # fmt: skip
    if kind in _CODES:
        code = hexadecimal(values.get(0, ""))
        return reporting | {_CODES[kind]: code} if code else reporting
    if kind in _HANGS:
        hang: dict[str, Value] = {"provider": "Application Hang", "origin": "application hang", "event_id": 1002}
        return hang | {"process": values.get(_PROGRAM, "")}
    if kind not in _CRASHES:
        return reporting
    fields: dict[str, Value] = {"provider": "Application Error", "origin": "application error", "event_id": 1000}
    code = hexadecimal(values.get(_OF_BEX if kind.startswith("BEX") else _EXCEPTION, ""))
    named = (("process", values.get(_PROGRAM)), ("module", values.get(_MODULE)), ("ntstatus", code))
    return fields | {name: value for name, value in named if value}


def _moment(text: str) -> Stamp | None:
    """A FILETIME: tenths of microseconds since 1601, UTC."""
    if not text.isdecimal() or len(text) > 18:
        return None
    moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(text) // 10)
    return clock.parse(moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
