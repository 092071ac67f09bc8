"""Lines that a terminal cut at its width, put together again."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from triage import lazy
from triage.sources.rows import Assembler, Row
from triage.sources.stamps import is_inner

_BEGINS = lazy.pattern(
    r"  File \"|During handling of|The above exception|frame #[0-9]+:|[$#>] |\S+@\S+:|[+|]-|\| |Exception raised from"
    r"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}\b|(?:INFO|WARNING|ERROR|DEBUG)\b|[^\W\d][^:\n]{0,30}:(?: {2,}|\t)"
)
_ROW = 20  # columns in which the rows of one table are compared
_TABLE_END = ("|", "+", "-", "=", "│", "╮", "╯", "*", "#")


class Wrapped(Assembler):
    """Lines that a terminal cut at its width: a full line and the next one are one, unless that one begins anew."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._held: list[Row] = []

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        out: list[Row] = []
        for row in rows:
            if self._held and (begins(row.text) or _alike(self._held[0].text, row.text)):
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


def begins(text: str) -> bool:
    """Whether the line is not the rest of one that was cut."""
    return not text.strip() or is_inner(text) or _BEGINS.match(text) is not None


def columns(text: str) -> int:
    """The width of a text in a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def width_of(texts: Sequence[str]) -> int:
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
    anew = sum(1 for i in full if begins(texts[i + 1]) or _shape(texts[i + 1]) in starts or _alike(*texts[i : i + 2]))
    return width if anew <= 0.34 * len(full) else 0


def _alike(text: str, below: str) -> bool:
    """Whether two lines begin as rows of one table do: numbers and blanks in the same columns."""
    one, other = (re.sub(r"[0-9]", "0", line[:_ROW]) for line in (text, below))
    return one == other and "0" in one and "  " in one


def _shape(text: str) -> str:
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"[0-9]+", "0", text[:14]))[:5]
