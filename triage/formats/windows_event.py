"""Windows events: every way in which people export, print or copy them gives the same record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from triage import lazy
from triage.formats import windows_debug, windows_loose, windows_nested, windows_report, windows_xml
from triage.formats.base import Format, record
from triage.formats.windows_headings import CHANNEL, PAIR, POWERSHELL, field_of
from triage.formats.windows_payload import Payload, decode, level, origin
from triage.formats.windows_tables import Layouts
from triage.formats.windows_time import stamp
from triage.model import Line, Record, Value

_MOST_LINES = 120
_EVENT_TAG = lazy.pattern(r"<Event[ >]")
_INDEX = lazy.pattern(r"^Event\[\d+\]:?\s*$")
# What begins another text inside the free body of an event: a prompt, a stamped log line, a traceback, a fence.
_FOREIGN = lazy.pattern(
    r"^(?:PS )?[A-Z]:\\[^>\n]*>|^Traceback \(|^\[|^```|^\d{4}-\d\d-\d\d[T ]\d\d:|^[\w.]+(?:Error|Exception)\b|^\$ |"
    r"^[+|]-{3,}|^>>> |^={5,}|^#{2,}|^\S+@\S+:\S*[$#]|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |^\*{5,}"
)


@dataclass(slots=True)
class _Block:
    """What the headings of one event said; `body` is where its text begins, `count` the lines taken so far."""

    values: dict[str, str] = field(default_factory=dict)
    count: int = 0
    body: int = -1


class WindowsEvent(Format):
    r"""One record per event: provider, event_id, level, time, host, and what the payload tells.

        Log Name:      System
        Source:        nvlddmkm
        Date:          2/6/2021 9:14:05 PM
        Event ID:      153
        Level:         Error
        Computer:      DL-PC
        Description:
        The description for Event ID 153 from source nvlddmkm cannot be found. ...

    Also takes `Get-WinEvent` lists and tables, wevtutil blocks, XML, CSV, lines of an .evtx, and, as events of the
    providers BugCheck and Windows Error Reporting, WinDbg dumps and pasted error reports.
    `origin` is the provider in one spelling, such as `kernel-power` or `bugcheck`. The text is the message, else
    the payload strings.
    """

    name: ClassVar[str] = "windows-event"

    def __init__(self) -> None:
        self._layouts: Layouts | None = None

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        line = lines[at]
        text = line.text
        if "provider" in line.fields and "event_id" in line.fields:
            return _from_fields(lines, at)
        if not text.strip():
            return None
        if "<Event" in text and _EVENT_TAG.search(text):
            return _from_xml(lines, at)
        return (
            _from_headings(lines, at)
            or self._from_row(lines, at)
            or _from_nested(lines, at)
            or _from_crash(lines, at)
            or _from_loose(lines, at)
        )

    def _from_row(self, lines: Sequence[Line], at: int) -> Record | None:
        layouts = self._layouts
        if layouts is None or layouts.lines is not lines:
            layouts = self._layouts = Layouts(lines)
        row = layouts.row(at) if layouts.found else None
        if row is None:
            return None
        message = row.fields.get("message", "")
        parts = message.split("\n")
        texts = parts if len(parts) == row.count else [message.replace("\n", " | "), *[""] * (row.count - 1)]
        return _make(lines[at : at + row.count], texts, row.fields, Payload(text=message))


def _make(own: Sequence[Line], texts: Sequence[str], values: dict[str, str], payload: Payload) -> Record:
    provider = values["provider"].strip()
    number = int(values["event_id"]) & 0xFFFF  # the instance id of Get-EventLog holds qualifiers in its high half
    fields: dict[str, Value] = {"provider": provider, "origin": origin(provider), "event_id": number}
    if values.get("level"):
        fields["level"] = level(values["level"])
    host = values.get("host", "").strip()
    if host and host != ".":
        fields["host"] = host
    fields |= decode(provider, number, payload)
    return record(WindowsEvent.name, own, texts, stamp(values.get("time", "")), **fields)


def _from_fields(lines: Sequence[Line], at: int) -> Record:
    """A line that an .evtx gave: `provider id: value | value`."""
    line = lines[at]
    named = {key.removeprefix("data_"): value for key, value in line.fields.items() if key.startswith("data_")}
    text = line.text.removeprefix(f"{line.fields['provider']} {line.fields['event_id']}: ")
    values = [] if named else text.split(" | ")
    return _make([line], [text], line.fields, Payload(values, named, text))


def _from_xml(lines: Sequence[Line], at: int) -> Record | None:
    count = windows_xml.event_lines(lines, at)
    if not count:
        return None
    own = lines[at : at + count]
    event = windows_xml.parse("\n".join(line.text for line in own))
    if event is None:
        return None
    shown = event.payload.text.replace("\n", " | ") or event.payload.shown
    return _make(own, [shown, *[""] * (count - 1)], event.header, event.payload)


def _from_nested(lines: Sequence[Line], at: int) -> Record | None:
    found = windows_nested.from_json(lines, at) or windows_nested.from_tree(lines, at)
    if found is None:
        return None
    count, values, payload = found
    shown = payload.text.replace("\n", " | ") or payload.shown
    return _make(lines[at : at + count], [shown, *[""] * (count - 1)], values, payload)


def _from_headings(lines: Sequence[Line], at: int) -> Record | None:
    """Event Viewer's copy, wevtutil's text and PowerShell's lists: localized headings, known by word or by place."""
    start = at + 1 if _INDEX.match(lines[at].text) and at + 1 < len(lines) else at
    if not _begins(lines, start, start > at):
        return None
    block = _read_headings(lines, start)
    if not block.values.get("provider") or not block.values.get("event_id", "").isdigit():
        return None
    count, texts = (start - at) + block.count, [""] * ((start - at) + block.count)
    payload = Payload(text=block.values.get("message", ""))
    if block.body >= 0:
        body, xml = _body(lines, block.body, block.values["event_id"])
        texts = texts[: block.body - at] + body
        count = len(texts)
        payload.text = "\n".join([payload.text, *body]).strip("\n")
        if xml is not None:
            payload.values, payload.named = xml.payload.values, xml.payload.named
    if block.values.get("message"):
        texts[_message_line(lines, at, count)] = block.values["message"]
    return _make(lines[at : at + count], texts, block.values, payload)


def _message_line(lines: Sequence[Line], at: int, count: int) -> int:
    """The place of the message heading among the lines of the block."""
    for i in range(count):
        found = PAIR.match(lines[at + i].text)
        if found and field_of(found[2]) == "message":
            return i
    return 0


def _begins(lines: Sequence[Line], at: int, indexed: bool) -> bool:
    text = lines[at].text
    found = PAIR.match(text) if ":" in text or "：" in text else None
    if not found:
        return False
    known = field_of(found[2])
    if CHANNEL.match(found[3]) and (known == "log" or _by_place(lines, at)):
        return True
    return indexed or known in ("provider", "event_id", "time", "level", "log") or found[2].lower() in POWERSHELL


def _by_place(lines: Sequence[Line], at: int) -> bool:
    """Channel, provider, date and number below each other: an event, whatever the language of its headings."""
    below = [PAIR.match(line.text) for line in lines[at + 1 : at + 4]]
    if len(below) < 3 or not all(below):
        return False
    values = [found[3] for found in below if found]
    return stamp(values[1]) is not None and values[2].isdigit()


def _read_headings(lines: Sequence[Line], at: int) -> _Block:
    block = _Block()
    pairs: list[tuple[str, str]] = []
    indent, last, i = len(PAIR.match(lines[at].text)[1]), "", at  # type: ignore[index]
    while i < len(lines) and i - at < _MOST_LINES:
        text = lines[i].text
        found = PAIR.match(text)
        deeper = text.startswith(" " * (indent + 4)) and pairs
        if not text.strip():
            if not _continues(lines, i, indent, block):
                break
        elif deeper:
            if last:
                joint = "\n" if last == "message" else ""
                block.values[last] = block.values.get(last, "") + joint + text.strip()
        elif not found:
            break
        else:
            last = field_of(found[2])
            if last in ("provider", "log", "event_id") and last in block.values and not _alias(found[2]):
                break
            pairs.append((last, found[3]))
            if last == "message" and not _powershell(pairs, lines, at, i):
                block.values["message"], block.body = found[3], i + 1
                i += 1
                break
            if last and last not in block.values:
                block.values[last] = found[3]
        i += 1
    block.count = i - at
    _fill_by_place(block, lines, at, pairs)
    return block


def _alias(heading: str) -> bool:
    """Headings that repeat a field in other words (`InstanceId` beside `EventID`)."""
    return heading.strip().lower() in ("instanceid", "provider", "id")


def _powershell(pairs: Sequence[tuple[str, str]], lines: Sequence[Line], at: int, i: int) -> bool:
    """Whether the message belongs to a PowerShell list, in which further properties may follow it."""
    near = [PAIR.match(line.text) for line in lines[at : i + 3]]
    return any(found and found[2].strip().lower() in POWERSHELL - {"message", "id"} for found in near)


def _continues(lines: Sequence[Line], i: int, indent: int, block: _Block) -> bool:
    """Whether the block goes on after a blank line: a blank inside a list's message, or double spacing."""
    if i + 1 >= len(lines):
        return False
    text = lines[i + 1].text
    if block.values.get("message") and text.startswith(" " * max(indent + 10, 10)):
        return True
    found = PAIR.match(text)
    complete = "provider" in block.values and "event_id" in block.values
    known = field_of(found[2]) if found else ""
    if not known or known in block.values or known == "log":
        return False
    return not complete or known in ("message", "level", "host", "other")


def _fill_by_place(block: _Block, lines: Sequence[Line], at: int, pairs: Sequence[tuple[str, str]]) -> None:
    """Fields by place where the language is not known: channel, provider, date, id, task, level, ..., host."""
    if ("provider" in block.values and "event_id" in block.values) or not _by_place(lines, at) or len(pairs) < 6:
        return
    for name, place in (("provider", 1), ("time", 2), ("event_id", 3), ("level", 5)):
        block.values.setdefault(name, pairs[place][1])
    if block.body < 0 and not pairs[-1][1]:  # the last heading, without a value, is the description
        block.body = at + block.count
        block.values.setdefault("host", pairs[-2][1])


def _body(lines: Sequence[Line], at: int, number: str) -> tuple[list[str], windows_xml.XmlEvent | None]:
    """The free text after the description heading, up to the next event or a foreign text, and the XML below it."""
    texts: list[str] = []
    i = at
    while i < len(lines) and i - at < _MOST_LINES:
        text = lines[i].text
        if _EVENT_TAG.search(text):
            count = windows_xml.event_lines(lines, i)
            event = windows_xml.parse("\n".join(line.text for line in lines[i : i + count])) if count else None
            if event is not None and str(event.event_id) == number:
                return [*texts, *[""] * count], event
            break
        if _INDEX.match(text) or _FOREIGN.match(text) or _next_event(lines, i):
            break
        texts.append(text)
        i += 1
    while texts and not texts[-1].strip():
        texts.pop()
    return texts, None


def _next_event(lines: Sequence[Line], i: int) -> bool:
    found = PAIR.match(lines[i].text)
    if not found:
        return False
    known = field_of(found[2])
    if CHANNEL.match(found[3]) and (known == "log" or _by_place(lines, i)):
        return True
    if known not in ("provider", "log", "time", "level", "event_id") or not found[3]:
        return False
    near = {field_of(pair[2]) for line in lines[i : i + 6] if (pair := PAIR.match(line.text))}
    return {"provider", "event_id"} <= near


def _from_loose(lines: Sequence[Line], at: int) -> Record | None:
    found = windows_loose.read(lines, at)
    return _make(lines[at : at + found[0]], found[2].text.split("\n"), found[1], found[2]) if found else None


def _from_crash(lines: Sequence[Line], at: int) -> Record | None:
    found = windows_debug.crash(lines, at)
    if found is None:
        return windows_report.read(lines, at)
    own = lines[at : at + found[0]]
    return record(WindowsEvent.name, own, [line.text for line in own], None, **found[1])
