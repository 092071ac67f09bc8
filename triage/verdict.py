"""From judged groups to the report: findings in their order, what is missing, one verdict, one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triage import advise, clock, gaps
from triage.counting import unexplained
from triage.evidence import surround
from triage.findings import at_host, compare, fill, finding, independent, sightings, visible
from triage.identity import values
from triage.incidents import Group, split
from triage.library import expressions
from triage.library.library import Library, Link
from triage.model import Entities, Finding, Missing, Record, Report, Source, Value, Verdict
from triage.ranking import order, rank
from triage.recovery import OUTLIVED
from triage.templates import Templates
from triage.views import unite

_LANES = (("pci", "GPU"), ("root_port", "port"), ("rank", "rank"), ("host", "host"))
_ON_GPU = ("gpu", "gpu_uuid", "gpu_model", "xid", "rank", "cuda_error", "device_code")  # then an address is a GPU's
_OTHER_DEVICES = ("host", "pcie")  # families that also speak of disks, network cards and bridges
_ENDS = ("signal",)
_FEW = 4  # ranks or devices that a summary names one by one


def conclude(
    groups: Sequence[Group], records: Sequence[Record], sources: Sequence[Source], kinds: Templates, library: Library,
    show_all: bool, ignored: Sequence[Group] = (),
) -> Report:  # fmt: skip
    """The report over all groups, whose links and roles are already known; `ignored` are left out as asked."""
    _describe(sources, records, groups)
    parts = split([g for g in groups if g.role != "context"])
    main, others, earlier = order(parts)
    findings: list[Finding] = []
    ranks = [unite(rank(part)) for part in (main, *others)]
    missing = _missing(ranks[0], library, records)
    facts = _facts(ranks[0], groups)
    for number, ranked in enumerate(ranks, start=1):
        findings += [finding(g, library, number) for g in (*ranked, *(facts if number == 1 else ()))]
    if show_all:
        findings += [finding(g, library, 0) for g in groups if g.role == "context" and g not in facts]
    past = [finding(g, library, 0) for part in earlier for g in rank(part)]
    past += [finding(g, library, 0) for g in groups if g.handled == OUTLIVED]
    for found in (*findings, *past):
        compare(found, groups)
    surround((line for found in findings for line in found.evidence), records)
    current, repeats = _parted(findings)
    report = Report("healthy", "", current, _folded([*past, *repeats]), unexplained(kinds), sources=list(sources))
    report.missing = missing
    _count_rivals(current)
    report.notes = _notes(ignored)
    report.verdict = _verdict(report, records)
    report.summary = _summary(report, library)
    if report.verdict in ("healthy", "nothing-understood"):
        report.notes += _set_aside(groups)
    report.timeline = _timeline(groups)
    report.stats = {
        "lines": sum(s.lines for s in sources), "templates": len(kinds.all()), "library": library.version,
        "signatures": len(library.signatures),
    }  # fmt: skip
    return report


def _facts(ranked: Sequence[Group], groups: Sequence[Group]) -> list[Group]:
    """What set off the root; of other findings nothing is told that came before them."""
    for one in (*groups, *ranked[1:]):
        if one not in ranked[:1]:
            one.after = []
    if not ranked or ranked[0].role != "cause":
        return []
    for fact in ranked[0].after:
        fact.explains = [ranked[0]]
    return list(ranked[0].after)


def _count_rivals(findings: Sequence[Finding]) -> None:
    """What stands beside the root is told with it, in the number in which it is listed."""
    beside = len(independent(findings))
    if beside and findings[0].role == "cause":
        findings[0].why += f"; {beside} independent finding{'s' if beside > 1 else ''} beside it"


def _notes(ignored: Sequence[Group]) -> list[str]:
    ids = dict.fromkeys(g.id for g in ignored)
    return [f"left out as asked, so what is here is not the whole: {', '.join(ids)}"] if ids else []


def _set_aside(groups: Sequence[Group]) -> list[str]:
    """What was seen and is no fault, with the reason, so that a reader need not wonder."""
    faults = (g for g in groups if g.signature.role != "context")  # a fact was none to begin with
    seen = {g.id: g for g in faults if g.handled and g.handled != OUTLIVED}
    several = len({m.record.source for g in groups for m in g.matches}) > 1

    def place(one: Group) -> str:
        """`line 7`, of several files `ibstat:7`."""
        record = one.matches[0].record
        name = record.source.replace("!", "/").rpartition("/")[2]
        return f"{name}:{record.number}" if several else f"line {record.number}"

    told = [f"{place(g)}: {g.id} is no fault ({g.handled})" for g in list(seen.values())[:_FEW]]
    for one in groups:
        if one.role == "context" and one.note and one.explains:
            ids = ", ".join(dict.fromkeys(effect.id for effect in one.explains))
            told.append(f"{place(one)}: {one.signature.title}; what follows needs nothing: {ids}")
    return told


_DEVICE = ("host", "pci", "gpu_uuid", "rank", "device_code")


def _named(found: Finding, key: str) -> Value | list[Value] | None:
    """What a finding is about, under one of its names; of a port the GPU behind it is only what it brought down."""
    port = found.entities.get("root_port") if key in ("pci", "gpu_uuid") else None
    return port or found.entities.get(key)


def _device(found: Finding) -> tuple[str, ...]:
    """What a finding is about: two with the same answer are one fault that came again."""
    return (found.id, *(str(_named(found, key) or "") for key in _DEVICE))


def _repeats(found: Finding, old: Finding) -> bool:
    """Whether `found` is the fault of `old` again, or that of one of its ranks or devices."""
    parts = [tuple(values({key: _named(one, key) or []}, key) for one in (found, old)) for key in _DEVICE]
    return found.id == old.id and all(mine == other or (mine and mine <= other) for mine, other in parts)


def _parted(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings, and those of further incidents that only repeat one of the first incident on the same device."""
    first = [f for f in findings if f.incident == 1]
    repeats = [f for f in findings if f.incident > 1 and any(_repeats(f, old) for old in first)]
    return [f for f in findings if not any(f is r for r in repeats)], repeats


def _folded(past: Sequence[Finding]) -> list[Finding]:
    """Earlier findings, one for each fault of a device, with the sum of their counts."""
    kept: dict[tuple[str, ...], Finding] = {}
    for found in past:
        old = kept.setdefault(_device(found), found)
        if old is not found:
            old.count += found.count
            old.last = found.last or old.last
    return list(kept.values())


def _describe(sources: Sequence[Source], records: Sequence[Record], groups: Sequence[Group]) -> None:
    """Fills in the format of each source and how many of its lines were understood."""
    known = {id(m.record) for g in groups for m in g.matches}
    by_source: dict[str, list[Record]] = {}
    for record in records:
        by_source.setdefault(record.source, []).append(record)
    for source in sources:
        own = by_source.get(source.name, [])
        tally: dict[str, int] = {}
        understood: set[int] = set()
        for record in own:
            tally[record.format] = tally.get(record.format, 0) + len(record.lines)
            if record.format != "text" or id(record) in known:
                understood.update(line.number for line in record.lines)
        source.understood += len(understood)
        special = {name: n for name, n in tally.items() if name != "text"}
        if own:
            source.format = "+".join(sorted(special, key=lambda n: -special[n])[:3]) or "text"
    if any(source.understood for source in sources):
        return
    for source in sources:
        if source.readable and source.format == "text" and source.lines:
            source.note = "; ".join(filter(None, [source.note, "no known format: read as plain text"]))


def _missing(main: Sequence[Group], library: Library, records: Sequence[Record]) -> list[Missing]:
    """What would settle the case: asked for by links whose effect stands unexplained. What a link says of a log that
    is there and holds no cause becomes the note of the finding."""
    unknown = [g for g in main if g.role == "unknown"]
    lonely = [g for g in main if g.role == "cause" and g.signature.role == "symptom" and not g.explained_by]
    asked: dict[str, Missing] = {}
    for one in [*unknown, *lonely, *(g for g in main if g.role == "carrier" and not g.explained_by and unknown)]:
        known = _known(one)
        for link in library.links:
            entry = _asks(link, one, records) or {}
            if entry.get("missing"):
                what = at_host(fill(entry["missing"], known), known)
                command = advise.fill_text(entry.get("command", ""), known)
                asked.setdefault(what, Missing(what, f"{one.id} has no cause in the input", command))
            elif entry.get("say") and one.role == "unknown" and not one.note:
                one.note = entry["say"]
    if unknown and not asked:
        asked[""] = _whole_story(unknown[0], records, _known(unknown[0]))
    return list(asked.values())


def _known(one: Group) -> Entities:
    """What fills the blanks of what is asked for; seconds since boot are no time of day."""
    known: Entities = visible(one.entities)
    if one.first is not None and one.first.kind != "boot":
        known["time"] = clock.iso(one.first)
    return known


def _whole_story(one: Group, records: Sequence[Record], known: Entities) -> Missing:
    """What to collect when no link knows better: the log of what failed first, else of the machine."""
    rank = one.entities.get("rank")
    who = f"rank {rank}" if rank is not None and not isinstance(rank, list) else "the process that failed first"
    why = f"{one.id} only reports a failure"
    if any(r.format == "kernel" for r in records):
        return Missing(f"the complete log of {who}", why, "torchrun --log-dir logs --redirects 3 --tee 3")
    kernel = advise.fill_text('journalctl _TRANSPORT=kernel --since "{time-1h}"', known)  # -k shows one boot only
    return Missing(at_host(f"the complete log of {who}, and the kernel log of its host", known), why, kernel)


def _asks(link: Link, one: Group, records: Sequence[Record]) -> dict[str, str] | None:
    for name, where in link.effect:
        fits = name == one.id or (name.endswith("*") and one.id.startswith(name[:-1]))
        if fits and link.otherwise and (not where or expressions.evaluate(where, lambda key: one.entities.get(key))):
            by = (link.otherwise.get("covered") or {}).get("by", "")
            return link.otherwise.get("covered" if by and gaps.covered(records, by, one) else "uncovered")
    return None


def _verdict(report: Report, records: Sequence[Record]) -> Verdict:
    """As bad as the worst in the chain of a cause: a warning that killed a job is a fault."""
    causes = [f for f in report.findings if f.role == "cause"]
    ids = {i for f in causes for i in f.explains}
    effects = [f for f in report.findings if f.id in ids and f.explained_by and f.role != "context"]
    if any(f.severity in ("error", "fatal") for f in (*causes, *effects)):
        return "fault"
    if causes or report.notes or any(f.role == "unknown" for f in report.findings):
        return "suspect"
    understood = sum(s.understood for s in report.sources)
    return "healthy" if understood and records else "nothing-understood"


def _summary(report: Report, library: Library) -> str:
    if not report.findings or report.findings[0].role not in ("cause", "unknown"):
        if report.verdict == "healthy":
            old = f"; {len(report.earlier)} older, see earlier" if report.earlier else ""
            return f"No known fault in what was read{old}."
        if report.verdict == "suspect":
            return "No known fault beside what was left out as asked."
        if not report.sources:
            return "Nothing was read."
        readable = any(s.readable for s in report.sources)
        return "Nothing in the input is known to triage." if readable else "Nothing could be read."
    top = report.findings[0]
    where = _places(top.entities, library.signatures[top.id].family, _gpus(report.findings))
    if top.role == "cause":
        text = top.title
    else:  # how a process ended is what is known of it
        text = f"Root cause unknown: {top.title}"
        where = [str(v) for key in _ENDS if (v := top.entities.get(key)) and str(v) not in text] + where
    return text + (f" ({', '.join(where)})" if where else "")


def _gpus(findings: Iterable[Finding] | Iterable[Group]) -> set[Value]:
    """The addresses that are known to be those of GPUs."""
    return {pci for f in findings if any(k in f.entities for k in _ON_GPU) for pci in values(f.entities, "pci")}


def _places(entities: Entities, family: str, gpus: set[Value]) -> list[str]:
    """`GPU 0000:3b:00`, `rank 3`, `ranks 0,1`, `8 ranks`, `host node07`."""
    gpu = family not in _OTHER_DEVICES or bool(gpus & values(entities, "pci"))
    places: list[str] = []
    for key, label in _LANES:
        value = entities.get(key)
        name = label if label != "GPU" or gpu else "device"
        if key == "pci" and "sxid" in entities:
            name = "NVSwitch"
        if isinstance(value, list):
            few = ",".join(str(v) for v in sorted(value, key=lambda v: (len(str(v)), str(v))))
            places.append(f"{name}s {few}" if len(value) <= _FEW else f"{len(value)} {name}s")
        elif value is not None:
            places.append(f"{name} {value}")
    return places


def _timeline(groups: Sequence[Group]) -> list[dict[str, Value]]:
    """First and last sign of each finding, in order, with the lane (GPU, rank or host) that it belongs to."""
    rows: list[tuple[float, dict[str, Value]]] = []
    gpus = _gpus(groups)
    for one in groups:
        if one.role == "context" or one.first is None:
            continue
        lane = next(iter(_places(one.entities, one.signature.family, gpus)), one.source)
        first = sightings(one)[0][1] or one.first
        rows.append((first.seconds, {"time": clock.iso(first), "lane": lane, "finding": one.id}))
    return [row for _, row in sorted(rows, key=lambda r: r[0])]
