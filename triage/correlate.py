"""What explains what. The causal table decides, within scope and window; roles are computed here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triage import incidents, promotion, views
from triage.identity import Identities, merge, values
from triage.incidents import Group
from triage.joins import STRENGTHS, holds
from triage.library import expressions
from triage.library.library import Library, Link
from triage.model import Value
from triage.timing import Edge, settled

_SHARED = (
    "host", "pci", "gpu_uuid", "gpu", "rank", "local_rank", "pid", "process", "unit", "ntstatus", "event_id",
)  # fmt: skip
_ABOUT_GPUS = ("nvidia", "smi")  # families
_TOLD = ("module", "library", "rank")  # names that the fact which set a fault off tells, and the fault does not


def correlate(groups: Sequence[Group], library: Library, identities: Identities) -> None:
    """Links the groups by the causal table and by exception chains, and gives each its role."""
    for one in groups:
        one.role, one.severity = one.signature.role, one.signature.severity
        one.confidence = str(one.matches[0].entities.get("_confidence") or one.signature.confidence)
        _promote(one, groups, identities)
        if one.handled:
            one.role, one.note = "context", one.handled
    active = [g for g in groups if g.role != "context"]
    chained = list(_chain_edges(active))
    turned = {(id(effect), id(cause)) for cause, effect, _, _ in chained}
    table = settled(_table_edges(active, library, _one_namespace(groups)))
    edges = [*(edge for edge in table if (id(edge[0]), id(edge[1])) not in turned), *chained]
    edges.sort(key=lambda e: (-STRENGTHS[e[2]], abs(incidents.gap(e[0], e[1]) or 0.0), e[0].order))
    held: dict[tuple[int, int], int] = {}
    for cause, effect, strength, link in edges:
        if effect is cause or incidents.reaches(effect, cause):
            continue
        cause.explains.append(effect)
        effect.explained_by.append(cause)
        held.setdefault((id(cause), id(effect)), STRENGTHS[strength])
        if STRENGTHS[strength] > STRENGTHS.get(effect.strength, 0):
            effect.strength = strength
        if link is not None and link.relation == "same":
            _share(cause, effect)
    for one in active:
        if one.taken_back and not one.explains and not one.explained_by and one.signature.role == "symptom":
            one.role, one.note = "context", one.taken_back
        if _idle(one):
            one.role, one.note = "context", "it asks for nothing, and nothing in the input follows from it"
        if one.explained_by:
            one.role = "symptom" if one.role != "carrier" else "carrier"
    _hand_down(active)
    _cast_doubt(active)
    views.fold(active, library, edges)
    for one in active:
        one.explained_by = sorted(one.explained_by, key=lambda cause, one=one: _nearness(cause, one, held))  # type: ignore[misc]
    _triggers(groups, library)
    for one in active:
        if one.signature.family in _ABOUT_GPUS and one.role != "context":
            identities.name_only_gpu(one.entities)


def _cast_doubt(groups: Sequence[Group]) -> None:
    """What a record says of itself can contradict what was read from it: the finding is possible then, no more."""
    for one in groups:
        for cause in one.explained_by if one.signature.doubts else ():
            records = {id(match.record): match.record for match in one.matches}
            shared = [records[id(m.record)] for m in cause.matches if id(m.record) in records]
            if shared:
                cause.confidence, cause.note = "possible", str(shared[0].fields.get("doubt", one.signature.title))


def _idle(one: Group) -> bool:
    """Whether a job's symptom that needs no action, such as an interrupt from the keyboard, led to nothing.

    That the driver tears down what a process left behind (Xid 45) is nothing either. What somebody did on purpose
    (severity `info`) needs no action whatever follows from it.
    """
    if one.role != "symptom" or one.signature.action != "none" or one.explained_by or incidents.by_machine(one):
        return False
    tidied = all(
        incidents.by_machine(other) and (other.role == "carrier" or other.signature.action == "none")
        for other in one.explains
    )
    return one.severity == "info" or (one.severity == "warning" and tidied)


def _nearness(cause: Group, effect: Group, held: dict[tuple[int, int], int]) -> tuple[float, ...]:
    """Sorts the causes of an effect: of the same process and host first, then the strongest, then the nearest."""
    strength = held.get((id(cause), id(effect)), 0)
    between = sum((id(cause), id(other)) in held for other in effect.explained_by)  # others stand between the two
    return (
        *(_apart(cause, effect, key) for key in ("rank", "host")),
        -strength, between, abs(incidents.gap(cause, effect) or 0.0), -cause.order,
    )  # fmt: skip


def _apart(a: Group, b: Group, key: str) -> int:
    """0: both name the same. 1: one of them does not tell. 2: they differ."""
    mine, other = values(a.entities, key), values(b.entities, key)
    return 1 if not mine or not other else 0 if mine & other else 2


def _triggers(groups: Sequence[Group], library: Library) -> None:
    """Notes the facts that set a fault off (a reload, an upgrade), where a link names them: no faults themselves."""
    facts: dict[str, list[Group]] = {}
    for one in groups:
        if one.role == "context" and not one.handled and not one.note:
            facts.setdefault(one.id, []).append(one)
    roots: dict[str, list[Group]] = {}
    for one in groups:
        if one.role != "context" and not one.explained_by:
            roots.setdefault(one.id, []).append(one)
    for link in library.links:
        for name, where in link.cause if link.relation == "explains" else ():
            for fact in _ends([(name, where)], facts) if not name.endswith("*") else ():
                for root in _ends(link.effect, roots):
                    if holds(link, fact, root):
                        root.after = _nearest([*root.after, fact], root)
    for own in roots.values():
        for root in own:
            for fact in root.after:
                root.entities.update((k, v) for k, v in fact.entities.items() if k in _TOLD and k not in root.entities)


def _nearest(facts: Sequence[Group], root: Group) -> list[Group]:
    """Of several facts of one kind the one nearest in time."""
    kept: dict[str, Group] = {}
    for fact in sorted(facts, key=lambda g: abs(incidents.gap(g, root) or 0.0)):
        kept.setdefault(fact.id, fact)
    return list(kept.values())


def _promote(one: Group, groups: Sequence[Group], identities: Identities) -> None:
    """Raises or lowers a finding by its `promote` rules."""
    for rule in one.signature.promote:
        known = expressions.evaluate(
            rule["when"], lambda name: promotion.value(one, name, identities),
            lambda name, arguments: promotion.call(one, name, arguments, groups),
        )  # fmt: skip
        if known:
            one.role = rule.get("role", one.role)
            one.severity = rule.get("severity", one.severity)
            one.handled = rule.get("note", one.handled)


def _one_namespace(groups: Sequence[Group]) -> bool:
    """Whether kernel and job count processes alike: a pid of the job's logs stands in a kernel log too.

    In a container they do not, and then a pid of the kernel says nothing about one of the job.
    """
    kernel: set[Value] = set()
    job: set[Value] = set()
    for one in groups:
        for match in one.matches:
            if isinstance(pid := match.entities.get("pid"), int):
                (kernel if match.record.format == "kernel" else job).add(pid)
    return bool(kernel & job)


def _table_edges(groups: Sequence[Group], library: Library, one_namespace: bool) -> Iterable[Edge]:
    by_id: dict[str, list[Group]] = {}
    for one in groups:
        by_id.setdefault(one.id, []).append(one)
    for link in library.links:
        causes = list(_ends(link.cause, by_id))
        if not causes:
            continue
        own = _by_rank(causes)
        for effect in _ends(link.effect, by_id):
            mine = own.get(_rank(effect), []) if own else []
            for cause, strength in _joined(link, causes, mine, effect, one_namespace):
                yield cause, effect, strength, link


def _joined(
    link: Link, causes: Sequence[Group], mine: Sequence[Group], effect: Group, one_namespace: bool
) -> list[tuple[Group, str]]:
    """The causes of an effect by one link. `mine` are those of its own rank: where one of them holds, the same fault on
    the peers of a large job says nothing more."""
    near = [(c, how) for c in mine if c is not effect and (how := holds(link, c, effect, one_namespace))]
    told = {cause.id for cause, _ in near}
    rest = (cause for cause in causes if cause is not effect and cause.id not in told)
    return [*near, *((c, how) for c in rest if (how := holds(link, c, effect, one_namespace)))]


def _by_rank(groups: Sequence[Group]) -> dict[tuple[Value, Value] | None, list[Group]]:
    """The groups that name one rank, by rank and host; nothing where only one does."""
    found: dict[tuple[Value, Value] | None, list[Group]] = {}
    for one in groups:
        if (rank := _rank(one)) is not None:
            found.setdefault(rank, []).append(one)
    return found if len(found) > 1 else {}


def _rank(one: Group) -> tuple[Value, Value] | None:
    rank, host = one.entities.get("rank"), one.entities.get("host", "")
    return None if rank is None or isinstance(rank, list) or isinstance(host, list) else (rank, host)


def _ends(ends: Sequence[tuple[str, str]], by_id: dict[str, list[Group]]) -> Iterable[Group]:
    """The groups that one side of a link names; its condition may also ask for `role` and `severity`."""
    for name, where in ends:
        found = by_id.get(name, ())
        if name.endswith("*"):
            found = [g for known, gs in by_id.items() if known.startswith(name[:-1]) for g in gs]
        for one in found:
            if not where or expressions.evaluate(where, lambda key, g=one: _value(g, key)):  # type: ignore[misc]
                yield one


def _value(one: Group, key: str) -> Any:
    if key.startswith("_"):  # helpers are kept with each match
        return one.matches[0].entities.get(key)
    return getattr(one, key) if key in ("role", "severity") else one.entities.get(key)


def _chain_edges(groups: Sequence[Group]) -> Iterable[Edge]:
    """In one chain of exceptions the earlier exception is the cause of the later one."""
    from triage.formats.python import exceptions

    by_record: dict[int, list[Group]] = {}
    for one in groups:
        for match in one.matches:
            if match.record.format == "traceback":
                by_record.setdefault(id(match.record), []).append(one)
    for key, own in by_record.items():
        if len(own) < 2:
            continue
        record = next(m.record for m in own[0].matches if id(m.record) == key)
        chain = exceptions(record)
        place = {
            id(g): next((i for i, one in enumerate(chain) if one.holds(m.span[0])), 0)
            for g in own for m in g.matches if id(m.record) == key
        }  # fmt: skip
        for a in own:
            for b in own:
                if a is not b and place[id(a)] < place[id(b)]:
                    yield a, b, "usual", None


def _share(a: Group, b: Group) -> None:
    """Two views of one fault know the same device: each takes over what only the other tells."""
    for one, other in ((a, b), (b, a)):
        for key in _SHARED:
            known = one.entities.get(key)
            if key in other.entities and (known is None or (key == "event_id" and known == 0)):
                one.entities[key] = other.entities[key]


def _hand_down(groups: Sequence[Group]) -> None:
    """A launcher's summary names the rank of a traceback that has no rank of its own, if only one can be meant."""
    for one in groups:
        if one.explained_by or "rank" in one.entities:
            continue
        named = [e for e in one.explains if e.signature.role == "carrier" and "rank" in e.entities]
        rivals = [g for g in groups if g is not one and not g.explained_by and g.role in ("cause", "symptom")
                  and any(e in g.explains for e in named)]  # fmt: skip
        ranks = {rank for e in named if (rank := str(e.entities["rank"])).isdecimal()}  # `0-2` were ended with it
        if named and not rivals and len(ranks) == 1:
            source = next(e for e in named if str(e.entities["rank"]) in ranks)
            merge(one.entities, {"rank": int(ranks.pop())})
            for key in ("local_rank", "host", "pid"):
                if key in source.entities and key not in one.entities:
                    merge(one.entities, {key: source.entities[key]})  # type: ignore[dict-item]
