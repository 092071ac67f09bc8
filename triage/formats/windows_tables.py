"""Events as rows: CSV exports and the tables that PowerShell prints."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.formats.windows_headings import field_of
from triage.model import Line

_MOST_ROW_LINES = 120
_DATE = (
    r"\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{1,4}\.?,?\s+(?:上午|下午|午前|午後)?\s*\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\.\d+)?(?:\s*[AaPp]\.?[Mm]\.?)?"
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?|[A-Z][a-z]{2} \d\d \d\d:\d\d"
)
_COLUMN = {
    "time": rf"(?P<time>{_DATE})", "event_id": r"(?P<event_id>\d{1,10})", "level": r"(?P<level>[^\W\d]+)",
    "provider": r"(?P<provider>\S.*?)", "message": r"(?P<message>\S.*)", "host": r"(?P<host>\S+)", "other": r"\S+",
}  # fmt: skip
_RULE = lazy.pattern(r"^\s*-{2,}(?: +-+)+\s*$")
_GROUP = lazy.pattern(r"^\s*ProviderName\s*:\s*(\S.*?)\s*$")


@dataclass(slots=True)
class Layout:
    """The columns that govern the lines from `start` on; `delimiter` is empty for a printed table."""

    start: int
    columns: list[str]
    delimiter: str = ""
    row: re.Pattern[str] | None = None
    provider: str = ""


@dataclass(slots=True)
class Row:
    fields: dict[str, str]
    count: int


class Layouts:
    """The layouts of one sequence of lines, found in one pass."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.found = list(_layouts(lines))
        self._starts = [layout.start for layout in self.found]

    def row(self, at: int) -> Row | None:
        """The event that the row at `lines[at]` holds, or None when no layout governs it."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return None
        layout = self.found[index]
        return _csv_row(layout, self.lines, at) if layout.delimiter else _table_row(layout, self.lines[at].text)


def _layouts(lines: Sequence[Line]) -> list[Layout]:
    found: list[Layout] = []
    provider = ""
    for at, line in enumerate(lines):
        text = line.text
        if len(text) > 2000:
            continue
        if (group := _GROUP.match(text)) is not None:
            provider = group[1]
        elif at and _RULE.match(text):
            layout = _table(lines[at - 1].text, at + 1, provider)
            if layout:
                found.append(layout)
        elif text.count(",") > 1 or text.count(";") > 1 or text.count("\t") > 1:
            layout = _csv(text, at + 1)
            if layout:
                found.append(layout)
    return found


def _csv(head: str, start: int) -> Layout | None:
    delimiter = max(",;\t", key=head.count)
    try:
        columns = [field_of(cell) for cell in next(csv.reader([head], delimiter=delimiter))]
    except (csv.Error, StopIteration):
        return None
    if "provider" in columns and "event_id" in columns and ("time" in columns or "message" in columns):
        return Layout(start, columns, delimiter)
    return None


def _table(head: str, start: int, provider: str) -> Layout | None:
    columns = [field_of(word) or "other" for word in re.split(r"\s{2,}|\s(?=[A-Z])", head.strip())]
    columns = ["time" if word == "Time" else field_of(word) or "other" for word in head.split()] or columns
    if "event_id" not in columns or not (provider or "provider" in columns):
        return None
    if len(set(columns) - {"other"}) + columns.count("other") != len(columns):
        return None
    pattern = r"^\s*" + r"\s+".join(_COLUMN.get(name, r"\S+") for name in columns) + r"\s*$"
    # A message too long for the console is cut, and an empty one leaves the column out.
    pattern = pattern.replace(r"\s+(?P<message>\S.*)\s*$", r"(?:\s+(?P<message>\S.*))?\s*$")
    return Layout(start, columns, "", lazy.pattern(pattern), provider)


def _table_row(layout: Layout, text: str) -> Row | None:
    found = layout.row.match(text) if layout.row and text.strip() else None
    if not found:
        return None
    fields = {name: value.strip() for name, value in found.groupdict().items() if value}
    fields.setdefault("provider", layout.provider)
    return Row(fields, 1)


def _csv_row(layout: Layout, lines: Sequence[Line], at: int) -> Row | None:
    first = lines[at].text
    if first.count(layout.delimiter) < len(layout.columns) // 2:
        return None
    parts = [first]
    while parts and sum(part.count('"') for part in parts) % 2:
        if at + len(parts) >= len(lines) or len(parts) >= _MOST_ROW_LINES:
            return None
        parts.append(lines[at + len(parts)].text)
    try:
        cells = next(csv.reader(["\n".join(parts)], delimiter=layout.delimiter), [])
    except csv.Error:
        return None
    fields = {name: cell for name, cell in zip(layout.columns, cells, strict=False) if name}
    # Event Viewer's own export gives the description no heading.
    if len(cells) > len(layout.columns) and "message" not in fields:
        fields["message"] = cells[len(layout.columns)]
    return Row(fields, len(parts)) if fields.get("provider") and fields.get("event_id", "").strip().isdigit() else None
