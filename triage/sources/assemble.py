"""Messages that a file spreads over many lines -> one row each, before the lines are unwrapped.

Pretty-printed JSON, the block formats of journald, CSV exports and hard wraps of a terminal: whether a source is one of
them is decided on its first lines. Rows keep the number of the line on which their text stands.
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from triage import lazy
from triage.sources.jsonlines import inner_objects
from triage.sources.stamps import is_inner

_MOST_LINES, _MOST_SIZE, _LONGEST_VALUE = 200_000, 64 << 20, 5000


@dataclass(slots=True, frozen=True)
class Row:
    """A text with the number of its line; `raw` is what a person sees on that line."""

    number: int
    text: str
    raw: str


class Assembler:
    """Base class: holds lines back until a message is complete."""

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        """The rows that are complete after these; `last` gives out all. Numbers never go down."""
        raise NotImplementedError


class PrettyJson(Assembler):
    """Objects and lists that stand on more than one line; what does not parse stays as it was."""

    def __init__(self) -> None:
        self._held: list[Row] = []
        self._depth = self._size = 0

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            if len(self._held) == 1 and self._held[0].text.strip() == "[" and row.text.lstrip().startswith(("{", "[")):
                out += self._release()  # of a list of objects each is taken by itself
            if not self._held:
                if not _OPENS.match(row.text):
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


class Wrapped(Assembler):
    """Lines that a terminal cut at its width: a full line and the next one are one, unless that one begins anew."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._held: list[Row] = []

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            if self._held and begins(row.text):
                out += self._release()
            self._held.append(row)
            if columns(row.text) != self.width or len(self._held) > 400:
                out += self._release()
        return out + self._release() if last else out

    def _release(self) -> list[Row]:
        held, self._held = self._held, []
        if not held:
            return []
        return [Row(held[0].number, "".join(row.text for row in held), "".join(row.raw for row in held))]


_OPENS = lazy.pattern(r"\s{0,40}(?:\{|\[\s*\{?|\"[^\"]{1,80}\":\s*[\[{])\s*$")
_STRING = lazy.pattern(r'"(?:[^"\\]|\\.)*"')
_VERBOSE = lazy.pattern(r"[A-Z][a-z]{2} ([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{8,18}(?: \S{1,6})?) \[s=[^\]]+\]$")
_FIELD = lazy.pattern(r"(?:    )?([A-Z_][A-Z0-9_]{0,63})=(.*)")
_NAME = lazy.pattern(r"[A-Z_][A-Z0-9_]{0,63}$")
_EXPORT = lazy.pattern(r"__(?:CURSOR|REALTIME_TIMESTAMP)=")
_MESSAGE_COLUMNS = (
    "message", "@message", "log", "line", "msg", "textpayload", "logentry", "body", "content", "raw", "_raw",
)  # fmt: skip
# Windows tables are formats of their own.
_WINDOWS_COLUMNS = {"id", "event id", "providername", "leveldisplayname", "source", "instanceid", "entrytype"}
_BEGINS = lazy.pattern(
    r"  File \"|During handling of|The above exception|frame #[0-9]+:|[$#>] |\S+@\S+:|[+|]-|\| |Exception raised from"
    r"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}\b|(?:INFO|WARNING|ERROR|DEBUG)\b"
)
_TABLE_END = ("|", "+", "-", "=", "│", "╮", "╯", "*", "#")


def begins(text: str) -> bool:
    """Whether the line is not the rest of one that was cut."""
    return not text.strip() or is_inner(text) or _BEGINS.match(text) is not None


def columns(text: str) -> int:
    """The width of a text in a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def assembler_of(texts: Sequence[str]) -> Assembler | None:
    """What the source needs that begins with these lines; None for nearly all logs."""
    if any(_EXPORT.match(text) or _VERBOSE.match(text) for text in texts[:40]):
        return Journal()
    full = [text for text in texts if text.strip()]
    if table := _table(full):
        return table
    if any(_OPENS.match(text) for text in full) and any('":' in text or '",' in text for text in full):
        return PrettyJson()
    width = _width(texts)
    return Wrapped(width) if width else None


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


def _width(texts: Sequence[str]) -> int:
    """The width at which a terminal cut the lines, or 0: no line is longer, many are exactly as long, and what
    follows these does not begin like a line of its own."""
    sizes = [columns(text) for text in texts]
    width = max(sizes, default=0)
    if not 40 <= width <= 400:
        return 0
    counts = Counter(sizes)
    full = [i for i, size in enumerate(sizes[:-1]) if size == width and not texts[i].endswith(_TABLE_END)]
    near = max(counts[width - back] for back in range(1, 6))
    if len(full) < 3 or len(full) <= 2 * near or not 0.9 * counts[width] - 1 <= len(full) <= 0.8 * len(texts):
        return 0
    starts = {_shape(texts[i]) for i in range(len(texts)) if i == 0 or sizes[i - 1] != width}
    anew = sum(1 for i in full if begins(texts[i + 1]) or _shape(texts[i + 1]) in starts)
    return width if anew <= 0.34 * len(full) else 0


def _shape(text: str) -> str:
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"[0-9]+", "0", text[:14]))[:5]
