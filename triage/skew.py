"""How far the clocks of two hosts are apart, by what both wrote at one moment.

Two kinds of lines are written by all ranks at once: the last step of the start of a communicator, in which the ranks
wait for each other, and the signal to dump that one rank gives to all when a collective has timed out. Time-outs
themselves say nothing of clocks: a host that came late to a collective times out late.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import median

from triage import clock, lazy
from triage.identity import Identities
from triage.model import Entities, Finding, Match, Record, Stamp

_INIT = lazy.pattern(r"commId (0x[0-9a-f]+)[^\n]*Init COMPLETE")
_INITS = "nccl-init-complete"
_DUMP = "pg-dump-signal"
# Judgement: ranks leave an initialisation, and hear of a dump, within a second or two (0.4 s was the most measured).
_SPREAD = 5.0
_LEAST = 5.0  # seconds that nobody needs to know of
_FEW = 2  # lines of each host
_QUARTER = 900.0  # zones of the world differ by whole quarters of an hour
_NEAR = 120.0  # causes on two hosts that are this near may have come in the other order

# The times of one event on a host, each with the line that tells it.
Times = list[tuple[float, str]]
Events = Mapping[str, Mapping[str, Times]]  # by the name of the event, which ends in the kind of its stamps, by host


@dataclass(frozen=True, slots=True)
class Skew:
    """What is to be subtracted from the times of `host` to have those of `other`, and what it rests on."""

    host: str
    other: str
    seconds: float
    spread: float
    lines: int
    places: tuple[str, str]
    kinds: frozenset[str] = frozenset()  # of the stamps that tell it

    @property
    def zone(self) -> float:
        """The whole quarters of an hour that it may be, as of clocks in two zones; else 0."""
        zone = round(self.seconds / _QUARTER) * _QUARTER
        return zone if abs(self.seconds - zone) <= max(1.0, self.spread) else 0.0

    def holds(self, stamp: Stamp) -> bool:
        """Whether it holds for a stamp: another zone says nothing of stamps of another kind."""
        return stamp.kind != "boot" and (not self.zone or stamp.kind in self.kinds)

    def __str__(self) -> str:
        way = "ahead of" if self.seconds > 0 else "behind"
        if self.zone:
            apart = f"{abs(self.zone) / 3600:g} h {way} that of {self.other}, as in another time zone"
        else:
            apart = f"{abs(self.seconds):.0f} s {way} that of {self.other}"
        return (
            f"the clock of {self.host} is {apart}, by {self.lines} lines that both wrote at one moment "
            f"({' and '.join(self.places)}; they agree within {max(self.spread, 0.1):.1f} s); the order allows for it, "
            f"times are shown as {self.host} wrote them"
        )


@dataclass(slots=True)
class Clocks:
    """The hosts whose clocks could be compared, and how far those that differ are apart."""

    skews: list[Skew] = field(default_factory=list)
    known: list[set[str]] = field(default_factory=list)

    def unordered(self, findings: Iterable[Finding]) -> list[str]:
        """A sentence where causes of two hosts are so near that their clocks would have to be compared."""
        roots = [f for f in findings if f.role == "cause" and f.incident == 1 and not f.explained_by]
        for a, b in combinations(roots, 2):
            one, other = _short(a.entities.get("host")), _short(b.entities.get("host"))
            if not one or not other or one == other or any({one, other} <= own for own in self.known):
                continue
            first, second = (clock.parse(found.first.time) if found.first else None for found in (a, b))
            if not first or not second or first.kind != second.kind or first.kind == "boot":
                continue
            if abs(first.seconds - second.seconds) <= _NEAR:
                which = f"whether {a.id} on {one} or {b.id} on {other} came first is not known"
                return [f"{which}: no lines that both hosts wrote at one moment tell how their clocks differ"]
        return []


def settle(records: Sequence[Record], matches: Sequence[Match], identities: Identities) -> Clocks:
    """Puts the times of hosts on one clock where several lines agree on how far they are apart."""
    clocks = compare(_events(matches, identities))
    behind = {skew.host: skew for skew in clocks.skews}
    if not behind:
        return clocks
    sources: dict[str, set[str]] = defaultdict(set)
    for match in matches:
        if host := _host(match, identities):
            sources[match.record.source].add(host)
    for record in records:
        own = sources.get(record.source, set())
        host = next(iter(own)) if len(own) == 1 else _short(record.fields.get("host"))
        skew = behind.get(host)
        if record.time is not None and skew is not None and skew.holds(record.time):
            record.time = replace(record.time, seconds=record.time.seconds - skew.seconds, moved=-skew.seconds)
    return clocks


def compare(events: Events) -> Clocks:
    """The hosts against the one that most can be compared with. A difference counts where all lines agree on it."""
    shared: dict[tuple[str, str], list[tuple[float, str, str]]] = defaultdict(list)
    kinds: dict[tuple[str, str], set[str]] = defaultdict(set)
    for event, told in events.items():
        for a, b in combinations(sorted(told), 2):
            kinds[a, b].add(event.rpartition(" ")[2])
            shared[a, b] += [(s - t, here, there) for s, here in told[a] for t, there in told[b]]
    agreed: dict[tuple[str, str], Skew] = {}
    for (a, b), pairs in shared.items():
        apart = [seconds for seconds, _, _ in pairs]
        lines = len({here for _, here, _ in pairs}), len({there for _, _, there in pairs})
        if max(apart) - min(apart) <= _SPREAD and min(lines) >= _FEW:
            middle = median(apart)
            places = min(pairs, key=lambda pair: abs(pair[0] - middle))[1:]
            found = Skew(a, b, middle, max(apart) - min(apart), sum(lines), places, frozenset(kinds[a, b]))
            agreed[a, b] = found
            agreed[b, a] = replace(found, host=b, other=a, seconds=-middle, places=places[::-1])
    return _from_the_middle(agreed)


def _from_the_middle(agreed: Mapping[tuple[str, str], Skew]) -> Clocks:
    """Each host against a reference of its own set of hosts: the one with which most of them agree as they stand."""
    neighbours: dict[str, list[str]] = defaultdict(list)
    for a, b in agreed:
        neighbours[a].append(b)

    def alike(host: str) -> tuple[int, int, str]:
        near = sum(abs(agreed[host, other].seconds) <= _LEAST for other in neighbours[host])
        return -near, -len(neighbours[host]), host

    out = Clocks()
    left = set(neighbours)
    while left:
        reference = min(left, key=alike)
        own = {reference, *neighbours[reference]} & left
        out.known.append(own)
        left -= own
        apart = (agreed[host, reference] for host in sorted(own - {reference}))
        out.skews += [skew for skew in apart if abs(skew.seconds) > max(_LEAST, skew.spread)]
    return out


def _host(match: Match, identities: Identities) -> str:
    """The host on which the line of a match was written, as far as it or the names of its rank or GPU tell."""
    entities: Entities = {**match.entities}
    identities.complete(entities)
    return _short(entities.get("host") or match.record.fields.get("host"))


def _short(host: object) -> str:
    return host.split(".")[0].lower() if isinstance(host, str) else ""


def _events(matches: Sequence[Match], identities: Identities) -> Events:
    """What all ranks wrote at one moment; nothing of an event that one of them wrote twice."""
    events: dict[str, dict[str, Times]] = defaultdict(lambda: defaultdict(list))
    seen: dict[tuple[str, str, object], int] = defaultdict(int)
    for match in matches:
        stamp = match.record.time
        if match.id not in (_INITS, _DUMP) or stamp is None or stamp.kind == "boot":
            continue
        if not (host := _host(match, identities)):
            continue
        told = _INIT.search(match.record.text) if match.id == _INITS else None
        name = told[1] if told else str(match.record.fields.get("pg", "")) if match.id == _DUMP else None
        if name is not None:
            event = f"{match.id} {name} {stamp.kind}"
            line = match.record.lines[0].number if match.record.lines else 0
            events[event][host].append((stamp.seconds, f"{match.record.source}:{line}"))
            seen[event, host, match.entities.get("rank", match.record.fields.get("rank"))] += 1
    twice = {event for (event, _, _), count in seen.items() if count > 1}
    return {event: told for event, told in events.items() if event not in twice}
