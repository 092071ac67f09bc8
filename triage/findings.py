"""Groups as findings of the report: entities, evidence, meaning, advice, and why they stand where they do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import advise, clock
from triage.correlate import reach
from triage.identity import values
from triage.incidents import Group
from triage.library import expressions
from triage.library.library import Library
from triage.model import Confidence, Entities, Evidence, Finding, Match, Place, Stamp

_EVIDENCE = 8


def finding(one: Group, part: Sequence[Group], library: Library, incident: int) -> Finding:
    signature = one.signature
    record = one.matches[0].record
    entities = visible(one.entities)
    effects = reach(one)
    playbook = library.playbooks.get(signature.playbook)
    first = _place(one.matches[0], one.times[0])
    known: Entities = dict(entities)
    if first.time and not first.time.startswith("+"):
        known["time"] = first.time
    shell: advise.Shell = "powershell" if record.format.startswith("windows") else "posix"
    made = Finding(
        id=one.id, title=fill(signature.title, entities), role=one.role, severity=one.severity,  # type: ignore[arg-type]
        confidence=_confidence(one), incident=incident, entities=entities,
        count=sum(1 + int(m.record.fields.get("_repeats", 0)) for m in one.matches),
        first=first, last=_place(one.matches[-1], one.times[-1]), evidence=_evidence(one, effects),
        explains=list(dict.fromkeys(g.id for g in effects)),
        explained_by=list(dict.fromkeys(g.id for g in one.explained_by)),
        action=signature.action, action_vendor=signature.action_vendor, means=_means(one),
        playbook=advise.fill(playbook, known, shell) if playbook else None,
        recheck=[{"probe": name} for name in signature.recheck], sources=list(signature.sources),
    )  # fmt: skip
    made.why = _why(one, effects, part)
    return made


def visible(entities: Entities) -> Entities:
    return {k: v for k, v in entities.items() if not k.startswith("_")}


def fill(title: str, entities: Entities) -> str:
    """`{xid}` in the title of a table's row."""
    return re.sub(r"\{(\w+)\}", lambda m: str(entities.get(m[1], m[0])), title)


def _confidence(one: Group) -> Confidence:
    if one.signature.status == "draft" or one.role == "unknown":
        return "possible"
    if one.role == "cause" and one.confidence == "likely":
        proven = any(e.strength == "sure" and one in e.explained_by and _shared(one, e) for e in one.explains)
        return "confirmed" if proven else "likely"
    return one.confidence  # type: ignore[return-value]


def _shared(a: Group, b: Group) -> bool:
    """Both name the same device, rank or process, or stand in one record."""
    if {id(m.record) for m in a.matches} & {id(m.record) for m in b.matches}:
        return True
    return any(values(a.entities, k) & values(b.entities, k) for k in ("pci", "gpu_uuid", "rank", "pid"))


def _means(one: Group) -> str:
    """The meaning, with the readings that hold or cannot be judged (all of those that may hold are shown)."""
    texts = [one.signature.means]
    for reading in one.signature.readings:
        verdict = expressions.evaluate(reading["when"], lambda key: one.entities.get(key))
        if verdict is None:
            texts.append(f"If {reading['when']}: {reading['text']}")
        elif verdict:
            texts.append(reading["text"])
    return "\n".join(t for t in texts if t)


def _why(one: Group, effects: Sequence[Group], part: Sequence[Group]) -> str:
    if one.role == "cause":
        text = "nothing in the input explains it"
        if effects:
            text += f", and it explains {len(effects)} other finding{'s' if len(effects) > 1 else ''}"
        rivals = sum(1 for g in part if g.role == "cause" and g is not one)
        if rivals:
            text += f"; {rivals} independent finding{'s' if rivals > 1 else ''} beside it"
        return f"{one.note}; {text}" if one.note else text
    if one.role == "unknown":
        return one.note or "it reports that something failed, and nothing in the input says what"
    if one.explained_by:
        return f"explained by {', '.join(dict.fromkeys(g.id for g in one.explained_by))} ({one.strength})"
    return one.note or ("it only reports the failure of something else" if one.role == "carrier" else "")


def _place(match: Match, stamp: Stamp | None) -> Place:
    record = match.record
    line = record.lines[record.line_at(match.span[0])].number
    return Place(clock.iso(stamp) if stamp else "", record.source, line)


def _evidence(one: Group, effects: Sequence[Group]) -> list[Evidence]:
    """The lines that prove the finding: its own first and last, then one of each thing that it explains."""
    own = [one.matches[0]] if len(one.matches) == 1 else [one.matches[0], one.matches[-1]]
    found: list[Evidence] = []
    for match in own:
        found += _quote(match)
    for effect in effects:
        if len(found) >= _EVIDENCE:
            break
        found += _quote(effect.matches[0])[:1]
    distinct = {(e.source, e.line): e for e in reversed(found)}
    return [e for e in found if distinct[(e.source, e.line)] is e][:_EVIDENCE]


def _quote(match: Match) -> list[Evidence]:
    """The lines under the span of a match, at most three (of more, the first and the last two), each as in its file."""
    record, (low, high) = match.record, match.span
    first, last = record.line_at(low), record.line_at(max(low, high - 1))
    if not record.text[low:high].strip() or last - first > 40:
        last = first
    telling = [i for i in range(first, last + 1) if any(c.isalnum() for c in record.lines[i].raw)]
    quoted = []
    for i in telling if len(telling) <= 3 else (telling[0], *telling[-2:]):
        line = record.lines[i]
        end = record.offsets[i + 1] - 1 if i + 1 < len(record.offsets) else len(record.text)
        part = record.text[max(low, record.offsets[i]) : min(high, end)]
        at = line.raw.find(part) if part else -1
        span = (at, at + len(part)) if at >= 0 else (0, len(line.raw))
        quoted.append(Evidence(record.source, line.number, line.raw, span))
    return quoted
