"""What the names of files tell, where the lines of other files prove it: node, pod and rank.

`log-9123-node07-5.out` may be anything. But when `node07` is a host in some log, it is that of this file; and when the
files beside it say that the number at that place is their rank, the number of a file that says nothing is one, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from triage import lazy
from triage.model import Match, Record, Source, Value
from triage.sources.names import name_fields

_NUMBER = lazy.pattern(r"\d+")
_TELLS_RANK = ("nccl-init-complete", "rank-announced")  # facts by which a process names its own rank
_SHORTEST = 3
_WORD = lazy.pattern(r"[^/!.\\]+")
_KIND = lazy.pattern(
    r"(?i)(?:nvidia-bug-report|dmesg|kern(?:el)?|messages|syslog|journal(?:ctl)?|logs?|txt|out)(?![a-z0-9])[-_]?"
    r"|[-_]?(?:dmesg|kern)$"
)
# What people number besides machines: two of these are of one.
_NO_HOST = lazy.pattern(
    r"(?i)(?:run|boot|try|attempt|test|exp|job|day|part|step|copy|dump|case|before|after|old|new|rank|v|log|dmesg|kern"
    r"|kernel|messages|syslog|journal)[-_]?\d"
)
_PARTS = 3  # of a path, by which a file is found again


@dataclass(slots=True)
class Family:
    """Files of one job whose names differ in numbers only, one for each rank.

    `key` is `rank` or `local_rank`; `place` tells which number of the name it is, `offset` what must be added to it.
    """

    key: str
    place: int
    offset: int = 0
    ranks: dict[str, int] = field(default_factory=dict)  # by the name of the file
    pods: dict[str, str] = field(default_factory=dict)

    def path(self, rank: int) -> str:
        """The end of the path of the log of a rank; `*` where its other numbers are not known."""
        names = sorted(self.ranks)
        fixed = [len(set(column)) == 1 for column in zip(*map(_NUMBER.findall, names), strict=True)]
        at = -1

        def other(found: re.Match[str]) -> str:
            nonlocal at
            at += 1
            if at == self.place:
                return str(rank - self.offset).zfill(len(found[0]) if found[0][:1] == "0" else 1)
            return found[0] if fixed[at] else "*"

        return "/".join(_NUMBER.sub(other, names[0]).replace("!", "/").split("/")[-_PARTS:])

    def pod(self, rank: int) -> str:
        """The pod whose log that of a rank would be; empty where the files are not those of pods."""
        for name, pod in self.pods.items():
            number = str(_numbers(name)[self.place])
            if pod.endswith(f"-{number}"):
                return f"{pod.removesuffix(number)}{rank - self.offset}"
        return ""


@dataclass(slots=True, frozen=True)
class Names:
    """The families of files, and the ranks that any line speaks for."""

    families: list[Family]
    heard: set[int]


def settle(sources: Sequence[Source], records: Sequence[Record], matches: Sequence[Match]) -> Names:
    """Gives host, pod and rank to the records and matches of files whose names tell them, as far as that is proven."""
    names = [source.name for source in sources if source.readable]
    ours: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        ours[match.record.source].append(match)
    nodes = _nodes(matches)
    told = _told(records, matches)
    found: dict[str, dict[str, Value]] = {}
    if len(names) > 1:
        _hosts(names, told, _known_hosts(records, told), nodes, found)
        _machines(records, told, found)
    claimed = _ranks(records, ours)
    families = [*_named(names), *_proven(names, claimed)]
    for family in families:
        for name, rank in family.ranks.items():
            own = found.setdefault(name, {})
            own[family.key] = rank
            if isinstance(pod := own.get("pod", name_fields(name).get("pod")), str):
                family.pods[name] = pod
    _fill(found, records, ours)
    _move(nodes, matches)
    return Names(families, {rank for own in claimed.values() for rank in own})


def _nodes(matches: Iterable[Match]) -> dict[str, str]:
    """The node of each pod; nothing for a pod that was seen on two."""
    seen: dict[str, set[str]] = defaultdict(set)
    for match in matches:
        if match.id == "k8s-pod-node":
            seen[str(match.entities["pod"])].add(str(match.entities["host"]))
    return {pod: hosts.pop() for pod, hosts in seen.items() if len(hosts) == 1}


def _told(records: Iterable[Record], matches: Iterable[Match]) -> dict[str, set[str]]:
    """The hosts that the lines of each source name themselves."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        if isinstance(host := record.fields.get("host"), str):
            found[record.source].add(host)
    for match in matches:
        if "host" in match.entities:
            found[match.record.source].add(str(match.entities["host"]))
    return found


def _known_hosts(records: Iterable[Record], told: dict[str, set[str]]) -> set[str]:
    """Names of hosts that some line tells, or the file `hostname` of a machine. One without a digit may be any word."""
    hosts = {host for own in told.values() for host in own}
    hosts |= {record.text.strip() for record in records if record.source.endswith("/hostname")}
    return {host for one in hosts for host in (one, one.split(".")[0]) if _is_name(host)}


def _is_name(host: str) -> bool:
    letters = any(c.isalpha() for c in host)
    digits = any(c.isdigit() for c in host)
    return len(host) >= _SHORTEST and letters and digits and not host[:1].isdigit() and " " not in host


def _hosts(
    names: Sequence[str], told: dict[str, set[str]], hosts: set[str], nodes: dict[str, str],
    found: dict[str, dict[str, Value]],
) -> None:  # fmt: skip
    """The node, or the pod, that stands in the name of a file whose lines name none."""
    words = {name.lower(): name for name in (*hosts, *nodes)}
    if not words:
        return
    any_of = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![a-z0-9])(?:{any_of})(?![a-z0-9])")
    for name in names:
        if told.get(name):
            continue
        for part in reversed(name.replace("!", "/").replace("\\", "/").lower().split("/")):
            if seen := set(pattern.findall(part)):
                if len(seen) == 1:
                    word = words[seen.pop()]
                    found[name] = {"pod": word, "host": nodes[word]} if word in nodes else {"host": word}
                break


def _machines(records: Iterable[Record], told: dict[str, set[str]], found: dict[str, dict[str, Value]]) -> None:
    """The hosts of kernel rings that name none, from names that differ in one number: `g07/dmesg.txt`, `g08/dmesg.txt`.

    Addresses are the same on all nodes: without a host the faults of two would be taken for one. Judgement.
    """
    rings = {r.source for r in records if r.format == "kernel"} - told.keys() - found.keys()
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(rings):
        groups[_NUMBER.sub("#", name)].append(name)
    for own in groups.values():
        columns = [set(column) for column in zip(*map(_NUMBER.findall, own), strict=True)]
        places = [i for i, column in enumerate(columns) if len(column) > 1]
        words = [_word_at(name, places[0]) for name in own] if len(places) == 1 else []
        if len(set(words)) == len(own) and all(word and not _NO_HOST.match(word) for word in words):
            found.update((name, {"host": word}) for name, word in zip(own, words, strict=True))


def _word_at(name: str, place: int) -> str:
    """The word of a path that holds its number `place`, without what names the kind of log; empty for a bare number."""
    number = list(_NUMBER.finditer(name))[place]
    word = next(found for found in _WORD.finditer(name) if found.start() <= number.start() < found.end())
    bare = _KIND.sub("", word[0]).strip("-_")
    return bare if _is_name(bare) else ""


def _named(names: Sequence[str]) -> list[Family]:
    """The families whose names say by themselves that a number is the rank."""
    families: dict[tuple[str, int, str], Family] = {}
    for name in names:
        fields = name_fields(name)
        for key in ("rank", "local_rank"):
            places = [i for i, n in enumerate(_numbers(name)) if key in fields and n == int(fields[key])]
            if places:
                alike = _alike(name, places[-1], exactly=key == "local_rank")
                families.setdefault((key, places[-1], alike), Family(key, places[-1])).ranks[name] = int(fields[key])
    return [family for family in families.values() if len(family.ranks) > 1]


def _alike(name: str, place: int, exactly: bool) -> str:
    """A name without its numbers, or only without the one at a place: each node has its local ranks."""
    at = -1

    def blank(found: re.Match[str]) -> str:
        nonlocal at
        at += 1
        return found[0] if exactly and at != place else "#"

    return _NUMBER.sub(blank, name)


def _proven(names: Sequence[str], claimed: dict[str, set[int]]) -> list[Family]:
    """The families in whose names a number is the rank: that of all files that tell one, at least two."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if not name_fields(name).keys() & {"rank", "local_rank"}:
            groups[_NUMBER.sub("#", name)].append(name)
    return [family for own in groups.values() if len(own) > 1 and (family := _prove(own, claimed))]


def _numbers(name: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(name)]


def _ranks(records: Iterable[Record], ours: dict[str, list[Match]]) -> dict[str, set[int]]:
    """The ranks that the lines of each source claim for themselves."""
    claimed: dict[str, set[int]] = defaultdict(set)
    for record in records:
        rank = str(record.fields.get("rank", ""))
        if rank.isdecimal():
            claimed[record.source].add(int(rank))
    for name, own in ours.items():
        claimed[name] |= {r for m in own if m.id in _TELLS_RANK and isinstance(r := m.entities.get("rank"), int)}
    return claimed


def _prove(names: Sequence[str], claimed: dict[str, set[int]]) -> Family | None:
    telling = {name: next(iter(own)) for name in names if len(own := claimed.get(name, set())) == 1}
    if len(set(telling.values())) < 2 or any(len(claimed.get(name, ())) > 1 for name in names):
        return None
    for place in reversed(range(len(_numbers(names[0])))):
        offsets = {rank - _numbers(name)[place] for name, rank in telling.items()}
        numbers = {name: _numbers(name)[place] for name in names}
        if len(offsets) == 1 and abs(offset := offsets.pop()) <= 1 and len(set(numbers.values())) == len(names):
            ranks = {name: number + offset for name, number in numbers.items()}
            return Family("rank", place, offset, ranks) if min(ranks.values()) >= 0 else None
    return None


def _fill(found: dict[str, dict[str, Value]], records: Iterable[Record], ours: dict[str, list[Match]]) -> None:
    for record in records:
        for key, value in found.get(record.source, {}).items():
            record.fields.setdefault(key, value)
    for name, fields in found.items():
        for match in ours.get(name, ()):
            for key, value in fields.items():
                # A launcher speaks of one of its workers by the local rank.
                if key != "rank" or "local_rank" not in match.entities:
                    match.entities.setdefault(key, value)


def _move(nodes: dict[str, str], matches: Iterable[Match]) -> None:
    """Inside a pod the host is called like the pod; what is told of it joins what the node tells."""
    for match in matches if nodes else ():
        name = str(match.entities.get("host", match.entities.get("pod", "")))
        pod = name if name in nodes else str(match.entities.get("pod", ""))
        if pod in nodes and match.entities.get("host", pod) == pod:
            match.entities["pod"], match.entities["host"] = pod, nodes[pod]
