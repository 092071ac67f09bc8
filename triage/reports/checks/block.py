"""The block in a report that says what its logs show, kept up to date by `--fix`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.model import Finding, Report
from triage.render.markdown import code, escape
from triage.reports.checks.base import HEADINGS, Check, Subject, line_at, offsets
from triage.reports.problem import Edit, Problem

BEGIN, END = "<!-- triage: analysis of the logs in this report; --fix keeps it up to date -->", "<!-- triage: end -->"
_BLOCK = re.compile(r"<!-- triage: analysis\b[^>]*-->.*?<!-- triage: end -->", re.DOTALL)
_VERDICT = re.compile(r"^\*\*([a-z-]+)\*\*: ", re.MULTILINE)
_FINDING = re.compile(r"^\| `([^`]+)`.* \| (\w+) \| \w+ \| [^|]* \| [^|]* \|\s*$", re.MULTILINE)
_ZONE = re.compile(r"; times without a zone are read as (.+?)\s*$", re.MULTILINE)
_MOST = 12  # findings in the table
_ENTITIES = ("host", "pod", "rank", "gpu", "pci", "xid", "signal", "exit_code")


def analysis(report: Report, zone: str = "") -> str:
    """The block about an analysis, without a final newline; the same analysis gives the same text. `zone` is the
    name of the one in which times without a zone were read."""
    rows = [_row(found) for found in (*report.findings, *report.earlier) if found.role != "context"]
    head = ["| finding | role | confidence | where | first seen |", "|---|---|---|---|---|"]
    summary = escape(report.summary) or "Nothing in these logs is known."
    if zone:
        summary = f"{summary.rstrip('.')}; times without a zone are read as {code(zone)}"
    lines = [BEGIN, "", f"**{report.verdict}**: {summary}"]
    if rows:
        lines += ["", *head, *rows[:_MOST]]
    if len(rows) > _MOST:
        lines.append(f"\nand {len(rows) - _MOST} more")
    return "\n".join([*lines, "", END])


def _row(found: Finding) -> str:
    where = ", ".join(f"{key} {_one(found.entities[key])}" for key in _ENTITIES if key in found.entities)
    first = found.first.time if found.first else ""
    cells = (f"{code(found.id)}: {escape(found.title)}", found.role, found.confidence, escape(where), escape(first))
    return "| " + " | ".join(cells) + " |"


def _one(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(map(str, values[:4])) + (" ..." if len(values) > 4 else "")


def _facts(block: str) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """The verdict of a block, the zone of its times, and id and role of each of its findings."""
    return _VERDICT.findall(block), _ZONE.findall(block), sorted(_FINDING.findall(block))


class StaleAnalysis(Check):
    """The analysis block does not say what the logs of the report show.

    Why: it was written by hand, or the logs or the library have changed since. Verdict, zone, ids and roles are
    compared; other words of a newer library change nothing.

    Instead: run with `--fix`.
    """

    code = "TRI060"
    slug = "stale-analysis"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        found = _BLOCK.search(subject.document.text)
        if found is None or subject.shown.report is None:
            return
        right = _shown(subject)
        if _facts(found[0]) != _facts(right):
            line, _ = line_at(subject.document, found.start())
            edit = Edit(found.start(), found.end(), right.replace("\n", subject.document.newline))
            yield self.problem(subject, line, "the analysis block is out of date", edits=[edit])


class NoAnalysis(Check):
    """The report has logs, but no block that says what they show.

    Why: a reader without the tool sees at once what was proved, and what was not.

    Instead: run with `--fix`, which puts it below the root cause. A warning only.
    """

    code = "TRI061"
    slug = "no-analysis"
    level = "warning"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        document, report = subject.document, subject.shown.report
        if report is None or not report.findings or _BLOCK.search(document.text):
            return
        found = document.section(HEADINGS["root-cause"])
        if found is None:
            return
        line = found[0].stop
        at = offsets(document, line)[0] if line <= len(document.lines) else len(document.text)
        text = "\n" + _shown(subject) + "\n"
        if line <= len(document.lines) and document.lines[line - 1].strip():
            text += "\n"
        edit = Edit(at, at, text.replace("\n", document.newline))
        yield self.problem(subject, found[0].start, "there is no analysis block", edits=[edit])


def _shown(subject: Subject) -> str:
    """The block, as it may stand in the repository."""
    assert subject.shown.report is not None
    return subject.redactor.redact(analysis(subject.shown.report, subject.zone_name))
