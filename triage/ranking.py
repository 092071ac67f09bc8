"""Which incident is the one in question, and what comes first in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from triage.incidents import SILENCE, Group, by_machine, distance, reach
from triage.model import SEVERITIES


def _ends_job(one: Group) -> bool:
    return not by_machine(one) and one.role != "context"


def _is_root(one: Group) -> bool:
    return one.role == "cause" and not one.explained_by and _weight(one) >= 2


def order(parts: list[list[Group]]) -> tuple[list[Group], list[list[Group]], list[list[Group]]]:
    """The incident that ended the job (else the last one), the others of unknown time, and the earlier ones."""
    if not parts:
        return [], [], []
    timeless = [p for p in parts if all(g.first is None for g in p)]
    timed = sorted((p for p in parts if p not in timeless), key=_end)
    jobs = [p for p in timed if any(_ends_job(g) and _weight(g) >= 2 for g in p)]
    main = list(jobs[-1]) if jobs else []
    for part in timeless:
        if any(_ends_job(g) for g in part) or not main:
            main.extend(part)
    if not main:
        main = list(timed[-1])
    taken = {id(g) for g in main}
    others: list[list[Group]] = []
    earlier: list[list[Group]] = []
    for part in [*timed, *timeless]:
        rest = [g for g in part if id(g) not in taken]
        if rest:
            taken.update(id(g) for g in rest)
            (earlier if _before(rest, main) else others).append(rest)
    machine = [p for p in others if not any(_ends_job(g) for g in p)]
    for part in machine[:-1]:  # of machine logs on a clock of their own only the last event can have ended the job
        others.remove(part)
        earlier.append(part)
    if machine and not any(_is_root(g) for g in main) and any(_is_root(g) for g in machine[-1]):
        others.remove(machine[-1])
        main += machine[-1]
    return sorted(main, key=lambda g: g.order), others, earlier


def _end(part: Sequence[Group]) -> tuple[int, float]:
    """Absolute times after boot times: a clock that starts at zero cannot be compared."""
    last = [g.last for g in part if g.last is not None]
    absolute = [t for t in last if t.kind != "boot"]
    return (1, max(t.seconds for t in absolute)) if absolute else (0, max(t.seconds for t in last))


def _before(part: Sequence[Group], main: Sequence[Group]) -> bool:
    pairs = [(g, m) for g in part for m in main]
    known = [(g, m, d) for g, m in pairs if (d := distance(g, m)) is not None]
    if not known:
        return False
    return all(d > SILENCE and g.last and m.first and g.last.seconds < m.first.seconds for g, m, d in known)


def _weight(one: Group) -> int:
    return SEVERITIES.index(one.severity)


def rank(part: Sequence[Group]) -> list[Group]:
    """Roots first, then what they explain, then the rest; and an unexplained carrier only where no root is known."""
    roots = [g for g in part if not g.explained_by and g.role in ("cause", "symptom")]
    roots.sort(key=_root_key(roots))
    for one in roots:
        if one.role == "symptom":
            one.role, one.confidence = "cause", "possible"
            one.note = "usually the effect of something that is not in the input"
    if not roots:
        carriers = sorted((g for g in part if not g.explained_by and g.role == "carrier"), key=_carrier_key)
        if carriers:
            carriers[0].role = "unknown"
            roots = carriers[:1]
    ordered = list(roots)
    for root in roots:
        ordered += [g for g in sorted(reach(root), key=lambda g: g.order) if g not in ordered]
    ordered += [g for g in part if g not in ordered]
    return [g for g in ordered if g in part]


def _root_key(roots: Sequence[Group]) -> Callable[[Group], tuple[object, ...]]:
    clocks = {(g.source if g.first.kind == "boot" else "") if g.first else None for g in roots}
    comparable = len(clocks) == 1 and None not in clocks

    def key(one: Group) -> tuple[object, ...]:
        effects = reach(one)
        own = sum(_ends_job(g) for g in effects)
        ends = own > 0 or _ends_job(one)
        # Where the clocks cannot be compared, the one that accounts for more of the job's end comes first.
        when = one.first.seconds if comparable and one.first else -float(own)
        unsure = one.signature.confidence == "possible"
        return (one.role != "cause", _weight(one) < 2, not ends, one.signature.fallback, unsure, when, one.order)

    return key


def _carrier_key(one: Group) -> tuple[object, ...]:
    informative = sum(k in one.entities for k in ("signal", "exit_code", "rank", "pid"))
    return (-_weight(one), -len(reach(one)), -informative, one.order)
