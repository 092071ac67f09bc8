"""Pieces of inline SVG. Colours come from the style of the page, so that they follow light, dark and print."""

from __future__ import annotations

from collections.abc import Sequence

from triage.render.text import shorten, wrap
from triage.render.web import plain

COLUMN = 7.3  # pixels of a column of text at 13 px, in the wide ones of the usual fonts
SMALL = 6.4  # the same at 11 px
ROW, SMALL_ROW = 17, 15  # pixels from one line of text to the next


def fitted(text: str, pixels: float, most: int, column: float = COLUMN) -> list[str]:
    """`text` in at most `most` lines of that many pixels; the last one is cut."""
    width = max(4, int(pixels / column))
    rows = wrap(text, width)
    return [*rows[: most - 1], shorten(" ".join(rows[most - 1 :]), width)] if len(rows) > most else rows


def label(x: float, y: float, text: str, style: str = "", anchor: str = "") -> str:
    """A line of text; `y` is its base line."""
    also = (f' class="{style}"' if style else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{also}>{plain(text)}</text>'


def arrow(points: str, x: float, y: float, down: bool = False, style: str = "edge") -> str:
    """A path that ends at (x, y) with a head, from the left or from above."""
    corners = ((x - 4, y - 7), (x + 4, y - 7)) if down else ((x - 7, y - 4), (x - 7, y + 4))
    head = " ".join(f"{a:.1f},{b:.1f}" for a, b in ((x, y), *corners))
    return f'<path class="{style}" d="{points}"/><polygon class="head" points="{head}"/>'


def picture(width: float, height: float, name: str, title: str, parts: Sequence[str], style: str = "") -> str:
    """The whole drawing, at most as wide as it is drawn; `title` is what a screen reader says of it."""
    size = f'viewBox="-2 -2 {width + 4:.0f} {height + 4:.0f}" width="{width + 4:.0f}" height="{height + 4:.0f}"'
    head = f'<title id="{name}">{plain(title)}</title>'
    return f'<svg class="{style}" {size} role="img" aria-labelledby="{name}">{head}{"".join(parts)}</svg>'
