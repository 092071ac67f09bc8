"""Are the quoted and linked logs there, dated, and understood?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from triage import lazy
from triage.model import Finding
from triage.reports.checks.base import Check, Subject
from triage.reports.logs import local
from triage.reports.problem import Problem

# A time of day with a date before it and no zone behind it; a journal's and a container's stamps have one.
_NAIVE = lazy.pattern(
    r"(?m)^\W{0,3}(?:\[?\w{3} +)?"
    r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?![\d.,]*(?:Z|[+-]\d\d:?\d\d| UTC| GMT))"
)
_ZONED = lazy.pattern(r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z\b|[+-]\d\d:?\d\d\b| UTC\b| GMT\b)")


class NoZone(Check):
    """A quoted log has times without a zone.

    Why: nobody can put it beside the log of another machine, a dashboard or a ticket.

    Instead: write `timezone: Europe/Berlin` (or `+01:00`, `UTC`) in the front matter or in the configuration, or quote
    the log with zones (`journalctl -o short-iso-precise`).
    """

    code = "TRI040"
    slug = "no-zone"
    level = "warning"

    def find(self, subject: Subject) -> Iterator[Problem]:
        if subject.config.timezone or subject.document.front.get("timezone"):
            return
        for quoted in subject.shown.quoted:
            if quoted.block is None or not quoted.called_log:
                continue
            text = quoted.block.text
            found = _NAIVE.search(text)
            if found and not _ZONED.search(text):
                line = quoted.line + text.count("\n", 0, found.start())
                yield self.problem(subject, line, f"time without a zone: {found[0].strip()}", remedy="add `timezone:`")
                return


class NotUnderstood(Check):
    """A block of log holds nothing that any signature explains.

    Why: it proves nothing, or it shows a fault that the library does not know yet.

    Instead: quote the lines that matter, or draft a signature for them. A warning: such a block may be context.
    """

    code = "TRI041"
    slug = "not-understood"
    level = "warning"

    def find(self, subject: Subject) -> Iterator[Problem]:
        known = {source for found in subject.shown.findings for source in _sources(found)}
        for quoted in subject.shown.quoted:
            if quoted.called_log and quoted.name not in known and quoted.block is not None:
                yield self.problem(subject, quoted.line, "no signature explains anything in this log")


def _sources(found: Finding) -> Iterator[str]:
    for place in (found.first, found.last):
        if place is not None:
            yield place.source
    yield from (line.source for line in found.evidence)


class NoLog(Check):
    """The report quotes no log and links none.

    Why: nothing proves the stated root cause, and nobody can look again when more is known.

    Instead: quote the lines of `triage analyze` in a block (```` ```log ````), or link the files beside the report.
    """

    code = "TRI042"
    slug = "no-log"

    def find(self, subject: Subject) -> Iterator[Problem]:
        if not subject.shown.quoted:
            yield self.problem(subject, 1, "no log is quoted or linked", remedy="quote the proof in a ```log block")


class DeadLink(Check):
    """A file that the report links does not exist.

    Why: the evidence of a report is gone when its log was never committed.

    Instead: commit the file beside the report, or quote what matters.
    """

    code = "TRI043"
    slug = "dead-link"

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        named = [(name, document.key_line("logs")) for name in subject.words("logs")]
        for href, line in [*named, *((span.href, span.line) for span in document.spans if span.href)]:
            path = local(unquote(href.split("#")[0].split("?")[0]), subject.folder)
            if path is not None and not path.exists() and "playbooks/" not in href:
                yield self.problem(subject, line, f"{href} does not exist")
