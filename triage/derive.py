"""Findings that no single line holds: who, among the ranks of a process group, did not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triage.identity import Identities
from triage.library.library import Library, Signature
from triage.model import Match, Record, Stamp, Value


def derived(
    matches: Sequence[Match], library: Library, times: dict[int, Stamp | None], identities: Identities
) -> list[Match]:
    """The matches of all signatures with `derive`."""
    found: list[Match] = []
    for name in library.table().derived:
        found.extend(_judge(library.signatures[name], matches, times, identities))
    return found


def _judge(
    signature: Signature, matches: Sequence[Match], times: dict[int, Stamp | None], identities: Identities
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
            ranks, evidence = _suspects(suspect, rule, own, matches, times, identities)
            if ranks:
                for rank in sorted(ranks, key=str):
                    out.append(_match(signature, rank, evidence.get(rank) or own[0], own, suspect))
                break
    return out


def _suspects(
    suspect: dict[str, Any], rule: dict[str, Any], own: Sequence[Match], matches: Sequence[Match],
    times: dict[int, Stamp | None], identities: Identities,
) -> tuple[set[Value], dict[Value, Match]]:  # fmt: skip
    member = rule["member"]
    if suspect["min"]:
        return _smallest(suspect["min"], member, own)
    if suspect["exited_before"]:
        return _exited(rule, own, matches, times)
    if suspect["missing"]:
        sizes = {m.entities.get(rule["universe"]) for m in matches}
        numbers = [n for n in sizes if isinstance(n, int)]
        seen = {m.entities[member] for m in matches if member in m.entities} | {
            m.record.fields.get(member) for m in matches
        }
        if numbers and len({m.entities[member] for m in own}) > 1:
            silent: set[Value] = {i for i in range(max(numbers)) if i not in seen and str(i) not in seen}
            return (silent, {}) if 0 < len(silent) <= max(numbers) // 2 else (set(), {})
    return set(), {}


def _smallest(
    name: str, member: str, own: Sequence[Match]
) -> tuple[set[Value], dict[Value, Match]]:
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
