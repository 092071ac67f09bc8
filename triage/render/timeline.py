"""The timeline as a drawing: a lane for each GPU, rank or host, a numbered mark for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from math import log1p

from triage.model import Report
from triage.render.diagram import WIDE
from triage.render.lanes import Event, Track
from triage.render.lang import say
from triage.render.svg import SMALL, label, picture
from triage.render.text import shorten
from triage.render.web import plain

_RADIUS = 9
_STEP = 2 * _RADIUS + 3  # pixels between marks, and between rows of marks
_SIDE = 190  # pixels of the names of lanes, where they stand at the side
_TICK = 92  # pixels between two times
_UNIT = 0.05  # seconds: gaps below look alike, longer ones grow with their logarithm
_TOP = 30


def positions(moments: Sequence[float], left: float, right: float) -> dict[float, float]:
    """Where each moment stands: in order, long gaps shortened (their logarithm), so that no hour hides a second."""
    ordered = sorted(set(moments))
    gaps = [log1p((b - a) / _UNIT) for a, b in pairwise(ordered)]
    total, at = sum(gaps), 0.0
    places = {ordered[0]: left if total else (left + right) / 2}
    for moment, gap in zip(ordered[1:], gaps, strict=True):
        at += gap
        places[moment] = left + (right - left) * at / total
    return places


def clock(moment: float, boot: bool, report: Report) -> str:
    """`10:02:11`, or `812.3 s` after boot."""
    if boot:
        return f"{moment:.1f} s"
    zone = report.stats.get("zone")
    shift = timezone(timedelta(seconds=zone)) if isinstance(zone, (int, float)) else UTC
    return f"{(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)).astimezone(shift):%H:%M:%S}"


def _ticks(places: dict[float, float], boot: bool, report: Report, bottom: float) -> list[str]:
    drawn, last = [], float("-inf")
    for moment, x in sorted(places.items()):
        if x - last >= _TICK:
            drawn.append(f'<path class="tick" d="M{x:.1f} {_TOP - 8}V{bottom:.1f}"/>')
            drawn.append(label(x, _TOP - 13, clock(moment, boot, report), "dim", "middle"))
            last = x
    return drawn


def _rows(events: Sequence[Event], places: dict[float, float]) -> list[tuple[Event, float, int]]:
    """Each event with its place and the row of its lane in which it hides no other."""
    ends: list[float] = []
    placed = []
    for event in events:
        x = places[event.first]
        row = next((at for at, end in enumerate(ends) if x - end >= _STEP), len(ends))
        ends[row : row + 1] = [max(x, places[event.last])]
        placed.append((event, x, row))
    return placed


def _mark(event: Event, number: int, style: str, spot: tuple[float, float], end: float, title: str) -> str:
    x, y = spot
    bar = f'<path class="span" d="M{x:.1f} {y:.1f}H{end:.1f}"/>' if end - x > _RADIUS else ""
    text = label(x, y + 4, str(number), "number", "middle")
    return (
        f'<g class="mark {style}"><title>{plain(title)}</title>{bar}'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}"/>{text}</g>'
    )


def timeline(
    report: Report, track: Track, numbers: dict[str, int], styles: dict[str, str], width: int, name: str
) -> str:
    """The lanes of one clock as inline SVG. `numbers` and `styles` hold for each finding its mark and its class."""
    side = _SIDE if width == WIDE else 0
    moments = [moment for lane in track.lanes for event in lane.events for moment in (event.first, event.last)]
    places = positions(moments, side + _RADIUS + 34, width - 34)
    drawn: list[str] = []
    y = float(_TOP)
    for at, lane in enumerate(track.lanes):
        head = 0 if side else 20
        placed = _rows(lane.events, places)
        height = head + _STEP * (1 + max(row for _, _, row in placed)) + 8
        drawn.append(f'<rect class="lane{at % 2}" x="0" y="{y:.1f}" width="{width}" height="{height:.1f}"/>')
        name_of_lane = shorten(lane.name, int(((side or width) - 8) / SMALL))
        drawn.append(label(6, y + (height / 2 + 4 if side else 15), name_of_lane, "lane"))
        for event, x, row in placed:
            spot = (x, y + head + 4 + _STEP * row + _STEP / 2)
            title = f"{clock(event.first, track.boot, report)} {event.finding}"
            title += f", {event.lanes} {say('lanes')}" if event.lanes > 1 else ""
            number, style = numbers.get(event.finding, 0), styles.get(event.finding, "")
            drawn.append(_mark(event, number, style, spot, places[event.last], title))
        y += height
    ticks = _ticks(places, track.boot, report, y)
    lanes, events = len(track.lanes), sum(len(lane.events) for lane in track.lanes)
    title = f"{say('Timeline')}: {events} {say('marks')}, {lanes} {say('lanes')}"
    rects = [part for part in drawn if part.startswith("<rect")]
    rest = [part for part in drawn if not part.startswith("<rect")]
    return picture(width, y + 2, name, title, [*rects, *ticks, *rest], "wide" if side else "narrow")
