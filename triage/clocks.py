"""One clock for all sources: years and zones that stamps leave out, and seconds since boot.

A kernel's ring counts from boot, a syslog names no year and no zone, a container logs in UTC. What ties them together
is told by the input itself: lines that stand in two sources, the line with which the kernel sets its clock, the boot
time that /proc/stat gives, stamps that name their zone.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from statistics import median

from triage import clock, lazy
from triage.model import Record, Stamp

_DAY = 86400.0
_QUARTER = 900.0  # zones of the world differ from UTC by whole quarters of an hour
_SAME = 2.0  # seconds by which the stamps of one event may differ between two logs of it
_DRIFT = 120.0  # an RTC that nobody has set for long
_SHORT, _LONG = 16, 240  # characters of a message by which it is known again
_MOST = 8  # sources in which one line is compared
_MACHINE = ("kernel", "syslog")
# Stamps of syslog (`Mar 11 10:02:11`), glog (`E0311 10:02:11.1`, torch's `E311`) and vLLM (`03-11 10:02:11`).
_NO_YEAR = lazy.pattern(r"[IWEFCDV]?\d{3,4} +\d|\d\d-\d\d \d|[^\s\d]+ *\d{1,2} +\d{1,2}:\d\d:\d\d(?:[.,]\d+)?$")
# drivers/rtc/class.c, rtc_hctosys; /proc/stat.
_SET = lazy.pattern(r"setting system clock to [0-9T :-]{19} UTC \((\d{9,10})\)")
_BTIME = lazy.pattern(r"(?m)^btime (\d{9,10})$")
# `ls --full-time` of NVIDIA's bug report, timedatectl.
_ZONE = lazy.pattern(r"\*\*\* ls: \S+ .{10,80} \d\d:\d\d:\d\d\.\d+ ([+-]\d{4}) /|Time zone: \S+ \(\w+, ([+-]\d{4})\)")
_DATE = lazy.pattern(r"\*\*\* ls: \S+ .{10,80} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.|setting system clock to (\S+)[ T]")

Node = tuple[str, str]  # a source and the kind of its stamps


@dataclass(slots=True)
class _Clock:
    """The stamps of one kind in one source, and what is to be added to them."""

    node: Node
    records: list[Record] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    offset: float | None = None
    absolute: bool = False
    how: str = ""
    assumed: bool = False

    def put(self, offset: float, absolute: bool, how: str) -> None:
        self.offset, self.absolute, self.how = offset, absolute, how


def yearless(stamp: Stamp) -> bool:
    """Whether a stamp was printed without its year."""
    return bool(_NO_YEAR.match(stamp.text))


def dated(stamp: Stamp, days: Sequence[float]) -> Stamp:
    """A stamp that was printed without a year, in the year that brings it nearest to one of the dated `days`."""
    if not days or not yearless(stamp):
        return stamp
    guess = clock.parse(stamp.text)
    first, last = (datetime.fromtimestamp(days[i] * _DAY, UTC).year for i in (0, -1))
    shifts = [
        found.seconds - guess.seconds
        for year in range(first - 1, last + 2)
        if guess is not None and (found := clock.parse(stamp.text, year)) is not None
    ]

    def far(shift: float) -> tuple[float, float]:
        day = (stamp.seconds + shift) / _DAY
        at = bisect.bisect(days, day)
        return min(abs(day - known) for known in days[max(0, at - 1) : at + 1]), -shift

    return replace(stamp, seconds=stamp.seconds + min(shifts, key=far)) if shifts else stamp


@dataclass(slots=True, frozen=True)
class Aligned:
    """How the clock of each source was found that does not stand as it was read, and the zone (seconds east of UTC) in
    which all logs without one were written, if it is known."""

    how: dict[str, str]
    zone: float | None = None


def align(records: Sequence[Record]) -> Aligned:
    """Puts the times of all records on one clock as far as the input tells."""
    _date(records)
    clocks: dict[Node, _Clock] = {}
    for record in records:
        if record.time is not None:
            one = clocks.setdefault((record.source, record.time.kind), _Clock((record.source, record.time.kind)))
            one.records.append(record)
            if isinstance(host := record.fields.get("host"), str):
                one.hosts.add(host.lower())
    if len(clocks) < 2 and not any(kind == "boot" for _, kind in clocks):
        return Aligned({})
    edges = _edges(clocks)
    _anchor(clocks, records)
    _spread(clocks, edges)
    _settle(clocks, edges, _booted(records))
    _assume(clocks)
    _spread(clocks, edges)
    naive = [one for one in clocks.values() if one.node[1] == "naive"]
    zones = {-one.offset for one in naive if one.offset is not None and one.absolute}
    moved = {one.node[0]: one.how for one in clocks.values() if _moved(one) and one.how}
    return Aligned(moved, zones.pop() if len(zones) == 1 and all(one.absolute for one in naive) else None)


def _date(records: Sequence[Record]) -> None:
    """Gives stamps without a year the year of the dated ones, and of lines that name a date without being stamped."""
    days = {s.seconds // _DAY for r in records if (s := r.time) and s.kind != "boot" and not yearless(s)}
    if any(r.time is not None and yearless(r.time) for r in records):
        for record in records:
            told = _DATE.search(record.text) if "ls: " in record.text or "system clock" in record.text else None
            stamp = clock.parse(told[1] or f"{told[2][:10]} 00:00:00") if told else None
            days |= {stamp.seconds // _DAY} if stamp else set()
    ordered = sorted(days)
    for record in records if days else ():
        if record.time is not None:
            record.time = dated(record.time, ordered)


def _texts(one: _Clock) -> dict[str, float]:
    """When each message that a log of a machine holds only once was printed."""
    seen: Counter[str] = Counter()
    when: dict[str, float] = {}
    for record in one.records:
        if record.format in _MACHINE and record.time is not None and len(record.text) >= _SHORT:
            text = record.text[:_LONG]
            seen[text] += 1
            when[text] = record.time.seconds
    return {text: seconds for text, seconds in when.items() if seen[text] == 1}


def _edges(clocks: dict[Node, _Clock]) -> dict[tuple[Node, Node], float]:
    """What is to be added to the stamps of one node to have those of another, from the lines that both hold."""
    places: dict[str, list[tuple[Node, float]]] = defaultdict(list)
    for node, one in clocks.items():
        for text, when in _texts(one).items():
            places[text].append((node, when))
    differences: dict[tuple[Node, Node], list[float]] = defaultdict(list)
    for found in places.values():
        for (a, first), (b, second) in combinations(found[:_MOST], 2):
            differences[a, b].append(second - first)
    several = len({host for one in clocks.values() for host in one.hosts}) > 1
    edges: dict[tuple[Node, Node], float] = {}
    for (a, b), values in differences.items():
        middle = median(values)
        near = sum(abs(value - middle) <= _SAME for value in values)
        known = bool(clocks[a].hosts & clocks[b].hosts)
        if (clocks[a].hosts and clocks[b].hosts and not known) or near < 0.6 * len(values):
            continue
        if near >= (1 if known or not several else 3):
            edges[a, b], edges[b, a] = middle, -middle
    return edges


def _anchor(clocks: dict[Node, _Clock], records: Iterable[Record]) -> None:
    """Stamps that name their zone need nothing. The zone of a machine is told by some of its commands."""
    zones = {_bundle(source): seconds for source, seconds in _told_zones(records)}
    for (source, kind), one in clocks.items():
        if kind == "zoned":
            one.put(0.0, True, "")
        elif kind == "naive" and (zone := zones.get(_bundle(source))) is not None:
            one.put(-zone, True, f"read in the zone of the machine, UTC{zone / 3600:+g} h")


def _told_zones(records: Iterable[Record]) -> Iterator[tuple[str, float]]:
    for record in records:
        if ("ls: " in record.text or "Time zone" in record.text) and (found := _ZONE.search(record.text)):
            told = found[1] or found[2]
            seconds = int(told[1:3]) * 3600.0 + int(told[3:]) * 60.0
            yield record.source, -seconds if told[0] == "-" else seconds


def _bundle(source: str) -> str:
    """The file of a source that is a part of one."""
    return source.split("!", 1)[0]


def _spread(clocks: dict[Node, _Clock], edges: dict[tuple[Node, Node], float]) -> None:
    """Passes on what is known along the lines that two logs share."""
    todo = [node for node, one in clocks.items() if one.offset is not None]
    while todo:
        here = todo.pop(0)
        for (a, b), between in edges.items():
            one, other = clocks[a], clocks[b]
            if a != here or other.offset is not None or one.offset is None:
                continue
            offset = one.offset - between  # b + offset = a + one.offset, and b = a + between
            if b[1] == "naive":
                zone = round(offset / _QUARTER) * _QUARTER
                if abs(offset - zone) > _SAME:
                    continue
                offset = zone
            text = f"by lines that {a[0]} holds, too"
            other.put(offset, one.absolute, text if b[1] == "boot" or offset else "")
            todo.append(b)


def _settle(clocks: dict[Node, _Clock], edges: dict[tuple[Node, Node], float], booted: dict[str, float]) -> None:
    """Boot times that the kernel or /proc/stat tell, and the zones that follow for logs of the same lines."""
    waiting = [(node, one) for node, one in clocks.items() if node[1] == "boot" and one.offset is None]
    for node, one in waiting:
        told, how = _set_at(one), "by the line with which the kernel sets its clock"
        if told is None:
            told, how = booted.get(_bundle(node[0])), "by the boot time in /proc/stat"
        if told is None and len(booted) == 1 == len(waiting):
            told = next(iter(booted.values()))
        if told is None:
            continue
        one.put(told, True, how)
        for (a, b), between in edges.items():
            wall = clocks[b]
            if a == node and b[1] == "naive" and wall.offset is None:
                zone = round((told - between) / _QUARTER) * _QUARTER
                if abs(told - between - zone) <= _DRIFT:
                    wall.put(zone, True, f"zone UTC{-zone / 3600:+g} h, by lines that {a[0]} holds, too")
                    one.put(between + zone, True, f"by lines that {b[0]} holds, too")


def _set_at(one: _Clock) -> float | None:
    """Seconds since 1970 at boot, by the line that tells both."""
    for record in one.records:
        if record.time is not None and (found := _SET.search(record.text)):
            return float(found[1]) - record.time.seconds
    return None


def _booted(records: Iterable[Record]) -> dict[str, float]:
    """The boot times that copies of /proc/stat give, by the file that holds them."""
    told = ((r.source, _BTIME.search(r.text)) for r in records if r.format == "text" and r.text.startswith("btime "))
    return {_bundle(source): float(found[1]) for source, found in told if found}


def _assume(clocks: dict[Node, _Clock]) -> None:
    """A log that names no zone and shares no line is taken to be of the zone of its machine; without one, as it is."""
    zones: dict[str, set[float]] = defaultdict(set)
    for one in clocks.values():
        if one.node[1] == "naive" and one.offset is not None:
            for host in one.hosts or {""}:
                zones[host].add(one.offset)
    everywhere = {offset for known in zones.values() for offset in known}
    for one in clocks.values():
        if one.node[1] != "naive" or one.offset is not None:
            continue
        own = {offset for host in one.hosts for offset in zones.get(host, ())} or everywhere
        if len(own) == 1:
            one.put(own.pop(), True, "assumed to be in the zone of the machine")
            one.assumed = True
        else:
            one.put(0.0, False, "")


def _moved(one: _Clock) -> bool:
    """Sets the times of a clock whose offset is known; whether that changed anything."""
    if one.offset is None or (one.node[1] != "boot" and not one.offset and not one.absolute):
        return False
    kind = "zoned" if one.absolute else "naive"
    if one.node[1] == kind and not one.offset:
        return False
    for record in one.records:
        if record.time is not None:
            seconds = record.time.seconds + one.offset
            record.time = replace(record.time, seconds=seconds, kind=kind, assumed=one.assumed)  # type: ignore[arg-type]
    return True
