"""What happened where and when: events of a report in lanes, one for each GPU, rank or host, alike ones in one lane."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from triage.model import Report
from triage.render.lang import say
from triage.render.text import clean, compact

MOST = 12  # lanes; a drawing with more is not read
_LISTED = 8  # numbers in the name of a lane, from which they are counted too
_FEW = 3  # names of lanes that are told one by one
_LANE = re.compile(r"(\w+?)s? (\S+)")
_BOOT = re.compile(r"\+([0-9.]+) s")


@dataclass(slots=True)
class Event:
    """All sightings of a finding in a lane: first and last in seconds, and in how many lanes they were."""

    finding: str
    first: float
    last: float
    lanes: int = 1


@dataclass(slots=True)
class Lane:
    name: str
    events: list[Event] = field(default_factory=list)

    @property
    def first(self) -> float:
        return min(event.first for event in self.events)


@dataclass(slots=True)
class Track:
    """The lanes of one clock: `boot` counts from the start of a machine, else times are in UTC or what stood for it."""

    boot: bool
    lanes: list[Lane]


def seconds(time: str) -> tuple[float, bool] | None:
    """A time of a report in seconds, and whether these count from boot; None for what is no time."""
    boot = _BOOT.fullmatch(time)
    if boot:
        return float(boot[1]), True
    try:
        moment = datetime.fromisoformat(time)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), False
    except (ValueError, OverflowError):
        return None


def tracks(report: Report) -> list[Track]:
    """The lanes of each clock in the order of their first events; none where nothing has a time."""
    found: dict[bool, dict[str, dict[str, Event]]] = {}
    ends = {(f.id, f.first.time): f.last.time for f in (*report.findings, *report.earlier) if f.first and f.last}
    for row in report.timeline:
        time, name = str(row.get("time", "")), str(row.get("finding", ""))
        when = seconds(time)
        if when is None:
            continue
        moment, boot = when
        end = seconds(ends.get((name, time), time))
        lane = found.setdefault(boot, {}).setdefault(clean(str(row.get("lane", ""))), {})
        event = lane.setdefault(name, Event(name, moment, moment))
        event.first = min(event.first, moment)
        event.last = max(event.last, moment, end[0] if end and end[1] == boot else moment)
    return [Track(boot, _lanes(found[boot])) for boot in sorted(found)]


def _lanes(found: dict[str, dict[str, Event]]) -> list[Lane]:
    """Lanes of one kind that saw the same findings become one; of too many the latest become one."""
    alike: dict[tuple[str, frozenset[str]], list[str]] = {}
    for name, events in found.items():
        kind = _LANE.fullmatch(name)
        alike.setdefault((kind[1] if kind else name, frozenset(events)), []).append(name)
    lanes = [Lane(_together(kind, names), _merged(found[name] for name in names)) for (kind, _), names in alike.items()]
    lanes.sort(key=lambda lane: lane.first)
    rest = lanes[MOST - 1 :]
    if len(rest) > 1:
        together = _merged({event.finding: event for event in lane.events} for lane in rest)
        lanes[MOST - 1 :] = [Lane(f"{len(rest)} {say('more lanes')}", together)]
    return lanes


def _merged(parts: Iterable[dict[str, Event]]) -> list[Event]:
    """The events of several lanes as those of one, in the order of time."""
    out: dict[str, Event] = {}
    for part in parts:
        for name, event in part.items():
            old = out.setdefault(name, Event(name, event.first, event.last, 0))
            old.first, old.last = min(old.first, event.first), max(old.last, event.last)
            old.lanes += event.lanes
    return sorted(out.values(), key=lambda event: event.first)


def _together(kind: str, names: Sequence[str]) -> str:
    """`ranks 0-5,7`, `GPU 0000:3b:00, 0000:5e:00`, `8 GPUs`."""
    if len(names) == 1:
        return names[0]
    values = [name.partition(" ")[2] for name in names]
    numbers = [int(part) for value in values for part in value.split(",") if part.isdecimal()]
    if len(numbers) == sum(len(value.split(",")) for value in values):
        many = f"{len(set(numbers))} {kind}s: " if len(set(numbers)) > _LISTED else f"{kind}s "
        return many + compact(numbers)
    return f"{kind} {', '.join(values)}" if len(values) <= _FEW else f"{len(values)} {kind}s"
