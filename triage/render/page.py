"""A page of styled rows of limited width: plain text by itself, colours through rich."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from triage.render.text import cells, clean, fit, sentences, wrap

Span = tuple[str, str]
Row = list[Span]

# Style names of the layout, as rich writes them.
STYLES = {
    "fault": "bold red", "suspect": "bold yellow", "healthy": "bold green", "nothing-understood": "bold yellow",
    "head": "bold", "title": "bold", "mark": "bold reverse", "dim": "dim", "command": "cyan",
    "fatal": "bold red", "error": "red", "warning": "yellow", "info": "",
    "read-only": "green", "restart-job": "yellow", "restart-service": "yellow", "reset-gpu": "bold yellow",
    "reboot": "bold magenta", "firmware": "bold red", "hardware": "bold red",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters beyond ASCII that the layout draws with."""

    dots: str = "…"
    dot: str = " · "
    tee: str = "├─ "
    end: str = "└─ "
    bar: str = "│  "
    times: str = "×"


FANCY = Glyphs()
ASCII = Glyphs("...", ", ", "|- ", "`- ", "|  ", "x")


@dataclass(slots=True)
class Page:
    """Rows under construction. Nothing that is added gets wider than `width` columns, except commands."""

    width: int
    glyphs: Glyphs = FANCY
    rows: list[Row] = field(default_factory=list)

    def row(self, *spans: Span) -> None:
        """One row, cut at the right edge."""
        kept: Row = []
        room = self.width
        for text, style in spans:
            text = clean(text)
            if cells(text) > room:
                dots = self.glyphs.dots
                kept.append((text[: fit(text, max(0, room - len(dots)))] + dots[:room], style))
                break
            room -= cells(text)
            kept.append((text, style))
        self.rows.append(kept)

    def blank(self) -> None:
        """An empty row, never two in a row."""
        if self.rows and self.rows[-1]:
            self.rows.append([])

    def prose(self, text: str, label: str = "", style: str = "", head: str = "head", most: int = 0) -> None:
        """Wrapped text behind a label, the further rows below its beginning; `most` rows, to the end of a sentence."""
        room = self.width - cells(label)
        self._labelled(sentences(text, room, most, self.glyphs.dots) if most else wrap(text, room), label, style, head)

    def items(self, parts: Sequence[str], label: str, most: int, between: str = "") -> None:
        """Things in a row, as many whole ones as fit into `most` rows (the first in any case)."""
        room, count, between = self.width - cells(label), len(parts), between or self.glyphs.dot
        rows = wrap(between.join(parts), room)
        while len(rows) > most and count > 1:
            count -= 1
            rows = wrap(between.join([*parts[:count], self.glyphs.dots]), room)
        self._labelled(rows, label, "", "head")

    def _labelled(self, rows: Sequence[str], label: str, style: str, head: str) -> None:
        for at, row in enumerate(rows):
            self.rows.append([(label if at == 0 else " " * cells(label), head), (row, style)])

    def height(self) -> int:
        """The rows that the page takes on a screen; a command that is wider than it takes several."""
        return sum(max(1, -(-sum(cells(text) for text, _ in row) // self.width)) for row in self.rows)

    def exact(self, text: str, indent: int, style: str = "command") -> None:
        """A row that must not be cut, such as a part of a command."""
        self.rows.append([(" " * indent, ""), (text, style)])


def plain(rows: Sequence[Row]) -> str:
    """The rows as text, without trailing spaces."""
    return "".join("".join(text for text, _ in row).rstrip() + "\n" for row in rows)


def paint(rows: Sequence[Row], file: TextIO) -> None:
    """Writes the rows in colour. Log text is passed as text, never as markup."""
    from rich.console import Console
    from rich.text import Text

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the caller's to judge; rich would leave with status 1, which means a fault here

    console = Screen(
        file=file, force_terminal=True, color_system="standard", highlight=False, soft_wrap=True, width=10_000
    )
    for row in rows:
        line = Text(no_wrap=True, end="\n")
        for text, style in row:
            line.append(text, STYLES.get(style, ""))
        console.print(line)
