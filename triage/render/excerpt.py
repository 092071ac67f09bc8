"""What is shown of a quoted line: its message, cut to a width around the match, and where the match is marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from triage.render.text import cells, clean, fit

_LEFT = 12  # columns kept before a match when what follows it is long
_MESSAGES = ("MESSAGE", "message", "msg", "log", "textPayload")  # journald, common loggers, Docker, Google Cloud
_DEEPEST = 4  # objects and lists inside each other that are looked into
_FOCUS = 30  # columns from which a match is worth two pieces


def message(text: str, span: tuple[int, int]) -> tuple[str, tuple[int, int]]:
    """What a line that is a JSON object says under the span, else its message, with the span in it; else the same."""
    if not text.lstrip().startswith("{"):
        return text, span
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text, span
    part = text[max(0, min(span)) : max(span)]
    for said in _said(data) if 0 < len(part) < len(text) else ():
        for form in (part, _unescaped(part)):
            if form and (at := said.find(form)) >= 0:
                return said, (at, at + len(form))
    for key in _MESSAGES:
        value = data.get(key)
        if isinstance(value, list) and all(isinstance(n, int) and 0 <= n < 256 for n in value):
            value = bytes(value).decode("utf-8", "replace")
        if isinstance(value, str) and value.strip():
            return value, (0, len(value))
    return text, span


def _said(value: Any, depth: int = 0) -> Iterator[str]:
    """The lines of all texts inside a JSON value."""
    if isinstance(value, str):
        yield from value.split("\n")
    elif isinstance(value, dict | list) and depth < _DEEPEST:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _said(inner, depth + 1)


def _unescaped(part: str) -> str:
    try:
        return str(json.loads(f'"{part}"'))
    except ValueError:
        return ""


def cut(
    text: str, span: tuple[int, int], width: int, dots: str = "…", terms: Sequence[str] = ()
) -> tuple[str, str, str]:
    """`text` cleaned and cut to `width` columns around `span`: what stands before, in and after the match.

    A match that is longer itself keeps its beginning, and the part with most of `terms` (what the report says of it)
    or else its end, which is what the pattern was made to reach.
    """
    start, end = max(0, min(span)), max(0, *span)
    before, match, after = clean(text[:start]).lstrip(), clean(text[start:end]), clean(text[end:]).rstrip()
    if not before:
        match = match.lstrip()
    if cells(before) + cells(match) + cells(after) <= width:
        return before, match, after
    room = max(1, width - 2 * len(dots))
    if cells(match) > room >= _FOCUS:
        if cells(after) <= len(dots) + 2:  # a closing dot or bracket takes no more room than the sign that it is cut
            match, after = match + after, ""
        piece, whole = _focused(match, room, dots, terms)
        return (dots if before else ""), piece, (dots if after or not whole else "")
    kept = match[: fit(match, room)]
    after = match[len(kept) :] + after
    room -= cells(kept)
    # What follows a match tells more than what precedes it, which is mostly a time.
    left = min(room // 4, _LEFT, cells(before))
    right = min(room - left, cells(after))
    left = min(room - right, cells(before))
    head = before[len(before) - fit(before[::-1], left) :]
    tail = after[: fit(after, right)]
    return (
        head if head == before else dots + head,
        kept,
        tail if tail == after else tail + dots,
    )


def _focused(match: str, room: int, dots: str, terms: Sequence[str]) -> tuple[str, bool]:
    """Two pieces of `match`, and whether the second reaches its end."""
    head = match[: fit(match, room // 3)]
    space = head.rfind(" ")
    head = head[: space + 1] if space > len(head) // 2 else head
    rest = match[len(head) :]
    room -= cells(head) + len(dots)
    hits = [found.start() for term in terms for found in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", rest)]
    last = len(rest) - fit(rest[::-1], room)

    def worth(start: int) -> int:
        return sum(start <= hit < start + room - 4 for hit in hits)

    starts = sorted({last, *(min(last, max(0, hit - _LEFT)) for hit in hits)})
    at = max(starts, key=lambda start: (worth(start), start))
    space = rest.find(" ", at, at + _LEFT)
    if at and space >= 0 and not any(at <= hit < space for hit in hits):
        at = space + 1
    piece = rest[at : at + fit(rest[at:], room)]
    return head + (dots if at else "") + piece, at + len(piece) == len(rest)


def marked_rows(parts: tuple[str, str, str], width: int, first: int = 0) -> list[tuple[str, str, str]]:
    """The parts of `cut` in rows of at most `width` columns, broken at spaces where there are some.

    The first row has at most `first` columns, if that is given.
    """
    before, match, after = parts
    text, start, end = before + match + after, len(before), len(before) + len(match)
    rows: list[tuple[str, str, str]] = []
    at = 0
    while at < len(text):
        size = fit(text[at:], width if rows or not first else first)
        stop = at + max(1, size)
        space = text.rfind(" ", at + size * 2 // 3, stop)
        if stop < len(text) and space > at:
            stop = space + 1
        a, b = min(max(start, at), stop), min(max(end, at), stop)
        rows.append((text[at:a], text[a:b], text[b:stop]))
        at = stop
    return rows


def word_marks(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where one of the terms stands in `text` as a word; terms of one character tell nothing."""
    found = [
        hit.span() for term in terms if len(term) > 1 for hit in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text)
    ]
    marks: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if marks and start <= marks[-1][1]:
            marks[-1] = (marks[-1][0], max(end, marks[-1][1]))
        else:
            marks.append((start, end))
    return marks


def marked(row: str, at: int, marks: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The pieces of `row`, which stands at `at` in the text that the marks count in, and whether each is marked."""
    pieces: list[tuple[str, bool]] = []
    done = 0
    for start, end in marks:
        a, b = (min(max(place - at, done), len(row)) for place in (start, end))
        pieces += [(row[done:a], False), (row[a:b], True)]
        done = b
    return [piece for piece in [*pieces, (row[done:], False)] if piece[0]]
