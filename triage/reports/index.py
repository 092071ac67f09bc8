"""All reports of a folder in one view: what failed how often, where, since when, and how long it took to recover."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from triage.render.markdown import code, escape
from triage.render.words import counted
from triage.reports.document import Document, parse, texts
from triage.reports.files import INDEX_MARK, reports_in
from triage.reports.times import moment

_MOST = 40  # rows of a table of trends


@dataclass(slots=True)
class Incident:
    """One report: what its front matter and its title say. `link` leads there from the index; `problem` is why it says
    less than it should."""

    link: str
    id: str
    title: str
    date: datetime | None
    status: str
    severity: str
    signatures: list[str]
    hosts: list[str]
    gpus: list[str]
    recovery: timedelta | None
    problem: str = ""

    @property
    def is_open(self) -> bool:
        """Whether somebody still works on it, as far as it tells."""
        return not self.problem and self.status.lower() not in ("closed", "resolved", "reviewed", "complete", "done")


@dataclass(slots=True)
class Collection:
    """All reports, the newest first, and what does not fit together."""

    incidents: list[Incident] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Trend:
    """Reports that share a signature, host or GPU."""

    name: str
    count: int
    first: datetime | None
    last: datetime | None
    recovery: timedelta | None


def collect(folder: Path, base: Path) -> Collection:
    """The reports of a folder; links start at `base`. A file that says less than it should is listed with the reason.

    Raises ConfigError.
    """
    found = Collection()
    for path in reports_in([folder]):
        document, problem = parse(""), ""
        try:
            document = parse(path.read_bytes().decode("utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            problem = f"cannot be read: {getattr(error, 'strerror', None) or 'is not UTF-8'}"
        if document.broken:
            problem = f"front matter is not YAML: {document.broken[1]}"
        elif not document.front and not problem:
            problem = "no front matter"
        if problem:
            found.problems.append(f"{path}:{document.broken[0] if document.broken else 1}: {problem}")
        found.incidents.append(_incident(document, Path(os.path.relpath(path, base)).as_posix(), problem))
    ids = Counter(one.id for one in found.incidents)
    found.problems += [f"id {name} is used {count} times" for name, count in sorted(ids.items()) if count > 1]
    found.incidents.sort(key=lambda one: (stamp(one.date), one.id), reverse=True)
    return found


def _incident(document: Document, link: str, problem: str) -> Incident:
    front = document.front
    stem = Path(link).stem
    heading = next((block.text for block in document.blocks if block.kind == "heading"), "")
    started, ended = moment(front.get("started")), moment(front.get("ended"))
    recovery = None
    if started and ended and (started.tzinfo is None) == (ended.tzinfo is None) and ended >= started:
        recovery = ended - started
    date = moment(front.get("date")) or started or moment(stem[:10])
    hosts, gpus = (listed(front.get(f"{name}s") or front.get(name)) for name in ("host", "gpu"))
    return Incident(
        link, _word(front.get("id")) or stem, heading or stem, date, _word(front.get("status")),
        _word(front.get("severity")), listed(front.get("signature")), hosts, gpus, recovery, problem,
    )  # fmt: skip


def _word(value: object) -> str:
    return next(iter(texts(value)), "")


def stamp(date: datetime | None) -> float:
    """Seconds since 1970; a date without a zone is taken as UTC, so that every machine gives the same order."""
    if date is None:
        return 0.0
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def listed(value: object) -> list[str]:
    """A text or a list as a list of texts, without what says that nobody knows."""
    return [one for one in texts(value) if one != "not in the logs"]


def trends(incidents: Sequence[Incident], names: Callable[[Incident], Iterable[str]]) -> list[Trend]:
    """The reports by one of their properties, the most frequent first."""
    groups: dict[str, list[Incident]] = {}
    for one in incidents:
        for name in dict.fromkeys(names(one)):
            groups.setdefault(name, []).append(one)
    made = []
    for name, members in groups.items():
        dates = [one.date for one in members if one.date]
        dates.sort(key=stamp)
        first, last = (dates[0], dates[-1]) if dates else (None, None)
        made.append(Trend(name, len(members), first, last, median_recovery(members)))
    return sorted(made, key=lambda trend: (-trend.count, trend.name))


def median_recovery(incidents: Iterable[Incident]) -> timedelta | None:
    """The median time to recovery of those that have one."""
    seconds = [one.recovery.total_seconds() for one in incidents if one.recovery is not None]
    return timedelta(seconds=median(seconds)) if seconds else None


VIEWS: tuple[tuple[str, str, Callable[[Incident], Iterable[str]]], ...] = (
    ("By signature", "signature", lambda one: one.signatures),
    ("By host", "host", lambda one: one.hosts),
    # The same address is another card on another host.
    ("By GPU", "GPU", lambda one: [f"{host} {gpu}".strip() for host in one.hosts or [""] for gpu in one.gpus]),
    ("By month", "month", lambda one: [f"{one.date:%Y-%m}"] if one.date else []),
)


def spoken(time: timedelta | None) -> str:
    """`45 min`, `3.5 h`, `2.1 d`; empty for None."""
    if time is None:
        return ""
    minutes = time.total_seconds() / 60
    if minutes < 90:
        return f"{minutes:.0f} min"
    return f"{minutes / 60:.1f} h" if minutes < 48 * 60 else f"{minutes / 1440:.1f} d"


def day(date: datetime | None) -> str:
    """`2026-03-14`, or empty."""
    return f"{date:%Y-%m-%d}" if date else ""


def markdown(found: Collection) -> str:
    """The index as Markdown. The same reports give the same text."""
    incidents = found.incidents
    recovery = median_recovery(incidents)
    facts = [counted(len(incidents), "report"), f"{sum(one.is_open for one in incidents)} open"]
    facts += [f"median time to recovery {spoken(recovery)}"] if recovery else []
    rows = [INDEX_MARK, "# Incident reports", "", ", ".join(facts) + ".", ""]
    for title, noun, names in VIEWS:
        made = trends(incidents, names)
        if made:
            rows += [f"## {title}", "", f"| {noun} | reports | first | last | median time to recovery |"]
            rows.append("|---|--:|---|---|--:|")
            if noun == "month":
                made.sort(key=lambda trend: trend.name, reverse=True)
            for t in made[:_MOST]:
                rows.append(f"| {code(t.name)} | {t.count} | {day(t.first)} | {day(t.last)} | {spoken(t.recovery)} |")
            rows += ["", f"and {len(made) - _MOST} more"] if len(made) > _MOST else []
            rows.append("")
    rows += ["## All reports", "", "| date | report | signature | severity | status | time to recovery |"]
    rows.append("|---|---|---|---|---|--:|")
    for one in incidents:
        ids = ", ".join(code(name) for name in one.signatures)
        rows.append(
            f"| {day(one.date)} | [{escape(one.title)}](<{one.link}>) | {ids} | {escape(one.severity)} | "
            f"{escape(one.problem or one.status)} | {spoken(one.recovery)} |"
        )
    return "\n".join(rows).rstrip() + "\n"
