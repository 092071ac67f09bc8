"""Binary Windows event logs (.evtx), and event XML that stands on one long line.

An .evtx holds provider, id and payload strings, never the rendered sentence; so its events become lines such as
`nvlddmkm 153: \\Device\\Video3 | Error occurred on GPUID: 100`.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from typing import Any

from triage import lazy
from triage.model import Line

_HEADER, _CHUNK = 4096, 65536
_MOST_VALUE = 4000
_BETWEEN = lazy.pattern(r"(</Event>)\s*(?=<Event[ >])|(<Events>)\s*(?=<Event[ >])")


def evtx_lines(data: bytes, name: str) -> tuple[list[Line], str]:
    """All events of a binary log as lines numbered from 1 in the order of the file, and a note on what is missing.

    The text is `provider id: values`, joined with ` | ` (named ones as `name=value`). The fields are provider,
    event_id, level (a number), time (ISO 8601, UTC), host, channel, record_id, and `data_<name>` for named values.
    Damaged records are skipped and named in the note. Raises ImportError when the package `evtx` is missing and
    ValueError when the data is not an event log.
    """
    try:
        from evtx import PyEvtxParser
    except ImportError as error:
        raise ImportError(f"{name}: reading .evtx files needs the Python package 'evtx' (pip install evtx)") from error
    try:
        parser = PyEvtxParser(io.BytesIO(data), number_of_threads=1, skip_errors=True)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{name}: not a readable Windows event log: {error}") from error
    lines: list[Line] = []
    damaged = 0
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        for item in _records(parser):
            try:
                event = json.loads(item["data"])["Event"]
                lines.append(_line(event, len(lines) + 1, str(item["timestamp"])))
            except (KeyError, TypeError, ValueError, AttributeError):
                damaged += 1
    damaged += len(skipped)
    return lines, _note(data, lines, damaged)


def _records(parser: Any) -> Iterator[Any]:
    """The records up to the end, or up to damage that the parser cannot step over (it warns of the rest)."""
    records = parser.records_json()
    while True:
        try:
            yield next(records)
        except StopIteration:
            return
        except RuntimeError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
            return


def split_events(text: str) -> str:
    """Event XML with each `<Event>` on a line of its own, as Event Viewer's one-line export needs it."""
    return _BETWEEN.sub(lambda found: f"{found[1] or found[2]}\n", text) if "<Event" in text else text


def _note(data: bytes, lines: list[Line], damaged: int) -> str:
    notes: list[str] = []
    if (len(data) - _HEADER) % _CHUNK or len(data) < _HEADER:
        notes.append(f"the file was cut: its size is not 4096 + n x 65536 bytes; {len(lines)} events were read")
    numbers = sorted({int(line.fields["record_id"]) for line in lines if line.fields.get("record_id", "").isdigit()})
    missing = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    if missing:
        notes.append(f"{missing} record numbers between {numbers[0]} and {numbers[-1]} are missing")
    if damaged:
        notes.append(f"{damaged} damaged records were skipped")
    return "; ".join(notes)


def _line(event: dict[str, Any], number: int, timestamp: str) -> Line:
    system = event["System"]
    provider = _attribute(system.get("Provider"), "Name") or _attribute(system.get("Provider"), "EventSourceName")
    event_id = _content(system.get("EventID"))
    created = _attribute(system.get("TimeCreated"), "SystemTime") or timestamp.replace(" UTC", "Z")
    fields = {
        "provider": provider, "event_id": event_id, "level": _content(system.get("Level")), "time": created,
        "host": _content(system.get("Computer")), "channel": _content(system.get("Channel")),
        "record_id": _content(system.get("EventRecordID")),
    }  # fmt: skip
    shown: list[str] = []
    for key, value in _values(event.get("EventData") or event.get("UserData")):
        shown.append(f"{key}={value}" if key else value)
        if key:
            fields.setdefault(f"data_{key}", value)
    text = f"{provider} {event_id}: {' | '.join(shown)}"
    return Line(number, text, f"{created} {text}", {key: value for key, value in fields.items() if value})


def _values(node: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Names (empty for positional strings) and values below EventData or UserData, without the raw binary."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("#attributes", "Binary"):
                continue
            yield from _values(value, name if key == "#text" else "" if key == "Data" else key)
    elif isinstance(node, list):
        for value in node:
            yield from _values(value, name)
    else:
        text = "" if node is None else str(node)
        yield name, " ".join(text.split())[:_MOST_VALUE]


def _attribute(node: Any, name: str) -> str:
    attributes = node.get("#attributes") if isinstance(node, dict) else None
    return str(attributes.get(name) or "") if isinstance(attributes, dict) else ""


def _content(node: Any) -> str:
    value = node.get("#text") if isinstance(node, dict) else node
    return "" if value is None else str(value)
