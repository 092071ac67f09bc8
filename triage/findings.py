"""Groups as findings of the report: entities, evidence, meaning, advice, and why they stand where they do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import advise, clock, decode
from triage.decode import aer
from triage.evidence import quote
from triage.identity import union, values
from triage.incidents import Group, by_machine, gap, reach
from triage.library import expressions
from triage.library.library import Library, Signature
from triage.model import Advice, Confidence, Entities, Evidence, Finding, Match, Place, Stamp
from triage.system import System, system_of

_EVIDENCE = 8
_PROOF = 4  # matches that are asked for their system
_MESSAGE = 160  # characters of an exception's message in a title
_GPU = ("pci", "gpu_uuid", "gpu_model")
_RENUMBERED = ("gpu", "local_rank")  # a job counts its GPUs in its own way (CUDA_VISIBLE_DEVICES)


def finding(one: Group, library: Library, incident: int) -> Finding:
    signature, doubt = one.signature, _doubt(one)
    effects = reach(one)
    entities = visible(one.entities) | _behind(one)
    first, last = _ends(one)
    made = Finding(
        id=one.id, title=_title(one, entities, signature.title), role=one.role, severity=one.severity,  # type: ignore[arg-type]
        confidence=_confidence(one), incident=incident, entities=entities,
        count=sum(1 + int(m.record.fields.get("_repeats", 0)) for m in one.matches),
        first=first, last=last, evidence=_evidence(one, effects),
        explains=list(dict.fromkeys(g.id for g in effects)),
        explained_by=list(dict.fromkeys(g.id for g in (*one.explained_by, *one.after))),
        action=doubt.action if doubt else signature.action, action_vendor=signature.action_vendor, means=_means(one),
        playbook=_advice(one, effects, first, library),
        recheck=[{"probe": name} for name in signature.recheck], sources=list(signature.sources),
    )  # fmt: skip
    made.decoded = decode.explain(one.id, [m.record.text for m in one.matches], one.entities)
    made.why = _why(one, effects)
    made.title_zh, made.summary_zh = _title(one, entities, signature.title_zh), fill(signature.summary_zh, entities)
    return made


def _behind(one: Group) -> Entities:
    """The names of the GPU behind a port, from the faults of a GPU that the port explains."""
    if "root_port" not in one.entities:
        return {}
    own = values(one.entities, "pci")
    for circle in (one.explains, reach(one)):  # what it explains itself is nearer than what follows from that
        gpus = [g.entities for g in circle if "pci" in g.entities and ("xid" in g.entities or "gpu_uuid" in g.entities)]
        known = union([{k: e[k] for k in _GPU if k in e} for e in gpus if not own or e["pci"] in own])
        if known:
            return {k: v for k, v in known.items() if k not in one.entities}
    return {}


def compare(found: Finding, groups: Sequence[Group]) -> None:
    """Decodes a fault together with the earlier and later ones of its kind on the same GPU: a place that changes, or
    stays the same, tells what is at fault."""
    if found.id.startswith(decode.PORTS):
        found.decoded += filter(None, [_upstream(found, groups)])
    pci = found.entities.get("pci")
    if found.id not in decode.PLACES or not isinstance(pci, str):
        return
    kin = [g for g in groups if g.id == found.id and g.entities.get("pci") == pci]
    kin.sort(key=lambda g: g.entities.get("pid") != found.entities.get("pid"))  # its own lines first
    if len(kin) > 1:
        found.decoded = decode.explain(found.id, [m.record.text for g in kin for m in g.matches], found.entities)


def _upstream(found: Finding, groups: Sequence[Group]) -> str:
    """What the devices of this incident that report PCIe errors share, if the finding is about one of them."""
    places: dict[str, str] = {}
    for one in groups:
        if one.id.startswith(decode.PORTS) and one.entities.get("host") == found.entities.get("host"):
            for port in map(str, values(one.entities, "root_port")):
                for device in map(str, values(one.entities, "pci")):
                    if not port.startswith(f"{device}."):  # a port that reports of itself
                        places[device] = port
    return aer.shared(places) if {*map(str, values(found.entities, "pci"))} & places.keys() else ""


def _another(one: Group, effect: Group) -> bool:
    """Whether the effect befell another host, rank or device: its pid or its GPU are not those of the cause."""
    pairs = ((values(one.entities, key), values(effect.entities, key)) for key in ("host", "pod", "rank", "pci"))
    return any(mine and other and not mine & other for mine, other in pairs)


def _advice(one: Group, effects: Sequence[Group], first: Place, library: Library) -> Advice | None:
    """The playbook, its blanks filled from the finding, else from what all of its effects agree on."""
    playbook = library.playbooks.get(one.signature.playbook)
    if playbook is None:
        return None
    known: Entities = {}
    for circle in (effects, one.explains):  # what it explains itself is nearer than what follows from that
        agreed: Entities = {}
        for effect in circle:
            if _another(one, effect):
                continue
            for key, value in visible(effect.entities).items():
                if key not in _RENUMBERED or by_machine(effect):
                    agreed[key] = value if agreed.get(key, value) == value else []
        known |= agreed
    known |= visible(one.entities)
    if not known.get("pci"):  # of several GPUs behind one port the first stands for all
        known |= {k: v for k, v in _behind(one).items() if k == "pci"}
    if first.time and not first.time.startswith("+"):
        known["time"] = first.time
    system = _system(one)
    advice = advise.fill(playbook, known, system)
    doubt = _doubt(one)
    checks = library.playbooks.get(doubt.playbook) if doubt else None
    if checks is not None:  # what casts doubt on the finding is looked at first
        before = [step for step in advise.fill(checks, known, system).steps if step.section == "Confirm"]
        advice.steps = [*before, *advice.steps]
    return advice


def _system(one: Group) -> System:
    """The system of a finding; a kernel log of the same fault may tell it, a path there not: WSL has the same."""
    own = [match.record for match in one.matches[:_PROOF]]
    near = [effect for effect in one.explains if not _another(one, effect)]
    kernel = [m.record for effect in near for m in effect.matches[:_PROOF] if m.record.format == "kernel"]
    return system_of(own) or system_of([*own, *kernel])


def _doubt(one: Group) -> Signature | None:
    """What casts doubt on a finding: an effect whose signature says so."""
    return next((effect.signature for effect in one.explains if effect.signature.doubts), None)


def _title(one: Group, entities: Entities, text: str) -> str:
    """The title; of an exception that no signature knows, also its type and message."""
    title = fill(text, entities)
    fields = next((m.record.fields for m in one.matches if m.record.fields.get("exception")), None)
    if not title or not one.signature.fallback or fields is None:
        return title
    named = one.matches[0].entities
    kind, message = fields["exception"], str(fields.get("message") or "")
    if "_exception" in named:  # the first of a chain that nothing else speaks of
        kind, message = named["_exception"], str(named["_message"])
    elif "original" in fields:
        kind, message = fields["original"], str(fields["original_message"])
    if len(message) > _MESSAGE:
        message = message[:_MESSAGE].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
    return f"{title}: {kind}" + (f": {message}" if message else "")


def visible(entities: Entities) -> Entities:
    return {k: v for k, v in entities.items() if not k.startswith("_")}


def fill(title: str, entities: Entities) -> str:
    """`{xid}` in the title of a table's row."""
    return re.sub(r"\{(\w+)\}", lambda m: str(entities.get(m[1], m[0])), title)


def at_host(what: str, entities: Entities) -> str:
    """`kernel log of the host` with the name of the host, where it is known."""
    host = entities.get("host")
    return re.sub(r"\b(of|on) (?:the|that|its) host\b", rf"\1 {host}", what) if isinstance(host, str) else what


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


def _why(one: Group, effects: Sequence[Group]) -> str:
    if one.role == "cause":
        text = "nothing in the input explains it"
        if one.after:
            text = f"no other fault in the input explains it; {_met(one)}"
        if effects:
            text += f", and it explains {len(effects)} other finding{'s' if len(effects) > 1 else ''}"
            text += _unordered(one, effects)
        return f"{one.note}; {text}" if one.note else text
    if one.role == "unknown":
        return one.note or "it reports that something failed, and nothing in the input says what"
    if one.explained_by:
        return f"explained by {', '.join(dict.fromkeys(g.id for g in one.explained_by))} ({one.strength})"
    return one.note or ("it only reports the failure of something else" if one.role == "carrier" else "")


def _unordered(one: Group, effects: Sequence[Group]) -> str:
    """What is not known of the order: whether a fault on a clock that counts from boot came before what it explains."""
    job = [g for g in effects if g.first is not None and not by_machine(g)]
    if one.first is None or one.first.kind != "boot" or not job or any(gap(one, g) is not None for g in job):
        return ""
    return "; that it came first is not proven: its times count from boot, and nothing ties them to the time of day"


def _met(one: Group) -> str:
    """The facts that belong to a finding; only where times prove it is one said to have come before."""
    parts, beside = [], []
    for fact in one.after:
        seconds = gap(fact, one)
        if seconds is None or seconds <= 0:
            beside.append(fact.id)
        else:
            parts.append(f"it came {f'{seconds:,.0f} s ' if seconds >= 1 else ''}after {fact.id}")
    return ", ".join([*parts, *([f"it was seen with {' and '.join(beside)}"] if beside else [])])


def independent(found: Sequence[Finding]) -> list[Finding]:
    """The findings that stand beside the first one and its chain: nothing in the input explains them."""
    if not found:
        return []
    chain, grown = {found[0].id}, True
    while grown:
        more = {i for f in found if f.id in chain for i in f.explains if any(o.id == i for o in found)}
        more |= {f.id for f in found if f.role != "context" and chain & set(f.explained_by)}
        grown = not more <= chain
        chain |= more
    return [
        f for f in found[1:]
        if f.role != "context" and not f.explained_by and (f.role == "cause" or f.id not in chain or len(chain) == 1)
    ]  # fmt: skip


def _place(match: Match, stamp: Stamp | None) -> Place:
    record = match.record
    line = record.lines[record.line_at(match.span[0])].number
    return Place(clock.iso(stamp) if stamp else "", record.source, line)


def _ends(one: Group) -> tuple[Place, Place]:
    """Where and when a finding was seen first and last."""
    pairs = sightings(one)
    return _place(*pairs[0]), _place(*pairs[-1])


def sightings(one: Group) -> list[tuple[Match, Stamp | None]]:
    """What a finding was seen by, with its time: by time where all its times can be compared, else as read."""
    pairs = list(zip(one.matches, one.times, strict=True))
    start = one.times[0]
    if start is not None and all(t and clock.comparable(start, t, m.record.source == one.source) for m, t in pairs):
        pairs.sort(key=lambda pair: pair[1].seconds if pair[1] else 0.0)
        # The time of a line without a stamp is that of an earlier line; it only counts where there is no other.
        pairs = [pair for pair in pairs if pair[0].record.time is not None] or pairs
    return pairs


def _evidence(one: Group, effects: Sequence[Group]) -> list[Evidence]:
    """The lines that prove the finding: its own first and last, what went before it, one of each thing it explains."""
    own = [one.matches[0]] if len(one.matches) == 1 else [one.matches[0], one.matches[-1]]
    found: list[Evidence] = []
    for match in own:
        found += quote(match, one.signature)
    for trigger in one.after:
        found += quote(trigger.matches[-1], trigger.signature, 1)
    for effect in effects:
        if len(found) >= _EVIDENCE:
            break
        found += quote(effect.matches[0], effect.signature, 1)
    distinct = {(e.source, e.line): e for e in reversed(found)}
    return [e for e in found if distinct[(e.source, e.line)] is e][:_EVIDENCE]
