"""Standard streams: what the terminal can show, writing that survives closed pipes and narrow encodings."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triage.model import Source
    from triage.render.page import Row

_WIDEST = 120  # columns; longer rows are hard to read
_PIPED = 100  # columns when there is no terminal and COLUMNS is not set
_UNCUT = 10_000  # columns of a row that nobody looks at as it is
_BEYOND = re.compile(r"[^\x00-\x7f]")
_BIG = 4 << 20  # bytes of one input from which a progress bar is worth its place


class Colour(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


@dataclass(frozen=True, slots=True)
class Screen:
    """What standard output can show: columns, rows above the prompt, colours, and characters beyond ASCII."""

    width: int
    height: int
    colour: bool
    fancy: bool


def prepare() -> None:
    """Makes a character that the console does not know a `?` instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def screen(colour: Colour) -> Screen:
    """What standard output can show; NO_COLOR, FORCE_COLOR and TERM=dumb count when `colour` is auto."""
    columns, lines = shutil.get_terminal_size((_PIPED, 0))
    encoding = (getattr(sys.stdout, "encoding", "") or "ascii").lower()
    on = colour is Colour.always or (colour is Colour.auto and _wants_colour())
    return Screen(max(40, min(columns, _WIDEST)), lines - 1, on, encoding.startswith(("utf", "cp65001")))


def row_width(out: Screen) -> int:
    """Columns for a list of one row each: rows are cut for a screen only, not for `grep` behind a pipe."""
    return out.width if sys.stdout.isatty() or "COLUMNS" in os.environ else _UNCUT


def spoken(lang: str, quiet: bool = False) -> str:
    """The language to write in: `lang`, or English with a note where the console knows no Chinese characters."""
    encoding = getattr(sys.stdout, "encoding", "") or "ascii"
    try:
        "\u6839\u56e0".encode(encoding if lang == "zh" else "utf-8")
    except (UnicodeEncodeError, LookupError):
        if not quiet:
            note(f"{encoding} has no Chinese characters, so this is English; PYTHONIOENCODING=utf-8 overrides")
        return "en"
    return lang


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _escaped(text: str, kind: str) -> str:
    """`text` in ASCII, if it is HTML or JSON: they are UTF-8 by definition, and standard output is not."""
    if kind == "html":
        return text.encode("ascii", "xmlcharrefreplace").decode()
    return _BEYOND.sub(lambda found: json.dumps(found[0])[1:-1], text) if kind == "json" else text


def write(text: str, kind: str = "") -> None:
    """Writes data to standard output. A reader that has closed the pipe has seen enough: that is no error.

    With `kind` html or json no character is lost where standard output is not UTF-8.
    """
    utf8 = (getattr(sys.stdout, "encoding", "") or "ascii").lower().replace("-", "") == "utf8"
    data = text if utf8 else _escaped(text, kind)
    _quietly(lambda: sys.stdout.write(data))


def write_exactly(text: str) -> None:
    """Writes data to standard output in UTF-8, whatever the console's encoding; other bytes as they were read."""
    data = text.encode("utf-8", "surrogateescape")
    _quietly(lambda: sys.stdout.buffer.write(data))


def write_rows(rows: Sequence[Row], colour: bool) -> None:
    """Writes a page, with colours when `colour` is set."""
    from triage.render.page import paint, plain

    if colour:
        _quietly(lambda: paint(rows, sys.stdout))
    else:
        write(plain(rows))


def _quietly(action: Callable[[], object]) -> None:
    try:
        action()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at exit, which would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str) -> None:
    """Writes a note for the person to standard error."""
    from triage.render.text import clean

    print(f"triage: {clean(text)}", file=sys.stderr)


def unread(sources: Iterable[Source]) -> None:
    """Notes why each of the sources that could not be read was not."""
    from triage.render.words import remark

    for source in sources:
        if not source.readable:
            note(remark(source, "standard input" if source.name == "-" else source.name))


class Progress:
    """A bar on standard error while a large input is read; nothing for small ones or without a terminal."""

    def __init__(self, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __call__(self, name: str, done: int, total: int) -> None:
        """Tells that `done` of `total` bytes of the input `name` are read."""
        if not self._shown or total < _BIG:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.start()
        if name not in self._tasks:
            from rich.markup import escape

            self._tasks[name] = self._bar.add_task(escape(os.path.basename(name)[-30:]), total=total)
        self._bar.update(self._tasks[name], completed=done)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
