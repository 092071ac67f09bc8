"""Matches become groups (one fault on one device), groups become incidents (what belongs to one event)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from triage import clock
from triage.copies import distinct
from triage.identity import Identities, merge, values
from triage.library.library import Library, Signature
from triage.model import Entities, Match, Record, Stamp, Value

# NVIDIA's Fleet Intelligence groups the Xids of a node until three minutes of silence
# (docs.nvidia.com/fleet-intel/user-guide/xid-bursts.md).
SILENCE = 180.0
# Formats of machines; whatever is in another format was written by the job.
MACHINE = (
    "kernel", "syslog", "windows-event", "windows-device", "smi-table", "smi-query", "smi-topo", "smi-nvlink",
    "smi-monitor", "lspci", "dcgm", "dcgm-health", "ib-port",
)  # fmt: skip
_FEW = 4  # other processes that are named
_MOST_NAMELESS = 50  # each is compared with all others
_OPEN = 3600.0  # before the first and after the last stamp of a source; the usual limits of collectives fit in


@dataclass(eq=False)
class Group:
    """All matches of one signature on one device, rank or host, without a silence between them."""

    signature: Signature
    matches: list[Match]
    times: list[Stamp | None]
    entities: Entities = field(default_factory=dict)
    role: str = ""
    severity: str = ""
    handled: str = ""
    taken_back: str = ""
    explains: list[Group] = field(default_factory=list)
    explained_by: list[Group] = field(default_factory=list)
    after: list[Group] = field(default_factory=list)  # facts, no faults, that set it off
    strength: str = ""
    incident: int = 0
    note: str = ""
    confidence: str = ""
    loose: tuple[float, float] = (0.0, 0.0)  # how many seconds before and after `first` it may have begun

    @property
    def id(self) -> str:
        return self.signature.id

    @property
    def first(self) -> Stamp | None:
        return next((t for t in self.times if t is not None), None)

    @property
    def last(self) -> Stamp | None:
        """The last time on the clock of the first: of two copies of a log one may count from boot."""
        boot = self.first is not None and self.first.kind == "boot"
        return next((t for t in reversed(self.times) if t is not None and (t.kind == "boot") == boot), None)

    @property
    def source(self) -> str:
        return self.matches[0].record.source

    @property
    def order(self) -> int:
        return self.matches[0].order


class Times(dict[int, Stamp | None]):
    """The time of each record, by its id().

    `loose` says of those that have no stamp of their own how many seconds earlier and later it may have been.
    """

    def __init__(self) -> None:
        super().__init__()
        self.loose: dict[int, tuple[float, float]] = {}


def stamps(records: Sequence[Record]) -> Times:
    """The time of each record: its own, else that of the last stamped record of its source before it, else of the
    first one after it."""
    out = Times()
    by_source: dict[str, list[Record]] = {}
    for record in records:
        by_source.setdefault(record.source, []).append(record)
    for own in by_source.values():
        told = [r.time for r in own]
        before: Stamp | None = None
        waiting: list[Record] = []
        for record, stamp in zip(own, told, strict=True):
            if stamp is None:
                out[id(record)] = before
                waiting.append(record)
                continue
            for other in waiting:
                out[id(other)] = before or stamp
                out.loose[id(other)] = (0.0, max(0.0, stamp.seconds - before.seconds)) if before else (_OPEN, 0.0)
            before, waiting = stamp, []
            out[id(record)] = stamp
        if before is not None:
            out.loose.update((id(other), (0.0, _OPEN)) for other in waiting)
    return out


def group(matches: Sequence[Match], library: Library, times: Times, identities: Identities) -> list[Group]:
    """Groups by signature and key; a silence of three minutes on one clock starts a new group."""
    keyed: dict[str, dict[tuple[Value | None, ...], list[Match]]] = {}
    for match in matches:
        signature = library.signatures[match.id]
        full: Entities = dict(match.entities)
        identities.complete(full)
        match.entities = {k: v for k, v in full.items() if not isinstance(v, list)}
        plain = signature.role == "context" and not signature.promote  # facts need no device of their own
        key = () if plain else tuple(match.entities.get(k) for k in signature.key)
        keyed.setdefault(match.id, {}).setdefault(key, []).append(match)
    groups: list[Group] = []
    for name, parts in keyed.items():
        _absorb(parts)
        for part in parts.values():
            for run in _runs(_in_time(distinct(part, times), times), times):
                made = Group(library.signatures[name], run, [times.get(id(m.record)) for m in run])
                made.loose = times.loose.get(id(run[0].record), made.loose)
                for match in run:
                    merge(made.entities, match.entities)
                groups.append(made)
    _name_others(groups)
    return sorted(groups, key=lambda g: g.order)


def _name_others(groups: Sequence[Group]) -> None:
    """Names the few other processes that the driver's messages about the same GPU name: several speak for the GPU or
    for a program that they share, one for itself."""
    pids: dict[tuple[Value | None, Value], set[Value]] = {}
    on_gpu = [
        g for g in groups if "pci" in g.entities and "xid" in g.entities and not isinstance(g.entities["pci"], list)
    ]
    for one in on_gpu:
        place = (_single(one.entities.get("host")), _single(one.entities["pci"]) or "")
        pids.setdefault(place, set()).update(values(one.entities, "pid"))
    for one in on_gpu:
        place = (_single(one.entities.get("host")), _single(one.entities["pci"]) or "")
        others = sorted(pids[place] - values(one.entities, "pid"), key=str)
        if 0 < len(others) <= _FEW and "other_pid" not in one.entities:
            one.entities["other_pid"] = others if len(others) > 1 else others[0]


def _single(value: Value | list[Value] | None) -> Value | None:
    return None if isinstance(value, list) else value


def _absorb(parts: dict[tuple[Value | None, ...], list[Match]]) -> None:
    """A match whose device is not known joins the only group that it does not contradict."""
    for key in [k for k in parts if None in k][:_MOST_NAMELESS]:
        fitting = [k for k in parts if k != key and all(a is None or a == b for a, b in zip(key, k, strict=True))]
        if len(fitting) == 1:
            parts[fitting[0]] = sorted(parts[fitting[0]] + parts.pop(key), key=lambda m: m.order)


def _in_time(matches: list[Match], times: Times) -> list[Match]:
    """Matches of several files in the order of their times, where these can be compared; files come in any order."""
    told = [times.get(id(m.record)) for m in matches]
    if len({m.record.source for m in matches}) < 2 or any(t is None or t.kind == "boot" for t in told):
        return matches
    return sorted(matches, key=lambda m: (times[id(m.record)].seconds, m.order))  # type: ignore[union-attr]


def _runs(matches: list[Match], times: dict[int, Stamp | None]) -> list[list[Match]]:
    runs: list[list[Match]] = []
    last: Stamp | None = None
    source = ""
    for match in matches:
        now = times.get(id(match.record))
        same = match.record.source == source
        apart = (
            "_storm" not in match.record.fields  # between the kept lines of a storm stand others of its kind
            and now is not None and last is not None and clock.comparable(now, last, same)
            and abs(now.seconds - last.seconds) > SILENCE
        )  # fmt: skip
        if not runs or apart:
            runs.append([])
        runs[-1].append(match)
        last, source = now or last, match.record.source
    return runs


def gap(a: Group, b: Group) -> float | None:
    """Seconds from `a` to `b` (first to first; 0 when they overlap), or None when their clocks cannot be compared."""
    if a.first is None or b.first is None or not clock.comparable(a.first, b.first, a.source == b.source):
        return None
    return b.first.seconds - a.first.seconds


def distance(a: Group, b: Group) -> float | None:
    """Seconds of silence between two groups, 0 when they overlap, None when not comparable."""
    if a.first is None or b.first is None or a.last is None or b.last is None:
        return None
    if not clock.comparable(a.first, b.first, a.source == b.source):
        return None
    return max(0.0, b.first.seconds - a.last.seconds, a.first.seconds - b.last.seconds)


def split(groups: Sequence[Group]) -> list[list[Group]]:
    """Incidents, each a list of groups: linked by a cause, or less than three minutes apart on one clock.

    Groups without a comparable time belong to the incident of their source, else to all others of the input.
    """
    parent = list(range(len(groups)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    place = {id(g): i for i, g in enumerate(groups)}
    for i, one in enumerate(groups):
        for effect in one.explains:
            parent[root(i)] = root(place[id(effect)])
    for family in _clocks(groups):
        ordered = sorted(family, key=lambda i: groups[i].first.seconds)  # type: ignore[union-attr]
        for a, b in pairwise(ordered):
            if (distance(groups[a], groups[b]) or 0.0) <= SILENCE:
                parent[root(a)] = root(b)
    out: dict[int, list[Group]] = {}
    for i, one in enumerate(groups):
        out.setdefault(root(i), []).append(one)
    return list(out.values())


def _clocks(groups: Sequence[Group]) -> list[list[int]]:
    """Indexes of groups whose times can be compared with each other."""
    families: dict[str, list[int]] = {}
    for i, one in enumerate(groups):
        if one.first is not None:
            families.setdefault(one.source if one.first.kind == "boot" else "", []).append(i)
    return list(families.values())


def by_machine(one: Group) -> bool:
    """Whether only the machine speaks (kernel, services, nvidia-smi, Windows), not the job."""
    return all(m.record.format in MACHINE for m in one.matches)


def same_device(a: Group, b: Group) -> bool:
    """Whether both name a common GPU, rank or process."""
    return any(values(a.entities, k) & values(b.entities, k) for k in ("pci", "gpu_uuid", "rank", "pid"))


def reach(one: Group) -> list[Group]:
    """Everything that a group explains, directly or through others."""
    out: list[Group] = []
    todo, seen = list(one.explains), {id(one)}
    while todo:
        following = todo.pop(0)
        if id(following) not in seen:
            seen.add(id(following))
            out.append(following)
            todo.extend(following.explains)
    return out


def reaches(start: Group, goal: Group) -> bool:
    """Whether `start` explains `goal`, directly or through others."""
    todo, seen = [start], {id(start)}
    while todo:
        for following in todo.pop().explains:
            if following is goal:
                return True
            if id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return False
