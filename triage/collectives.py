"""Who, among the ranks of a process group, did not arrive: compares what the ranks reported of themselves.

Reports are the matches that a `derive` rule names: log lines of a watchdog, statements of a flight recorder's dump.
Their entities are `seq` (the collective that is waited for), `_last_enqueued` and `_last_completed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from triage.library.library import Library
from triage.model import Match, Stamp, Value

_TOGETHER = 600.0  # seconds; a later report may be of another collective, or of another run
_MOMENT = 30.0  # seconds within which the ranks are asked; one that reports later may have gone on since
_FAR = 100  # collectives; judgement
_NEAR = 40  # matches between a line without a group and the one that names it
# `PG ID 0` first, then other groups; `None` where a line names none.
Key = tuple[Value | None, ...]
Times = dict[int, Stamp | None]
Named = list[tuple[Value | None, Match | None]]  # suspected members, each with the report that shows it


def name_groups(matches: Sequence[Match]) -> None:
    """Gives the process group to lines of the watchdog that name none: the next line of that rank about the same
    collective does."""
    waiting: dict[tuple[str, Value | None, Value], list[Match]] = {}
    for match in matches:
        seq, fields = match.entities.get("seq"), match.record.fields
        if seq is None or match.record.format != "glog":
            continue
        key = (match.record.source, match.entities.get("rank"), seq)
        if "pg" not in fields:
            waiting.setdefault(key, []).append(match)
            continue
        for unnamed in waiting.pop(key, ()):
            if match.order - unnamed.order <= _NEAR:
                unnamed.record.fields["pg"] = fields["pg"]


def grouped(rule: dict[str, Any], matches: Iterable[Match]) -> dict[Key, list[Match]]:
    """The reports of each group, the groups in their order."""
    groups: dict[Key, list[Match]] = {}
    for match in matches:
        if match.id in rule["source"] and rule["member"] in match.entities:
            told = {**match.record.fields, **match.entities}
            groups.setdefault(tuple(told.get(k) for k in rule["group"]), []).append(match)
    if len(groups) > 1:  # lines that do not name their group belong to the only named one
        named = [k for k in groups if None not in k]
        for key in [k for k in groups if None in k]:
            if len(named) == 1:
                groups[named[0]] = sorted(groups[named[0]] + groups.pop(key), key=lambda m: m.order)
    return dict(sorted(groups.items(), key=lambda item: [_sortable(part) for part in item[0]]))


def _sortable(value: Value | None) -> tuple[bool, float, str]:
    number = value if isinstance(value, int | float) else 0.0
    return (value is None, number, str(value))


def suspects(
    suspect: dict[str, Any], rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match], times: Times,
    library: Library,
) -> Named | None:  # fmt: skip
    """The members that one way of suspecting names, None for nobody."""
    member = rule["member"]
    if suspect["differ"]:
        return _differing(suspect, member, own, times)
    if suspect["min"]:
        return _list(_behind(suspect["min"], member, own, times))
    if suspect["exited_before"]:
        return _list(_exited(rule, own, matches, times))
    if suspect["missing"]:
        return _list(dict.fromkeys(_silent(rule, own, own if suspect["of_reports"] else matches, library)))
    return None


def _list(found: dict[Value, Match | None] | dict[Value, Match]) -> Named | None:
    return sorted(found.items(), key=lambda item: _sortable(item[0])) or None


def _silent(rule: dict[str, Any], own: Sequence[Match], heard: Sequence[Match], library: Library) -> set[Value]:
    """The members that say nothing at all, else the few that said nothing since they joined.

    Pasted logs are often cut, so when a large part is silent that tells nothing about any of them.
    """
    member = rule["member"]
    sizes = [n for m in heard if isinstance(n := m.entities.get(rule["universe"]), int)]
    if not sizes or len({m.entities[member] for m in own}) < 2:
        return set()
    size = max(sizes)
    complaining = [m for m in heard if library.signatures[m.id].role != "context"]
    for those, most in ((heard, size // 2), (complaining, max(1, size // 4))):
        seen = {str(v) for m in those for v in (m.entities.get(member), m.record.fields.get(member)) if v is not None}
        silent: set[Value] = {i for i in range(size) if str(i) not in seen}
        if silent:
            return silent if len(silent) <= most else set()
    return set()


def _moment(own: Sequence[Match], times: Times) -> float | None:
    """When the first of the reports was made."""
    return min((t.seconds for m in own if (t := times.get(id(m.record)))), default=None)


def _late(match: Match, start: float | None, times: Times) -> bool:
    when = times.get(id(match.record))
    return when is not None and start is not None and when.seconds - start > _MOMENT


def _behind(name: str, member: str, own: Sequence[Match], times: Times) -> dict[Value, Match]:
    """The members whose first report shows that they had not come to the collective that others wait for.

    What nobody says to be waited for, the largest number stands for it; then nobody is behind if all are equal. A
    later report misleads: a culprit may wake up, go on and time out itself at a higher number.
    """
    start = _moment(own, times)
    first: dict[Value, tuple[float, Match]] = {}
    awaited: dict[Value, float] = {}
    for match in own:
        rank, value, late = match.entities[member], match.entities.get(name), _late(match, start, times)
        if not late and (seq := _awaited(match, name)) is not None:
            awaited[rank] = min(seq, awaited.get(rank, seq))
        if isinstance(value, int | float) and rank not in first:
            if late and any(value >= known for known, _ in first.values()):
                continue  # who knows where it was
            first[rank] = (value, match)
    if len(first) < 2:
        return {}
    if awaited:
        return {
            rank: match for rank, (value, match) in first.items()
            if (goal := min((seq for other, seq in awaited.items() if other != rank), default=None)) and value < goal
        }  # fmt: skip
    low, high = (choose(v for v, _ in first.values()) for choose in (min, max))
    return {rank: match for rank, (value, match) in first.items() if value == low < high}


def _awaited(match: Match, name: str) -> float | None:
    """The collective that a member waits for: it says so, or has one enqueued that is not completed."""
    seq, done, value = (match.entities.get(key) for key in ("seq", "_last_completed", name))
    if isinstance(done, int | float) and isinstance(value, int | float):
        return done + 1 if done < value else None
    return seq if isinstance(seq, int | float) else None


def crossed(name: str | None, member: str, groups: dict[Key, list[Match]], times: Times) -> Named:
    """Members that wait for each other in two groups: each is ahead in the one and behind in the other."""
    stands: dict[Value, dict[Key, tuple[float, Match]]] = {}
    for key, own in groups.items() if name else ():
        if None in key:
            continue
        start = _moment(own, times)
        for match in own:
            value = match.entities.get(name or "")
            waits = _awaited(match, name or "") is not None
            if isinstance(value, int | float) and waits and not _late(match, start, times):
                stands.setdefault(match.entities[member], {}).setdefault(key, (value, match))
    found: dict[Value, Match] = {}
    ranks = sorted(stands, key=_sortable)
    for i, a in enumerate(ranks):
        for b in ranks[i + 1 : i + 64]:
            ahead = {_sign(stands[a][key][0] - stands[b][key][0]) for key in stands[a] if key in stands[b]}
            if {1, -1} <= ahead:
                for rank in (a, b):
                    found.setdefault(rank, next(iter(stands[rank].values()))[1])
    return _list(found) or []


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _differing(suspect: dict[str, Any], member: str, own: Sequence[Match], times: Times) -> Named | None:
    """The few members that report something else than the others at about one moment, then one of the others.

    Nobody where a member reports several values: then lines of several groups are mixed, which do not compare. Far
    apart, numbers of lines that do not name their group are of different groups too. And nobody where `unless_min`
    tells who is behind: that one may report another collective only because it came so late.
    """
    names: Sequence[str] = suspect["differ"]
    first: dict[Value, Match] = {}
    start = _moment(own, times) or 0.0
    for match in own:
        told = [match.entities.get(name) for name in names]
        when = times.get(id(match.record))
        untold = any(value is None for name, value in zip(names, told, strict=True) if name[:1] != "_")
        if untold or (when is not None and when.seconds - start > _TOGETHER):
            continue
        known = first.setdefault(match.entities[member], match)
        if told != [known.entities.get(name) for name in names]:
            return None
    values = {rank: tuple(m.entities.get(name) for name in names) for rank, m in first.items()}
    if len(set(values.values())) < 2:
        return None
    if suspect["unless_min"] and _behind(suspect["unless_min"], member, own, times):
        return None
    numbers = [v[0] for v in values.values() if isinstance(v[0], int | float)]
    unnamed = any(m.record.fields.get("pg") is None for m in first.values())
    if numbers and (len(numbers) < len(values) or (unnamed and max(numbers) - min(numbers) > _FAR)):
        return None
    return _odd(first, values)


def _odd(first: dict[Value, Match], values: dict[Value, tuple[Value | None, ...]]) -> Named:
    """The members whose values are not those of most; without a majority all of them, the smallest first."""
    ranks = sorted(first, key=lambda rank: ([_sortable(v) for v in values[rank]], _sortable(rank)))
    ((usual, count),) = Counter(values.values()).most_common(1)
    if 2 * count <= len(ranks):
        return [(rank, first[rank]) for rank in ranks]
    odd: Named = [(rank, first[rank]) for rank in ranks if values[rank] != usual]
    return [*odd, (None, next(first[rank] for rank in ranks if values[rank] == usual))]


def _exited(rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match], times: Times) -> dict[Value, Match]:
    """Members that left before the first report of those who waited."""
    member = rule["member"]
    waiting = {m.entities[member] for m in own if m.id not in rule["exited"]}
    start = _moment([m for m in own if m.id not in rule["exited"]], times)
    gone: dict[Value, Match] = {}
    for match in matches:
        when = times.get(id(match.record))
        rank = match.entities.get(member)
        early = when is not None and start is not None and when.seconds < start
        if match.id in rule["exited"] and rank is not None and rank not in waiting and early:
            gone.setdefault(rank, match)
    return gone
