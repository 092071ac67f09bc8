"""Whether the times of a cause and an effect fit the link between them, on clocks that may differ."""

from __future__ import annotations

import math
from collections.abc import Iterable

from triage import incidents
from triage.identity import values
from triage.incidents import Group
from triage.library.library import Link

Edge = tuple[Group, Group, str, Link | None]  # cause, effect, strength

_SLACK = 60.0  # clocks of files that claim one clock may still differ a little
_VAGUE = 120.0
_LONG = 7200.0  # a job without times may take so long to end after its cause: collectives wait
# Zones of the world, as offsets of local time from UTC and back: a container logs in UTC, its host in local time.
_HALF_ZONES = (3.5, 4.5, 5.5, 6.5, 9.5)
_ZONES = [3600.0 * h for z in (*range(1, 15), *_HALF_ZONES) for h in (-z, z)]


def timely(link: Link, cause: Group, effect: Group) -> bool | None:
    """Whether the times fit the link; None where they are not known well enough."""
    span = _span(link, cause, effect)
    if span is None:
        return None
    earliest, latest, low, high = span
    if low <= earliest and latest <= high:
        return True
    if earliest <= high and low <= latest:
        return None
    if not _unlike_clocks(cause, effect):
        return False
    if not incidents.same_device(cause, effect):  # two doubts would let almost anything fit
        seconds = incidents.gap(cause, effect) or 0.0
        earliest, latest = max(earliest, seconds - _VAGUE), min(latest, seconds + _VAGUE)
    return None if any(earliest + zone <= high and low <= latest + zone for zone in _ZONES) else False


def strained(link: Link | None, cause: Group, effect: Group) -> bool:
    """Whether the times fit only if the two clocks are of different zones."""
    span = _span(link, cause, effect) if link is not None else None
    return span is not None and not (span[0] <= span[3] and span[2] <= span[1])


def _span(link: Link, cause: Group, effect: Group) -> tuple[float, float, float, float] | None:
    """The least and the most seconds from cause to effect, and the bounds that the link sets, where both are known."""
    seconds = incidents.gap(cause, effect)
    if seconds is None or (link.window is None and not link.until):
        return None
    low, high = link.window or (-_SLACK, _limit(link, effect))
    if link.window and cause.last and cause.first:  # a cause that goes on explains until its last sign
        high += cause.last.seconds - cause.first.seconds
    early, late = cause.loose[1] + effect.loose[0], cause.loose[0] + effect.loose[1]
    return seconds - early, seconds + late, low - 1.0, high + 1.0


def _limit(link: Link, effect: Group) -> float:
    """How long a link without a window lasts: a collective waits for its time limit, a process soon ends."""
    if link.until == "timeout":
        told = effect.entities.get("timeout_ms")
        return 2.0 * told / 1000.0 + 600.0 if isinstance(told, (int, float)) else 7200.0
    return 3600.0 if link.until == "exit" else math.inf


def _unlike_clocks(a: Group, b: Group) -> bool:
    """Whether a stamp without a zone may be of another zone: of machine and job, or of two hosts."""
    naive = any(one.first is not None and (one.first.kind == "naive" or one.first.assumed) for one in (a, b))
    mine, other = values(a.entities, "host"), values(b.entities, "host")
    apart = bool(mine and other) and not mine & other
    return naive and a.source != b.source and (apart or incidents.by_machine(a) != incidents.by_machine(b))


def settled(edges: Iterable[Edge]) -> list[Edge]:
    """Without the weaker of several causes of one effect, as far as their times tell.

    Of events on a clock that the effect does not have (seconds since boot, or a job's log without times) only the last
    ones can have done it; links that hold until something is repaired are left alone. And who fits the clock as it
    stands comes before who fits only in another time zone.
    """
    edges = list(edges)
    newest: dict[tuple[int, str], float] = {}
    fitting: set[int] = set()
    for cause, effect, _, link in edges:
        if _aloof(cause, effect, link) and cause.last:
            key = (id(effect), _clock(cause))
            newest[key] = max(newest.get(key, -math.inf), cause.last.seconds)
        if link is not None and _span(link, cause, effect) is not None and not strained(link, cause, effect):
            fitting.add(id(effect))

    def stays(edge: Edge) -> bool:
        cause, effect, _, link = edge
        if id(effect) in fitting and strained(link, cause, effect):
            return False
        if not _aloof(cause, effect, link) or cause.last is None:
            return True
        recent = newest[id(effect), _clock(cause)] - (incidents.SILENCE if cause.last.kind == "boot" else _LONG)
        return cause.last.seconds >= recent

    return [edge for edge in edges if stays(edge)]


def _aloof(cause: Group, effect: Group, link: Link | None) -> bool:
    """Whether a link with a window joins an event on one clock to something outside of that clock."""
    windowed = link is not None and link.window is not None
    return windowed and cause.first is not None and incidents.gap(cause, effect) is None


def _clock(one: Group) -> str:
    """Which clock the times of a group are of; each log that counts from boot has its own."""
    kind = one.first.kind if one.first else ""
    return one.source if kind == "boot" else f"({kind})"
