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


@dataclass(slots=True)
class Family:
    """Files whose names differ in numbers only. `place` tells which number is the rank (-1: none), `offset` what
    must be added to it."""

    names: list[str] = field(default_factory=list)
    place: int = -1
    offset: int = 0

    def rank(self, name: str) -> int | None:
        """The rank of the file with this name; None where none is proven."""
        return _numbers(name)[self.place] + self.offset if self.place >= 0 else None


def settle(sources: Sequence[Source], records: Sequence[Record], matches: Sequence[Match]) -> list[Family]:
    """Gives host, pod and rank to the records and matches of files whose names tell them, as far as that is proven.
    Returns the families of files of which each belongs to one rank."""
    names = [source.name for source in sources if source.readable]
    ours: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        ours[match.record.source].append(match)
    nodes = _nodes(matches)
    told = _told(records, matches)
    found: dict[str, dict[str, Value]] = {}
    if len(names) > 1:
        _hosts(names, told, _known_hosts(records, told), nodes, found)
    families = [family for family in _families(names) if _prove(family, _ranks(records, ours))]
    for family in families:
        for name in family.names:
            found.setdefault(name, {})["rank"] = family.rank(name) or 0
    _fill(found, records, ours)
    _move(nodes, matches)
    return families


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


def _families(names: Sequence[str]) -> list[Family]:
    families: dict[str, Family] = defaultdict(Family)
    for name in names:
        families[_NUMBER.sub("#", name)].names.append(name)
    return [family for family in families.values() if len(family.names) > 1]


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


def _prove(family: Family, claimed: dict[str, set[int]]) -> bool:
    """Whether a number in the names is the rank: for all files that tell one rank, and for at least two of them."""
    if any("rank" in name_fields(name) for name in family.names):
        return False  # the name says so by itself
    telling = {name: next(iter(own)) for name in family.names if len(own := claimed.get(name, set())) == 1}
    if len(set(telling.values())) < 2 or any(len(claimed.get(name, ())) > 1 for name in family.names):
        return False
    for place in reversed(range(len(_numbers(family.names[0])))):
        offsets = {rank - _numbers(name)[place] for name, rank in telling.items()}
        others = {_numbers(name)[place] for name in family.names}
        if len(offsets) == 1 and abs(offset := offsets.pop()) <= 1 and len(others) == len(family.names):
            family.place, family.offset = place, offset
            return min(others) + offset >= 0
    return False


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
