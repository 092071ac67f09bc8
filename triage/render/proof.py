"""Quoted lines on a page: `file:line`, the text cut around the match, and the match marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triage.model import Evidence
from triage.render.excerpt import cut, marked, marked_rows, message, word_marks
from triage.render.page import Page
from triage.render.text import cells

_RAGGED = 12  # columns that a row may lose by being broken at a space
_HANGING = 6  # columns that further rows are indented by, when the name of the file is long


def distinct(lines: Iterable[Evidence]) -> list[Evidence]:
    """The lines without those that say the same as an earlier one, at another time."""
    told: dict[str, Evidence] = {}
    for line in lines:
        told.setdefault(line.text[min(line.span) :], line)
    return list(told.values())


def _rows(parts: tuple[str, str, str], room: int, first: int, dots: str) -> list[str]:
    """The rows of a cut line; the sign that it goes on gets none of its own."""
    rows = ["".join(row) for row in marked_rows(parts, room, first)]
    if len(rows) > 1 and rows[-1].strip() == dots and cells(rows[-2].rstrip()) + len(dots) <= room:
        rows[-2:] = [rows[-2].rstrip() + dots]
    return rows


def quote(
    page: Page, place: str, line: Evidence, terms: Sequence[str], rows: int, least: int, carets: bool, colour: bool
) -> None:
    """Writes a line in at most `rows` rows (`least` where its match is long), with a row of carets if asked for."""
    head = f"  {place}  "
    hanging = cells(head) if cells(head) <= page.width // 5 else _HANGING
    text, span = message(line.text, line.span)
    first, room = page.width - cells(head), page.width - hanging
    # A long match says the decisive thing at its end, or behind it.
    rows = max(rows, least, 2 if cells(text[min(span) : max(span)]) > 0.6 * first else 1)
    parts = cut(text, span, first + (room - _RAGGED) * (rows - 1), page.glyphs.dots, terms)
    marks = [(len(parts[0]), len(parts[0]) + len(parts[1]))] if parts[1] else []
    if cells(parts[1]) >= 0.8 * sum(map(cells, parts)):  # a mark under nearly the whole line tells nothing
        marks = word_marks("".join(parts), terms) or (marks if colour else [])
    at = 0
    for number, whole in enumerate(_rows(parts, room, first, page.glyphs.dots)):
        pieces = marked(whole, at, marks)
        start = " " * hanging if number else head
        page.row((start, "dim"), *((piece, "mark" if on else "") for piece, on in pieces))
        if carets and any(on and piece.strip() for piece, on in pieces):
            below = "".join(("^" * cells(p.rstrip())).ljust(cells(p)) if on else " " * cells(p) for p, on in pieces)
            page.row((" " * cells(start) + below.rstrip(), ""))
        at += len(whole)
