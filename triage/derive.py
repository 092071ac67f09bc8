"""Findings that no single line holds: who, among the ranks of a process group, did not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triage.formats import nccl
from triage.formats.torchrun import SIGNALS
from triage.identity import Identities
from triage.library.library import Library, Signature
from triage.model import Match, Record, Stamp, Value

_TOGETHER = 600.0  # seconds; a later report may be of another collective, or of another run
_FAR = 100  # collectives; judgement


def derived(
    matches: Sequence[Match], library: Library, times: dict[int, Stamp | None], identities: Identities
) -> list[Match]:
    """The matches of all signatures with `derive`. The given matches are completed by what others of the job tell."""
    _complete(matches)
    found: list[Match] = []
    for name in library.table().derived:
        found.extend(_judge(library.signatures[name], matches, times, library))
    return found


def _complete(matches: Sequence[Match]) -> None:
    """Adds what follows for sure: the signal of an exit code, the interface of a peer's address, NCCL's version.

    The version is only certain where all of the job agree; it is told by lines of their own.
    """
    offered: dict[str, str] = {}
    chosen: dict[Value | None, str] = {}
    for match in matches:
        if match.record.format == "nccl" and (found := nccl.interfaces(match.record.text)):
            offered.update(found)
            chosen.setdefault(match.record.fields.get("host"), next(iter(found.values())))
    versions = {v for m in matches if isinstance(v := m.entities.get("nccl"), str) and "." in v}
    version = versions.pop() if len(versions) == 1 else None
    for match in matches:
        known = match.entities
        name = _signal(known.get("exit_code"))
        if name and "signal" not in known:
            known["signal"] = name
        fields, peer = match.record.fields, known.get("_peer")
        interface = offered.get(nccl.address(peer) or "") if isinstance(peer, str) else None
        if interface is None and fields.get("level") == "warn" and "socket" in str(fields.get("file")):
            interface = chosen.get(fields.get("host"))
        if interface and "interface" not in known:
            known["interface"] = interface
        if version and match.record.format in ("nccl", "glog"):
            known.setdefault("nccl", version)


def _signal(code: Value | None) -> str | None:
    """`SIGKILL` for -9 (Python) and 137 (shell); None for a code that a program chose itself."""
    if not isinstance(code, int):
        return None
    return SIGNALS.get(-code if code < 0 else code - 128)


def _judge(
    signature: Signature, matches: Sequence[Match], times: dict[int, Stamp | None], library: Library
) -> list[Match]:
    rule: dict[str, Any] = signature.derive or {}
    member = rule["member"]
    groups: dict[tuple[Value | None, ...], list[Match]] = {}
    for match in matches:
        if match.id in rule["source"] and member in match.entities:
            values = {**match.record.fields, **match.entities}
            key = tuple(values.get(k) for k in rule["group"])
            groups.setdefault(key, []).append(match)
    if len(groups) > 1:  # lines that do not name their group belong to the only named one
        named = [k for k in groups if None not in k]
        for key in [k for k in groups if None in k]:
            if len(named) == 1:
                groups[named[0]] = sorted(groups[named[0]] + groups.pop(key), key=lambda m: m.order)
    out: list[Match] = []
    for own in groups.values():
        for suspect in rule["suspect"]:
            ranks, evidence = _suspects(suspect, rule, own, matches, times, library)
            if ranks:
                for rank in evidence if suspect["differ"] else sorted(ranks, key=str):
                    out.append(_match(signature, rank, evidence.get(rank) or own[0], own, suspect))
                break
    return out


def _suspects(
    suspect: dict[str, Any], rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match],
    times: dict[int, Stamp | None], library: Library,
) -> tuple[set[Value], dict[Value, Match]]:  # fmt: skip
    member = rule["member"]
    if suspect["differ"]:
        return _differing(suspect, member, own, times)
    if suspect["min"]:
        return _smallest(suspect["min"], member, own)
    if suspect["exited_before"]:
        return _exited(rule, own, matches, times)
    if suspect["missing"]:
        return _silent(rule, own, matches, library), {}
    return set(), {}


def _silent(rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match], library: Library) -> set[Value]:
    """The members that say nothing at all, else the few that said nothing since they joined.

    Pasted logs are often cut, so when a large part is silent that tells nothing about any of them.
    """
    member = rule["member"]
    sizes = [n for m in matches if isinstance(n := m.entities.get(rule["universe"]), int)]
    if not sizes or len({m.entities[member] for m in own}) < 2:
        return set()
    size = max(sizes)
    complaining = [m for m in matches if library.signatures[m.id].role != "context"]
    for heard, most in ((matches, size // 2), (complaining, max(1, size // 4))):
        seen = {str(v) for m in heard for v in (m.entities.get(member), m.record.fields.get(member)) if v is not None}
        silent: set[Value] = {i for i in range(size) if str(i) not in seen}
        if silent:
            return silent if len(silent) <= most else set()
    return set()


def _smallest(name: str, member: str, own: Sequence[Match]) -> tuple[set[Value], dict[Value, Match]]:
    """The members with the smallest value in their *first* report; nobody when all are equal or one is alone.

    A later report misleads: a culprit may wake up, go on and time out itself at a higher number.
    """
    first: dict[Value, tuple[float, Match]] = {}
    for match in own:
        value = match.entities.get(name)
        rank = match.entities[member]
        if isinstance(value, (int, float)) and rank not in first:
            first[rank] = (value, match)
    if len(first) < 2 or len({v for v, _ in first.values()}) == 1:
        return set(), {}
    low = min(v for v, _ in first.values())
    slow = {rank: match for rank, (value, match) in first.items() if value == low}
    return set(slow), slow


def _differing(
    suspect: dict[str, Any], member: str, own: Sequence[Match], times: dict[int, Stamp | None]
) -> tuple[set[Value], dict[Value, Match]]:
    """All members, those with the smallest value first, if their reports of about one moment differ.

    Nobody where a member reports several values: then lines of several groups are mixed, which do not compare. Far
    apart, numbers of lines that do not name their group are of different groups too. And where only the number
    differs, `unless_min` tells better who is behind.
    """
    names: Sequence[str] = suspect["differ"]
    first: dict[Value, Match] = {}
    start = min((t.seconds for m in own if (t := times.get(id(m.record)))), default=0.0)
    for match in own:
        told = [match.entities.get(name) for name in names]
        when = times.get(id(match.record))
        if None in told or (when is not None and when.seconds - start > _TOGETHER):
            continue
        known = first.setdefault(match.entities[member], match)
        if told != [known.entities.get(name) for name in names]:
            return set(), {}
    values = {rank: [m.entities[name] for name in names] for rank, m in first.items()}
    if len({str(v) for v in values.values()}) < 2:
        return set(), {}
    behind = suspect["unless_min"] and _smallest(suspect["unless_min"], member, own)[0]
    if behind and len({str(v[1:]) for v in values.values()}) == 1:
        return set(), {}
    numbers = [v[0] for v in values.values() if isinstance(v[0], (int, float))]
    unnamed = any(m.record.fields.get("pg") is None for m in first.values())
    if len(numbers) < len(values) or (unnamed and max(numbers) - min(numbers) > _FAR):
        return set(), {}
    ranks = sorted(first, key=lambda rank: (values[rank][0], str(rank)))
    return set(ranks), {rank: first[rank] for rank in ranks}


def _exited(
    rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match], times: dict[int, Stamp | None]
) -> tuple[set[Value], dict[Value, Match]]:
    """Members that left before the first report of those who waited."""
    member = rule["member"]
    waiting = {m.entities[member] for m in own if m.id not in rule["exited"]}
    start = min((t.seconds for m in own if m.id not in rule["exited"] and (t := times.get(id(m.record)))), default=None)
    gone: dict[Value, Match] = {}
    for match in matches:
        when = times.get(id(match.record))
        rank = match.entities.get(member)
        early = when is not None and start is not None and when.seconds < start
        if match.id in rule["exited"] and rank is not None and rank not in waiting and early:
            gone.setdefault(rank, match)
    return set(gone), gone


def _match(signature: Signature, rank: Value, evidence: Match, own: Sequence[Match], suspect: dict[str, Any]) -> Match:
    record: Record = evidence.record
    entities = {k: v for k, v in evidence.entities.items() if k in ("host", "op", "seq", "timeout_ms")}
    for match in own:
        for key in ("op", "seq", "timeout_ms", "host"):
            if key in match.entities:
                entities.setdefault(key, match.entities[key])
    member = (signature.derive or {})["member"]
    made = Match(signature.id, record, evidence.span, {**entities, member: rank}, evidence.order)
    made.entities["_confidence"] = suspect["confidence"]
    return made
