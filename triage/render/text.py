"""Text from logs made fit for showing: no control characters, a known width, safe quoting."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

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
# Where a sentence ends and another begins; not after "e.g." and the like.
_SENTENCE = lazy.pattern(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<! vs)[.!?。][\"')`]*(?: +(?=[\"'(`A-Z0-9])|(?<=。))")
_MESSAGES = ("MESSAGE", "message", "msg", "log", "textPayload")  # journald, common loggers, Docker, Google Cloud
_FOCUS = 30  # columns from which a match is worth two pieces
# Chinese, Japanese and Korean are broken between characters, but no row begins with a closing mark or ends with an
# opening one.
_OPEN, _CLOSE = "（《「『【〈〔“‘", "，。；：、？！）》」』】〉〕”’"
_WIDE = "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6"
_PIECE = lazy.pattern(f"[{_OPEN}]*(?:[{_WIDE}](?<![{_OPEN}])|[^{_WIDE}{_OPEN}]+)?[{_CLOSE}]*")
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


def message(text: str, span: tuple[int, int]) -> tuple[str, tuple[int, int]]:
    """The message of a line that is a JSON object of a journal or container log, with the span in it; else the same."""
    if not text.lstrip().startswith("{"):
        return text, span
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text, span
    for key in _MESSAGES:
        value = data.get(key)
        if isinstance(value, list) and all(isinstance(n, int) and 0 <= n < 256 for n in value):
            value = bytes(value).decode("utf-8", "replace")
        if isinstance(value, str) and value.strip():
            part = text[min(span) : max(span)]
            at = value.find(part) if part else -1
            return value, (at, at + len(part)) if at >= 0 else (0, len(value))
    return text, span


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


def command_line(step: Step, windows: bool = False) -> str:
    """The command of a step to paste, quoted for the shell of the place where it runs."""
    words = [clean(word) for word in step.command or []]
    return shell_line(words, "powershell" if windows or step.where == "windows" else "posix")


def break_command(command: str, width: int, windows: bool = False) -> list[str]:
    """`command` in rows of at most `width` columns that still paste as one command.

    Rows are joined by the shell's own continuation mark. Python code behind `-c` is broken between the arguments of
    a call, where Python allows it. Any other longer word is left whole: a cut would change what is run; the terminal
    then wraps it itself.
    """
    mark = " `" if windows else " \\"
    rows: list[str] = []
    row = ""
    words = _SHELL_WORD.findall(clean(command))
    for at, word in enumerate(words):
        if not row:
            row = word
        elif cells(row) + 1 + cells(word) + len(mark) <= width:
            row += " " + word
        else:
            rows.append(row + mark)
            row = "  " + word
            if not windows and cells(row) > width and at > 1 and words[at - 1] == "-c" and "python" in words[at - 2]:
                *whole, row = _break_code(word, width - 4)
                rows += [f"  {piece}" for piece in whole]
                row = "  " + row
    return [*rows, row] if row else []


def _break_code(word: str, width: int) -> list[str]:
    """A quoted word of Python code, broken behind commas that stand inside brackets and outside of strings."""
    rows: list[str] = []
    row, piece, depth, inside = "", "", 0, ""
    for at, char in enumerate(word):
        piece += char
        if inside:
            inside = "" if char == inside else inside
        elif char in "'\"" and 0 < at < len(word) - 1:
            inside = char
        depth += 0 if inside else (char in "([{") - (char in ")]}")
        if (char == " " and word[at - 1] == "," and depth > 0 and not inside) or at == len(word) - 1:
            if row and cells(row) + cells(piece.rstrip()) > width:
                rows.append(row.rstrip())
                row = "  "
            row += piece
            piece = ""
    return [*rows, row]


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
