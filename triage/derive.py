"""Findings that no single line holds: who, among the ranks of a process group, did not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triage import collectives
from triage.collectives import Times
from triage.formats import nccl
from triage.formats.torchrun import SIGNALS
from triage.identity import Identities
from triage.library.library import Library, Signature
from triage.model import Match, Record, Value

_ENDS = "exit-code-"  # what a shell, a CI or a container says of the end of its program
_OF_PROGRAMS = ("text", "traceback", "glog", "nccl", "cpp-abort", "faulthandler")
_WHO = ("host", "pod", "rank", "local_rank", "pid", "gpu")  # of a report that a rank made of itself


def derived(matches: Sequence[Match], library: Library, times: Times, identities: Identities) -> list[Match]:
    """The matches of all signatures with `derive`. The given matches are completed by what others of the job tell."""
    _complete(matches, library)
    collectives.name_groups(matches)
    found: list[Match] = []
    for name in library.table().derived:
        found.extend(_judge(library.signatures[name], matches, times, library))
    return found


def _complete(matches: Sequence[Match], library: Library) -> None:
    """Adds what follows for sure: how the program of a log ended, the signal of an exit code, the interface of a peer's
    address, NCCL's version.

    The version is only certain where all of the job agree; it is told by lines of their own. An exit code is that of
    the faults above it where the log tells of one end only.
    """
    _end([match for match in matches if library.signatures[match.id].role != "carrier"])
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


def _end(matches: Sequence[Match]) -> None:
    ends: dict[str, set[Value]] = {}
    last: dict[str, int] = {}
    for match in matches:
        if match.id.startswith(_ENDS) and "exit_code" in match.entities:
            source = match.record.source
            ends.setdefault(source, set()).add(match.entities["exit_code"])
            last[source] = match.order
    for match in matches:
        source = match.record.source
        if len(ends.get(source, ())) == 1 and match.order < last[source] and match.record.format in _OF_PROGRAMS:
            code = next(iter(ends[source]))
            if code != 1:  # any error ends so
                match.entities.setdefault("exit_code", code)


def _signal(code: Value | None) -> str | None:
    """`SIGKILL` for -9 (Python) and 137 (shell); None for a code that a program chose itself."""
    if not isinstance(code, int):
        return None
    return SIGNALS.get(-code if code < 0 else code - 128)


def _judge(signature: Signature, matches: Sequence[Match], times: Times, library: Library) -> list[Match]:
    rule: dict[str, Any] = signature.derive or {}
    groups = collectives.grouped(rule, matches)
    out: list[Match] = []
    judged: set[tuple[Value | None, ...]] = set()
    for key, own in groups.items():
        place = key[:-1] if rule["group"][-1:] == ["seq"] else key
        if place in judged:  # after the first collective that differs all others do
            continue
        for suspect in rule["suspect"]:
            named = collectives.suspects(suspect, rule, own, matches, times, library)
            if named is not None:
                judged.add(place)
                out += [_match(signature, rank, evidence or own[0], own, suspect) for rank, evidence in named]
                break
    if not out:
        for suspect in rule["suspect"]:
            for rank, evidence in collectives.crossed(suspect["crossed"], rule["member"], groups, times):
                out += [_match(signature, rank, evidence, (), suspect)] if evidence else []
    return out


def _match(
    signature: Signature, rank: Value | None, evidence: Match, own: Sequence[Match], suspect: dict[str, Any]
) -> Match:
    """A match about a rank; without one it only shows what the ranks beside the suspected ones were doing."""
    record: Record = evidence.record
    entities = {k: v for k, v in evidence.entities.items() if k in ("host", "op", "seq", "timeout_ms")}
    for match in own:
        for key in ("op", "seq", "timeout_ms", "host"):
            if key in match.entities:
                entities.setdefault(key, match.entities[key])
    member = (signature.derive or {})["member"]
    if rank is not None:
        entities[member] = rank
    if rank is not None and evidence.entities.get(member) == rank:
        entities.update((k, v) for k, v in evidence.entities.items() if k in _WHO)
    made = Match(signature.id, record, evidence.span, entities, evidence.order)
    made.entities["_confidence"] = suspect["confidence"]
    return made
