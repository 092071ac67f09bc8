"""From judged groups to the report: findings in their order, what is missing, one verdict, one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from triage import advise, clock
from triage.counting import unexplained
from triage.findings import fill, finding, visible
from triage.incidents import Group, split
from triage.library import expressions
from triage.library.library import Library, Link
from triage.model import Entities, Finding, Missing, Record, Report, Source, Value, Verdict
from triage.ranking import order, rank
from triage.templates import Templates

_LANES = (("pci", "GPU"), ("rank", "rank"), ("host", "host"))


def conclude(
    groups: Sequence[Group], records: Sequence[Record], sources: Sequence[Source], kinds: Templates, library: Library,
    show_all: bool,
) -> Report:  # fmt: skip
    """The report over all groups, whose links and roles are already known."""
    _describe(sources, records, groups)
    parts = split([g for g in groups if g.role != "context"])
    main, others, earlier = order(parts)
    findings: list[Finding] = []
    for number, part in enumerate([main, *others], start=1):
        ranked = rank(part)
        findings += [finding(g, ranked, library, number) for g in ranked]
    if show_all:
        findings += [finding(g, [], library, 0) for g in groups if g.role == "context"]
    past = [finding(g, part, library, 0) for part in earlier for g in rank(part)]
    report = Report("healthy", "", findings, past, unexplained(kinds), sources=list(sources))
    report.missing = _missing(main, library, records)
    report.verdict = _verdict(report, records)
    report.summary = _summary(report)
    report.timeline = _timeline(groups)
    report.stats = {
        "lines": sum(s.lines for s in sources), "templates": len(kinds.all()), "library": library.version,
        "signatures": len(library.signatures),
    }  # fmt: skip
    return report


def _describe(sources: Sequence[Source], records: Sequence[Record], groups: Sequence[Group]) -> None:
    """Fills in the format of each source and how many of its lines were understood."""
    known = {id(m.record) for g in groups for m in g.matches}
    by_source: dict[str, list[Record]] = {}
    for record in records:
        by_source.setdefault(record.source, []).append(record)
    for source in sources:
        own = by_source.get(source.name, [])
        tally: dict[str, int] = {}
        for record in own:
            tally[record.format] = tally.get(record.format, 0) + len(record.lines)
            if record.format != "text" or id(record) in known:
                source.understood += len(record.lines)
        special = {name: n for name, n in tally.items() if name != "text"}
        if own:
            source.format = "+".join(sorted(special, key=lambda n: -special[n])[:3]) or "text"


def _missing(main: Sequence[Group], library: Library, records: Sequence[Record]) -> list[Missing]:
    """What would settle the case: asked for by links whose effect stands unexplained."""
    unknown = [g for g in main if g.role == "unknown"]
    lonely = [g for g in main if g.role == "cause" and g.signature.role == "symptom" and not g.explained_by]
    open_ends = unknown or lonely
    asked: dict[str, Missing] = {}
    for one in [*open_ends, *(g for g in main if g.role == "carrier" and not g.explained_by and unknown)]:
        known: Entities = visible(one.entities)
        if one.first is not None and one.first.kind != "boot":
            known["time"] = clock.iso(one.first)
        for link in library.links:
            entry = _asks(link, one, records)
            if entry and entry.get("missing"):
                what = fill(entry["missing"], known)
                command = advise.fill_text(entry.get("command", ""), known)
                asked.setdefault(what, Missing(what, f"{one.id} has no cause in the input", command))
    if unknown and not asked:
        rank = unknown[0].entities.get("rank")
        who = f"rank {rank}" if rank is not None else "the process that failed first"
        what = f"the complete log of {who}, and the kernel log of its host"
        asked[""] = Missing(what, f"{unknown[0].id} only reports a failure", "journalctl -k -b")
    return list(asked.values())


def _asks(link: Link, one: Group, records: Sequence[Record]) -> dict[str, str] | None:
    for name, where in link.effect:
        fits = name == one.id or (name.endswith("*") and one.id.startswith(name[:-1]))
        if fits and link.otherwise and (not where or expressions.evaluate(where, lambda key: one.entities.get(key))):
            by = (link.otherwise.get("covered") or {}).get("by", "")
            covered = bool(by) and any(r.format == by for r in records)
            return link.otherwise.get("covered" if covered else "uncovered")
    return None


def _verdict(report: Report, records: Sequence[Record]) -> Verdict:
    causes = [f for f in report.findings if f.role == "cause"]
    if any(f.severity in ("error", "fatal") for f in causes):
        return "fault"
    if causes or any(f.role == "unknown" for f in report.findings):
        return "suspect"
    understood = sum(s.understood for s in report.sources)
    return "healthy" if understood and records else "nothing-understood"


def _summary(report: Report) -> str:
    if not report.findings or report.findings[0].role not in ("cause", "unknown"):
        if report.verdict == "healthy":
            return "No known fault in what was read."
        return "Nothing in the input is known to triage." if report.sources else "Nothing was read."
    top = report.findings[0]
    text = top.title if top.role == "cause" else f"Root cause unknown: {top.title}"
    where = _places(top.entities)
    return text + (f" ({', '.join(where)})" if where else "")


def _places(entities: Entities) -> list[str]:
    """`GPU 0000:3b:00`, `rank 3`, `host node07`, as far as each is one thing."""
    known = [(label, entities.get(key)) for key, label in _LANES]
    return [f"{label} {value}" for label, value in known if value is not None and not isinstance(value, list)]


def _timeline(groups: Sequence[Group]) -> list[dict[str, Value]]:
    """First and last sign of each finding, in order, with the lane (GPU, rank or host) that it belongs to."""
    rows: list[tuple[float, dict[str, Value]]] = []
    for one in groups:
        if one.role == "context" or one.first is None:
            continue
        lane = next(iter(_places(one.entities)), one.source)
        rows.append((one.first.seconds, {"time": clock.iso(one.first), "lane": lane, "finding": one.id}))
    return [row for _, row in sorted(rows, key=lambda r: r[0])]
