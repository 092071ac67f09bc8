"""Messages that a file spreads over many lines -> one row each, before the lines are unwrapped.

Pretty-printed JSON, the block formats of journald, CSV exports and hard wraps of a terminal: whether a source is one of
them is decided on its first lines. Rows keep the number of the line on which their text stands.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from triage import lazy
from triage.sources.jsonlines import inner_objects
from triage.sources.panes import Panes, border_of
from triage.sources.rows import Assembler, Row
from triage.sources.wrapped import Wrapped, width_of

_MOST_LINES, _MOST_SIZE, _LONGEST_VALUE = 200_000, 64 << 20, 5000


class PrettyJson(Assembler):
    """Objects and lists that stand on more than one line; what does not parse stays as it was."""

    def __init__(self) -> None:
        self._held: list[Row] = []
        self._depth = self._size = 0
        self._listed = False

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            if len(self._held) == 1 and self._held[0].text.strip() == "[" and row.text.lstrip().startswith(("{", "[")):
                out += self._release()  # of a list of objects each is taken by itself
                self._listed = True
            if not self._held:
                if self._listed and _WHOLE.match(row.text):
                    out.append(replace(row, text=row.text.strip()))
                    continue
                if not _OPENS.match(row.text):
                    self._listed = self._listed and not row.text.startswith("]")
                    out.append(row)
                    continue
                self._depth = self._size = 0
            self._held.append(row)
            self._size += len(row.text)
            bare = _STRING.sub("", row.text)
            self._depth += bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")
            if self._depth <= 0 or len(self._held) > _MOST_LINES or self._size > _MOST_SIZE:
                out += self._release()
        return out + self._release() if last else out

    def _release(self) -> list[Row]:
        held, self._held = self._held, []
        if len(held) < 2:
            return held
        try:
            value = json.loads("\n".join(row.text for row in held).rstrip().rstrip(",;"))
        except (ValueError, RecursionError):
            return held
        return _objects(value, held) or held


def _objects(value: Any, held: Sequence[Row]) -> list[Row]:
    """One row for each object that carries a message, or each text of a list, at the line of that text."""
    out: list[Row] = []
    at = column = 0
    for item, message in inner_objects(value):
        forms = [json.dumps(message)[:-1], json.dumps(message, ensure_ascii=False)[:-1]] if message else []
        at, column = _found(held, at, column, forms)
        texts = message.split("\n") if item is None else [json.dumps(item, ensure_ascii=False)]
        out += [Row(held[at].number, text, held[at].raw) for text in texts]
    return out


def _found(held: Sequence[Row], at: int, column: int, forms: Sequence[str]) -> tuple[int, int]:
    """The row of a text and the column behind it, from `column` of row `at` on; that place itself without a find."""
    for i in range(at, len(held) if forms else at):
        start = column if i == at else 0
        if hits := [found for form in forms if (found := held[i].text.find(form, start)) >= 0]:
            return i, min(hits) + len(forms[0])
    return at, column


class Journal(Assembler):
    """`journalctl -o export` and `-o verbose`: the fields of an entry on lines of their own.

    A value with newlines stands below its name: in an export behind its length (64 bits), else indented.
    """

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}
        self._message: list[Row] = []
        self._open = ""  # the field whose value may go on
        self._binary = False

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            entry, found = _VERBOSE.match(row.text), _FIELD.match(row.text)
            if entry or (found and found[1] == "__CURSOR"):
                out += self._release()
            if entry:
                self._fields["timestamp"] = entry[1]
            elif found:
                self._take(found[1], found[2], row)
            elif _NAME.match(row.text):
                self._open, self._binary = row.text, True
            elif self._open == "MESSAGE":
                self._go_on(row)
            elif not self._fields and row.text.strip():
                out.append(row)
        return out + self._release() if last else out

    def _take(self, name: str, value: str, row: Row) -> None:
        self._open, self._binary = name, False
        if name == "MESSAGE":
            self._message = [Row(row.number, value, row.raw)]
        else:
            self._fields[name] = value

    def _go_on(self, row: Row) -> None:
        text = row.text
        if self._binary and not self._message:
            text = text[text.rfind("\0") + 1 :]
        elif not self._binary:
            text = text.removeprefix(" " * 12)
        if len(self._message) < _LONGEST_VALUE:
            self._message.append(Row(row.number, text, row.raw))

    def _release(self) -> list[Row]:
        fields, message = self._fields, self._message
        self._fields, self._message, self._open = {}, [], ""
        while message and not message[-1].text.strip():
            message.pop()
        fields.setdefault("_HOSTNAME", "")
        return [Row(row.number, json.dumps({**fields, "MESSAGE": row.text}), row.raw) for row in message]


class Table(Assembler):
    """A CSV export with a column of messages; a quoted message may run over many lines."""

    def __init__(self, names: Sequence[str], column: int, delimiter: str) -> None:
        self._names, self._column, self._delimiter = names, column, delimiter
        self._held: list[Row] = []
        self._first = True
        self._quotes = 0

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            self._held.append(row)
            self._quotes += row.text.count('"')
            if self._quotes % 2 == 0 or len(self._held) > _MOST_LINES:
                out += self._release()
        return out + self._release() if last else out

    def _release(self) -> list[Row]:
        held, self._held, self._quotes = self._held, [], 0
        if not held:
            return []
        cells = _cells("\n".join(row.text for row in held), self._delimiter)
        if self._first and cells == list(self._names):
            self._first = False
            return []
        if len(cells) != len(self._names):
            return held
        message = cells[self._column].split("\n")
        told = {name: cell for name, cell in zip(self._names, cells, strict=True) if cell}
        told.pop(self._names[self._column], None)
        places = held if len(held) == len(message) else [held[0]] * len(message)
        return [
            Row(row.number, json.dumps({**told, "message": text}), row.raw)
            for row, text in zip(places, message, strict=True)
        ]


_OPENS = lazy.pattern(r"\s{0,40}(?:\{|\[\s*\{?|\"[^\"]{1,80}\":\s*[\[{])\s*$")
_STRING = lazy.pattern(r'"(?:[^"\\]|\\.)*"')
_WHOLE = lazy.pattern(r"\s{1,40}\{\s*\".*\}\s*,?\s*$")  # an indented object on a line of its own
_VERBOSE = lazy.pattern(r"[A-Z][a-z]{2} ([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{8,18}(?: \S{1,6})?) \[s=[^\]]+\]$")
_FIELD = lazy.pattern(r"(?:    )?([A-Z_][A-Z0-9_]{0,63})=(.*)")
_NAME = lazy.pattern(r"[A-Z_][A-Z0-9_]{0,63}$")
_EXPORT = lazy.pattern(r"__(?:CURSOR|REALTIME_TIMESTAMP)=")
_MESSAGE_COLUMNS = (
    "message", "@message", "log", "line", "msg", "textpayload", "logentry", "body", "content", "raw", "_raw",
)  # fmt: skip
# Windows tables are formats of their own.
_WINDOWS_COLUMNS = {"id", "event id", "providername", "leveldisplayname", "source", "instanceid", "entrytype"}



def assembler_of(texts: Sequence[str]) -> Assembler | None:
    """What the source needs that begins with these lines; None for nearly all logs."""
    if any(_EXPORT.match(text) or _VERBOSE.match(text) for text in texts[:40]):
        return Journal()
    full = [text for text in texts if text.strip()]
    if table := _table(full):
        return table
    if any(_OPENS.match(text) for text in full) and any('":' in text or '",' in text for text in full):
        return PrettyJson()
    if width := width_of(texts):
        return Wrapped(width)
    if any("│" in text or "┃" in text for text in texts):
        return Panes(column) if (column := border_of(texts)) else None
    return None


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:  # a carriage return, or a cell that is too long
        return []


def _table(texts: Sequence[str]) -> Table | None:
    if len(texts) < 2 or ("," not in texts[0] and "\t" not in texts[0] and ";" not in texts[0]) or len(texts[0]) > 2000:
        return None
    for delimiter in ",\t;":
        names = _cells(texts[0].removeprefix("\ufeff"), delimiter)
        lower = [name.strip().lower() for name in names]
        column = next((lower.index(name) for name in _MESSAGE_COLUMNS if name in lower), -1)
        if column >= 0 and 1 < len(names) < 40 and not _WINDOWS_COLUMNS.intersection(lower):
            return Table(names, column, delimiter)
    return None
