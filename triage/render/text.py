"""Text from logs made fit for showing: no control characters, a known width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from triage import lazy

# Whole terminal sequences (CSI, OSC, DCS), so that no "[31m" stays behind when the escape character goes.
_SEQUENCES = lazy.pattern(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\")
_SPACES = lazy.pattern(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# C0, C1, soft hyphen, zero width, bidi controls, interlinear and tag characters, lone surrogates.
UNSAFE = lazy.pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
# Where a sentence ends and another begins; not after "e.g." and the like.
_SENTENCE = lazy.pattern(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<! vs)[.!?。][\"')`]*(?: +(?=[\"'(`A-Z0-9])|(?<=。))")
# Chinese, Japanese and Korean are broken between characters, but no row begins with a closing mark or ends with an
# opening one.
_OPEN, _CLOSE = "（《「『【〈〔“‘", "，。；：、？！）》」』】〉〕”’"
_WIDE = "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6"
_PIECE = lazy.pattern(f"[{_OPEN}]*(?:[{_WIDE}](?<![{_OPEN}])|[^{_WIDE}{_OPEN}]+)?[{_CLOSE}]*")


def clean(text: str) -> str:
    """`text` on one line without anything that a terminal would obey (ECMA-48, Unicode bidi controls)."""
    if text.isascii() and text.isprintable():
        return text
    return UNSAFE.sub("", _SPACES.sub(" ", _SEQUENCES.sub("", text)))


def cells(text: str) -> int:
    """The columns that `text` takes on a terminal: 2 for wide characters, 0 for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int) -> int:
    """How many leading characters of `text` fit into `width` columns."""
    used = 0
    for index, char in enumerate(text):
        used += _cell(char)
        if used > width:
            return index
    return len(text)


def shorten(text: str, width: int, dots: str = "…") -> str:
    """`text` cut at its end to `width` columns."""
    if cells(text) <= width:
        return text
    return text[: fit(text, max(0, width - len(dots)))].rstrip() + dots


def shorten_left(text: str, width: int, dots: str = "…") -> str:
    """`text` cut at its beginning to `width` columns; for paths, whose end tells more."""
    if cells(text) <= width:
        return text
    return dots + text[len(text) - fit(text[::-1], max(0, width - len(dots))) :]


def wrap(text: str, width: int) -> list[str]:
    """`text` in rows of at most `width` columns; words longer than a row are broken."""
    rows: list[str] = []
    row = ""
    width = max(2, width)
    for gap, word in _pieces(clean(text)):
        if row and cells(row) + len(gap) + cells(word) <= width:
            row += gap + word
            continue
        if row:
            rows.append(row)
        while cells(word) > width:
            size = fit(word, width)
            rows.append(word[:size])
            word = word[size:]
        row = word
    return [*rows, row] if row else rows


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """What may begin a row, each with what stands before it inside a row."""
    for word in text.split():
        if word.isascii():
            yield " ", word
        else:
            for at, piece in enumerate(filter(None, _PIECE.findall(word))):
                yield "" if at else " ", piece


def sentences(text: str, width: int, most: int, dots: str = "…") -> list[str]:
    """`text` in at most `most` rows, cut at the end of a sentence; one row more to bring a sentence to its end.

    Where that would leave rows empty, it is cut at the end of a clause, at last between words.
    """
    text = " ".join(clean(text).split())
    rows = wrap(text, width)
    if len(rows) <= most + (most > 1):
        return rows
    shown: list[str] = []
    end = 0
    for found in _SENTENCE.finditer(text):
        tried = wrap(text[: found.end()].rstrip() + f" {dots}", width)
        if tried[-1] == dots:
            tried.pop()  # no row for the sign alone
        if len(tried) > most + 1 or len(shown) >= most:
            break
        shown, end = tried, found.end()
    if len(shown) < most:
        room = " ".join([*rows[: most - 1], wrap(rows[most - 1], max(2, width - len(dots)))[0]])
        clause = max(room.rfind(mark) for mark in (", ", "; ", ": ", "，", "；"))
        if clause > end:
            return wrap(room[:clause] + dots, width)
        if not shown:
            return wrap(room.rstrip(" ,;:") + dots, width)
    return shown


def compact(numbers: Sequence[int]) -> str:
    """`[0, 2, 3, 4]` -> `0,2-4`."""
    parts: list[str] = []
    ordered = sorted(set(numbers))
    at = 0
    while at < len(ordered):
        end = at
        while end + 1 < len(ordered) and ordered[end + 1] == ordered[end] + 1:
            end += 1
        run = str(ordered[at]) if end == at else f"{ordered[at]}{'-' if end > at + 1 else ','}{ordered[end]}"
        parts.append(run)
        at = end + 1
    return ",".join(parts)
