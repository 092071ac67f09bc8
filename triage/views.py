"""One fault under several names: what is only another view of a finding is not told twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triage import clock
from triage.identity import union, values
from triage.incidents import Group, by_machine
from triage.library.library import Library
from triage.timing import Edge

_APART = 60.0  # seconds within which ranks that fail alike have failed of one thing
_NAMES = ("host", "rank", "local_rank", "pid", "gpu", "gpu_uuid", "pci")  # of a rank, its process and its GPU


def fold(active: Sequence[Group], library: Library, edges: Iterable[Edge]) -> None:
    """Makes context of each group that only repeats another one in other words.

    That is the parent of a more exact signature (`refines`), a second conclusion from the same reports (`derive`), and
    a stack without an exception beside a fault that has a name.
    """
    for cause, effect, _, link in edges:
        if link is None or link.relation != "same" or cause not in effect.explained_by or effect.role == "context":
            continue
        if cause.signature.derive and effect.signature.derive:
            _drop(effect, cause)
            cause.note = cause.note or f"seen also as {effect.id}"
        elif effect.id in _parents(cause.id, library):
            _drop(effect, cause)
    named = [g for g in active if g.role in ("cause", "symptom") and not g.signature.fallback]
    for one in active:
        nameless = one.signature.fallback and not any(m.record.fields.get("exception") for m in one.matches)
        if nameless and not one.explains:
            beside = next((g for g in named if g.source == one.source), None)
            if beside is not None:
                _drop(one, beside)


def _parents(name: str, library: Library) -> set[str]:
    found: set[str] = set()
    todo = [name]
    while todo:
        signature = library.signatures.get(todo.pop())
        fresh = [p for p in signature.refines if p not in found] if signature else []
        found.update(fresh)
        todo += fresh
    return found


def _drop(one: Group, kept: Group) -> None:
    """Leaves `one` as a fact; what it explained, `kept` explains."""
    for cause in one.explained_by:
        cause.explains = [g for g in cause.explains if g is not one]
    for effect in one.explains:
        effect.explained_by = _each(kept if g is one else g for g in effect.explained_by)
        if effect not in kept.explains and effect is not kept:
            kept.explains.append(effect)
    one.role, one.note, one.explains, one.explained_by = "context", f"another view of {kept.id}", [], []


def unite(ranked: Sequence[Group]) -> list[Group]:
    """The findings of an incident; what has failed alike and at once on several ranks or devices is one of them."""
    kept: list[Group] = []
    for one in ranked:
        known = next((k for k in kept if _alike(k, one)), None)
        if known is None:
            kept.append(one)
        else:
            kept[kept.index(known)] = _united(known, one)
    return kept


def _alike(a: Group, b: Group) -> bool:
    if a.id != b.id or a.explained_by or b.explained_by or (a.role, b.role) not in (
        ("cause", "cause"), ("carrier", "carrier"), ("unknown", "carrier"),
    ):  # fmt: skip
        return False
    if any(_said(a, key) != _said(b, key) for key in (*(k for k in a.signature.key if k not in _NAMES), "exception")):
        return False
    if by_machine(a) or by_machine(b):
        elsewhere = values(a.entities, "host") != values(b.entities, "host")
        return not elsewhere and _at_once(a, b) is True
    ranks = values(a.entities, "rank") and values(b.entities, "rank")
    return bool(ranks or values(a.entities, "host") == values(b.entities, "host")) and _at_once(a, b) is not False


def _said(one: Group, key: str) -> set[object]:
    return {m.entities.get(key, m.record.fields.get(key)) for m in one.matches}


def _at_once(a: Group, b: Group) -> bool | None:
    """Whether both began within a minute; None where their clocks cannot be compared."""
    if a.first is None or b.first is None or not clock.comparable(a.first, b.first, a.source == b.source):
        return None
    return abs(a.first.seconds - b.first.seconds) <= _APART


def _united(a: Group, b: Group) -> Group:
    """Both as one finding, with the matches in the order of their times as far as these can be compared."""
    pairs = [*zip(a.matches, a.times, strict=True), *zip(b.matches, b.times, strict=True)]
    if _at_once(a, b) is not None and None not in (*a.times, *b.times):
        pairs.sort(key=lambda pair: pair[1].seconds if pair[1] else 0.0)
    both = Group(a.signature, [m for m, _ in pairs], [t for _, t in pairs])
    first, second = (a, b) if pairs[0][0] in a.matches else (b, a)
    both.entities = union((first.entities, second.entities))
    both.role, both.severity, both.strength, both.note = a.role, a.severity, a.strength, a.note
    both.confidence, both.incident, both.loose = a.confidence, a.incident, first.loose
    both.explains = _each((*a.explains, *b.explains))
    both.after = list({g.id: g for g in (*first.after, *second.after)}.values())
    for effect in both.explains:
        effect.explained_by = _each(both if g in (a, b) else g for g in effect.explained_by)
    return both


def _each(groups: Iterable[Group]) -> list[Group]:
    return list({id(g): g for g in groups}.values())
