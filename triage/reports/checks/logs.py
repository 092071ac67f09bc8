"""Are the quoted and linked logs there, dated, and understood?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from triage import lazy
from triage.model import Finding
from triage.reports.checks.base import Check, Subject
from triage.reports.links import inside, local, target
from triage.reports.problem import Problem

# A time of day with a date before it and no zone behind it; a journal's and a container's stamps have one.
_NAIVE = lazy.pattern(
    r"(?m)^[^\w\n]{0,3}(?:\w{3} +)?"
    r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?![\d.,]*(?:Z|[+-]\d\d:?\d\d| UTC| GMT))"
)
_ZONED = lazy.pattern(r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z\b|[+-]\d\d:?\d\d\b| UTC\b| GMT\b)")


# A sentence that tells the zone of all times.
_TOLD = lazy.pattern(
    r"(?i)\btimes? (?:\w+ ){0,3}?(?:in |are )?\(?(?:UTC|GMT|CES?T|[EPMC][SD]T|JST|[+-]\d\d:?\d\d)\b|时间均为|时区"
)
_TOLD_MOST = 3  # silent logs of a report that are told one by one
_COMMIT = "commit it beside the report, or quote what matters"


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
        document = subject.document
        if subject.zone_name or _TOLD.search(document.prose(document.front_stop, len(document.lines) + 1)):
            return
        for quoted in subject.shown.quoted:
            if quoted.block is None or not quoted.called_log:
                continue
            text = quoted.block.text
            found = _NAIVE.search(text)
            if found and not _ZONED.search(text):
                line = quoted.line + text.count("\n", 0, found.start("time"))
                remedy = "write `timezone: UTC` (or +01:00, Europe/Berlin) in the front matter, or in the configuration"
                yield self.problem(subject, line, f"time without a zone: {found['time']}", remedy=remedy)
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
        silent = [one for one in subject.shown.quoted if one.called_log and one.name not in known and one.block]
        for number, quoted in enumerate(silent[:_TOLD_MOST], 1):
            more = len(silent) - number if number == _TOLD_MOST else 0
            text = "no signature explains anything in this log" + (f", and in {more} more" if more else "")
            yield self.problem(subject, quoted.line, text, remedy="quote the lines that matter, or leave it as context")


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
    """A file that the report links does not exist, or lies outside of its repository.

    Why: the evidence of a report is gone when its log was never committed.

    Instead: commit the file beside the report, or quote what matters.
    """

    code = "TRI043"
    slug = "dead-link"

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        named = [(name, document.key_line("logs")) for name in subject.words("logs")]
        for name, line in [*named, *((target(span.href), span.line) for span in document.spans if span.href)]:
            why, remedy = _dead(name, subject.folder)
            if why and "playbooks/" not in name:
                yield self.problem(subject, line, f"{name} {why}", remedy=remedy)


def _dead(name: str, folder: Path) -> tuple[str, str]:
    """Why a link leads nowhere and what to do; empty texts where it does not, or where nobody can tell."""
    path = local(name, folder)
    if path is None:
        return "", ""
    if "\\" in name and local(name.replace("\\", "/"), folder).exists():  # type: ignore[union-attr]
        return "does not exist", "write / instead of \\"
    if not path.exists():
        # Pages of a site (`/about/`) and of a code host (`../../wiki/Page`, `../../issues/7`) are no files.
        page = not path.suffix and (name.startswith("/") or (name.startswith("../") and not path.parent.exists()))
        return ("", "") if page else ("does not exist", _COMMIT)
    return ("", "") if inside(path, folder) else ("lies outside of the repository", _COMMIT)
