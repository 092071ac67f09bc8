"""The records that one format takes off a text by itself."""

from __future__ import annotations

from triage.formats.base import Format
from triage.model import Line, Record


def lines_of(text: str) -> list[Line]:
    return [Line(number, line, line) for number, line in enumerate(text.split("\n"), 1)]


def records(text: str, form: Format) -> list[Record]:
    """What `form` takes; lines that it leaves are passed over."""
    lines, found, at = lines_of(text), [], 0
    while at < len(lines):
        record = form.take(lines, at)
        if record is not None:
            assert len(record.offsets) == len(record.lines)
            found.append(record)
        at += len(record.lines) if record else 1
    return found
