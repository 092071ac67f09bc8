"""Plots as inline SVG: no script, no font, no colour that is not the page's own, and a text for who cannot see them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

WIDTH = 720
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 30
COLOURS = 6  # series that have a colour of their own (classes s0 to s5)
OTHER = "other"  # the series of the rest, which is grey

# Hours that are drawn as lines, and how they are called.
_TICKS = (
    (1 / 60, "1 min"), (1 / 6, "10 min"), (1.0, "1 h"), (6.0, "6 h"), (24.0, "1 d"), (168.0, "7 d"), (720.0, "30 d"),
    (8760.0, "1 year"), (87600.0, "10 years"),
)  # fmt: skip

STYLE = """
svg{display:block;width:100%;height:auto;max-width:45rem;font:12px system-ui,sans-serif}
svg text{fill:var(--text)}svg .axis{stroke:var(--line);stroke-width:1}svg .dim{fill:var(--dim)}
.s0{fill:#3b78c2}.s1{fill:#c2563b}.s2{fill:#3f9a63}.s3{fill:#8f63b8}.s4{fill:#b8902c}.s5{fill:#2c9aa6}.other{fill:#8b929c}
svg .mark{stroke:var(--bg);stroke-width:1}svg .median{stroke:var(--fatal);stroke-width:1.5;stroke-dasharray:5 4}
svg .bar{fill:#3b78c2}.key{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1rem;padding:0;margin:.25rem 0}
.key svg{display:inline-block;width:.8em;height:.8em;margin-right:.35em;vertical-align:-.05em}
"""


def stacked(columns: Sequence[str], series: Sequence[tuple[str, Sequence[int]]], label: str) -> str:
    """Columns of counts, each divided by series (`name`, one number for each column)."""
    height = 220
    totals = [sum(values[n] for _, values in series) for n in range(len(columns))]
    most = max([*totals, 1])
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(columns))
    room = height - _TOP - _BOTTOM
    parts = _grid(most, height)
    for n, name in enumerate(columns):
        x, y = _LEFT + n * step + step * 0.15, float(height - _BOTTOM)
        for number, (series_name, values) in enumerate(series):
            tall = room * values[n] / _round_up(most)
            if tall > 0:
                y -= tall
                tip = f"<title>{escape(f'{name}, {series_name}: {values[n]}')}</title>"
                parts.append(_rect(x, y, step * 0.7, tall, colour(number, series_name) + " mark", tip))
        if n % max(1, math.ceil(len(columns) / 12)) == 0:
            parts.append(_text(_LEFT + n * step + step / 2, height - 10, name, "middle"))
    return _svg(height, label, parts)


def bars(rows: Sequence[tuple[str, int]], label: str) -> str:
    """Horizontal bars, one for each name."""
    row, left = 22, 220
    height = _TOP + row * len(rows) + 6
    most = max([count for _, count in rows] + [1])
    parts = []
    for n, (name, count) in enumerate(rows):
        y = _TOP + n * row
        wide = (WIDTH - left - 60) * count / most
        parts.append(_text(left - 8, y + 13, _short(name), "end"))
        parts.append(_rect(left, y + 2, max(2, wide), row - 6, "bar", f"<title>{escape(f'{name}: {count}')}</title>"))
        parts.append(_text(left + max(2, wide) + 6, y + 13, str(count), "start"))
    return _svg(height, label, parts)


def dots(points: Sequence[tuple[float, float, str]], middle: float | None, label: str) -> str:
    """Hours over time on a logarithmic scale; `middle` is a line. A point has seconds since 1970, hours and a text."""
    height, right = 240, WIDTH - 104  # the median is named beside the plot
    hours = [max(hour, 1 / 60) for _, hour, _ in points]
    first = max((n for n, (tick, _) in enumerate(_TICKS) if tick <= min(hours)), default=0)
    last = min((n for n, (tick, _) in enumerate(_TICKS) if tick >= max(hours)), default=len(_TICKS) - 1)
    ticks = _TICKS[first : max(last, first + 1) + 1]
    low, high = math.log10(ticks[0][0]), math.log10(max(ticks[-1][0], *hours))
    times = [seconds for seconds, *_ in points]
    start, span = min(times), max(max(times) - min(times), 1.0)
    room = height - _TOP - _BOTTOM

    def place(hour: float) -> float:
        return height - _BOTTOM - room * (math.log10(max(hour, 1 / 60)) - low) / (high - low)

    parts = []
    for tick, name in ticks:
        y = place(tick)
        parts.append(_line(_LEFT, y, right, y, "axis"))
        parts.append(_text(_LEFT - 6, y + 4, name, "end", "dim"))
    if middle is not None:
        y = place(middle)
        parts.append(_line(_LEFT, y, right, y, "median"))
        parts.append(_text(right + 5, y + 4, f"median {_hours(middle)}", "start"))
    for at, hour, text in points:
        x = _LEFT + 10 + (right - _LEFT - 20) * (at - start) / span
        circle = f'<circle cx="{x:.1f}" cy="{place(hour):.1f}" r="5" class="s0 mark">'
        parts.append(f"{circle}<title>{escape(f'{text}: {_hours(hour)}, {_day(at)}')}</title></circle>")
    days = dict.fromkeys(_day(start + span * part / 4) for part in range(5))
    for n, day in enumerate(days):
        at = n / max(1, len(days) - 1)
        anchor = "start" if n == 0 else "end" if n == len(days) - 1 else "middle"
        parts.append(_text(_LEFT + (right - _LEFT) * at, height - 10, day, anchor))
    return _svg(height, label, parts)


def key(names: Sequence[str]) -> str:
    """What the colours of a stacked plot mean."""
    box = '<svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="{}"/></svg>'
    rows = (f"<li>{box.format(colour(n, name))}{escape(name)}</li>" for n, name in enumerate(names))
    return f'<ul class="key">{"".join(rows)}</ul>'


def colour(number: int, name: str) -> str:
    """The class of a series."""
    return f"s{number % COLOURS}" if name != OTHER else "other"


def _short(name: str) -> str:
    """A name with room beside a bar: without its domain, then without its middle; a GPU stands behind its host."""
    name = name if len(name) <= 32 else re.sub(r"(?<=[a-z0-9])\.[a-z][\w.-]*", "", name, count=1)
    return name if len(name) <= 32 else f"{name[:14]}…{name[-17:]}"


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _hours(hour: float) -> str:
    if hour < 1.5:
        return f"{hour * 60:.0f} min"
    return f"{hour:.1f} h" if hour < 48 else f"{hour / 24:.1f} d"


def _round_up(most: int) -> int:
    return most if most <= 4 else math.ceil(most / 4) * 4


def _grid(most: int, height: int) -> list[str]:
    top = _round_up(most)
    parts = []
    for n in range(0, top + 1, max(1, top // 4)):
        y = height - _BOTTOM - (height - _TOP - _BOTTOM) * n / top
        parts += [_line(_LEFT, y, WIDTH - _RIGHT, y, "axis"), _text(_LEFT - 6, y + 4, str(n), "end", "dim")]
    return parts


def _svg(height: int, label: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'
    return f"{head}{''.join(parts)}</svg>"


def _rect(x: float, y: float, width: float, height: float, name: str, inner: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{name}">{inner}</rect>'


def _line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{name}"/>'


def _text(x: float, y: float, text: str, anchor: str, name: str = "") -> str:
    cls = f' class="{name}"' if name else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{cls}>{escape(text)}</text>'
