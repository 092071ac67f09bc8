"""Text from logs made fit for showing: no control characters, a known width, safe quoting."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from triage import lazy
from triage.advise import shell_line
from triage.model import Step

# Whole terminal sequences (CSI, OSC, DCS), so that no "[31m" stays behind when the escape character goes.
_SEQUENCES = lazy.pattern(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\")
_LEFT = 12  # columns kept before a match when what follows it is long
_SPACES = lazy.pattern(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# C0, C1, soft hyphen, zero width, bidi controls, interlinear and tag characters, lone surrogates.
UNSAFE = lazy.pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_SHELL_WORD = lazy.pattern(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+""")


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


def cut(text: str, span: tuple[int, int], width: int, dots: str = "…") -> tuple[str, str, str]:
    """`text` cleaned and cut to `width` columns around `span`: what stands before, in and after the match."""
    start, end = max(0, min(span)), max(0, *span)
    before, match, after = clean(text[:start]).lstrip(), clean(text[start:end]), clean(text[end:]).rstrip()
    if not before:
        match = match.lstrip()
    if cells(before) + cells(match) + cells(after) <= width:
        return before, match, after
    room = max(1, width - 2 * len(dots))
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


def marked_rows(parts: tuple[str, str, str], width: int) -> list[tuple[str, str, str]]:
    """The parts of `cut` in rows of at most `width` columns, broken at spaces where there are some."""
    before, match, after = parts
    text, start, end = before + match + after, len(before), len(before) + len(match)
    rows, at = [], 0
    while at < len(text):
        size = fit(text[at:], width)
        stop = at + max(1, size)
        space = text.rfind(" ", at + size * 2 // 3, stop)
        if stop < len(text) and space > at:
            stop = space + 1
        a, b = min(max(start, at), stop), min(max(end, at), stop)
        rows.append((text[at:a], text[a:b], text[b:stop]))
        at = stop
    return rows


def wrap(text: str, width: int) -> list[str]:
    """`text` in rows of at most `width` columns; words longer than a row are broken."""
    rows: list[str] = []
    row = ""
    width = max(2, width)
    for word in clean(text).split():
        if row and cells(row) + 1 + cells(word) <= width:
            row += " " + word
            continue
        if row:
            rows.append(row)
        while cells(word) > width:
            size = fit(word, width)
            rows.append(word[:size])
            word = word[size:]
        row = word
    return [*rows, row] if row else rows


def command_line(step: Step) -> str:
    """The command of a step to paste, quoted for the shell of the place where it runs."""
    words = [clean(word) for word in step.command or []]
    return shell_line(words, "powershell" if step.where == "windows" else "posix")


def break_command(command: str, width: int, windows: bool = False) -> list[str]:
    """`command` in rows of at most `width` columns that still paste as one command.

    Rows are joined by the shell's own continuation mark. A single longer word is left whole: a cut would
    change what is run; the terminal then wraps it itself.
    """
    mark = " `" if windows else " \\"
    rows: list[str] = []
    row = ""
    for word in _SHELL_WORD.findall(clean(command)):
        if not row:
            row = word
        elif cells(row) + 1 + cells(word) + len(mark) <= width:
            row += " " + word
        else:
            rows.append(row + mark)
            row = "  " + word
    return [*rows, row] if row else []


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
