"""Two panes of a terminal side by side (tmux, screen), copied as one text: the lines of each for themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from triage.sources.rows import Assembler, Row
from triage.sources.wrapped import columns

_BORDERS = "│┃"
_LEAST = 20  # columns of a pane
_FEW = 4  # lines that tell nothing


def border_of(texts: Sequence[str]) -> int:
    """The column of the border between two panes that nearly all lines show, or 0."""
    full = [text for text in texts if text.strip()]
    places = [found for text in full if (found := _borders(text))]
    if len(full) < _FEW or len(places) < 0.9 * len(full) or any(len(found) != 1 for found in places):
        return 0
    column, count = Counter(found[0] for found in places).most_common(1)[0]
    right = sum(1 for text in full if _split(text, column)[1].strip())
    return column if column >= _LEAST and count >= 0.9 * len(full) and right >= 2 else 0


class Panes(Assembler):
    """The left pane as it stands, the right one as another container: its messages go on only among themselves."""

    def __init__(self, column: int) -> None:
        self.column = column

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            left, right = _split(row.text, self.column)
            out.append(Row(row.number, left.rstrip(), row.raw))
            if right.strip():
                told = {"message": right.rstrip(), "container": "right pane"}
                out.append(Row(row.number, json.dumps(told, ensure_ascii=False), row.raw))
        return out


def _borders(text: str) -> list[int]:
    """The columns in which a border stands; none for boxes, which begin with one."""
    if text[:1] in tuple(_BORDERS):
        return []
    return [columns(text[:i]) for i, char in enumerate(text) if char in _BORDERS]


def _split(text: str, column: int) -> tuple[str, str]:
    for i, char in enumerate(text):
        if char in _BORDERS and columns(text[:i]) == column:
            return text[:i], text[i + 1 :]
    return text, ""
