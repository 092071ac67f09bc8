"""Does the stated root cause fit the logs that the report shows?"""

from __future__ import annotations

from collections.abc import Iterator

from triage.library.library import Library
from triage.library.playbook import did_you_mean
from triage.model import SEVERITIES, Finding
from triage.render.text import shorten
from triage.reports.checks.base import UNKNOWN, Check, Subject
from triage.reports.problem import Problem

ROLES = ("cause", "symptom", "carrier", "context", "unknown")


def fits(stated: str, found: str, library: Library) -> bool:
    """Whether a report that states `stated` says what was `found`: the same, a less exact id of it, or another view of
    the same fault."""
    if stated == found or stated in library.table().refined.get(found, ()):
        return True
    return any(
        link.relation == "same" and any(_named(stated, one) and _named(found, two) for one, two in _pairs(link))
        for link in library.links
    )


def _pairs(link: object) -> Iterator[tuple[str, str]]:
    for cause, _ in link.cause:  # type: ignore[attr-defined]
        for effect, _ in link.effect:  # type: ignore[attr-defined]
            yield cause, effect
            yield effect, cause


def _named(name: str, pattern: str) -> bool:
    return name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


def matching(subject: Subject, stated: str) -> list[Finding]:
    """The findings that a stated id is about, causes first."""
    if stated in subject.about:
        return subject.about[stated]
    found = [one for one in subject.shown.findings if fits(stated, one.id, subject.library)]
    subject.about[stated] = sorted(found, key=lambda one: one.role != "cause")
    return subject.about[stated]


def proof(subject: Subject, found: Finding) -> str:
    """The first line of the evidence with its place in the report, or an empty text."""
    for line in found.evidence:
        at = subject.shown.line(line.source, line.line)
        where = f"line {at}" if at else f"{line.source}:{line.line}"
        return f"{where}: {shorten(subject.redactor.redact(line.text.strip()), 160)}"
    return ""


def holds(subject: Subject, stated: str) -> bool:
    """Whether a stated id is a cause in the logs, or no log contradicts it."""
    found = matching(subject, stated)
    return subject.shown.report is None or bool(found and found[0].role == "cause")


def known(subject: Subject) -> list[str]:
    """The stated ids that exist."""
    return [name for name in subject.stated if name in subject.library.signatures]


class CauseNotInLog(Check):
    """The stated root cause is not what the quoted log shows.

    Why: a report is read by those who meet the same fault next. When `signature` names something else than what the
    log proves, they repair the wrong thing.

    Instead: state the id that `triage analyze` gives for the quoted log, quote the log that shows the stated cause, or
    write `signature: unknown` when no log tells.
    """

    code = "TRI001"
    slug = "cause-not-in-log"

    def find(self, subject: Subject) -> Iterator[Problem]:
        if subject.shown.report is None:
            return
        causes = subject.shown.causes
        line = subject.document.key_line("signature")
        if subject.stated == [UNKNOWN] and causes and causes[0].confidence != "possible":
            yield self._other(subject, line, UNKNOWN, causes[0])
        for stated in known(subject):
            if matching(subject, stated):
                continue
            if causes:
                yield self._other(subject, line, stated, causes[0])
            else:
                text = f"no quoted or linked log shows {stated}"
                yield self.problem(subject, line, text, remedy="quote the lines that show it, or state `unknown`")

    def _other(self, subject: Subject, line: int, stated: str, cause: Finding) -> Problem:
        text = f"the stated root cause is {stated}, but the log shows {cause.id}: {cause.title}"
        quote = "" if stated == UNKNOWN else f", or quote the log that shows {stated}"
        remedy = f"state `signature: {cause.id}`{quote}"
        return self.problem(subject, line, text, proof(subject, cause), remedy)


class CauseIsSymptom(Check):
    """The stated root cause is in the log, but only as a symptom of something else.

    Why: the loudest line is seldom the first. A watchdog, a `ChildFailedError` or an aborted collective tells that
    something failed, not what; who stops there meets it again.

    Instead: state the cause that explains it. Where the log holds no cause, write `signature: unknown` and name the
    evidence that is missing.
    """

    code = "TRI002"
    slug = "cause-is-symptom"

    def find(self, subject: Subject) -> Iterator[Problem]:
        line = subject.document.key_line("signature")
        for stated in known(subject):
            found = matching(subject, stated)
            if not found or found[0].role == "cause":
                continue
            names = found[0].explained_by
            causes = sorted(subject.shown.causes, key=lambda one: one.id not in names)
            root = causes[0] if causes else None
            if root is not None:
                text = f"{stated} is a {found[0].role} here; the root cause is {root.id}: {root.title}"
                yield self.problem(subject, line, text, proof(subject, root), f"state `signature: {root.id}`")
            elif found[0].role != "context":
                text = f"{stated} only carries a failure, and the log does not hold its cause"
                remedy = "state `signature: unknown`, or quote the log that holds the cause"
                yield self.problem(subject, line, text, proof(subject, found[0]), remedy)


class SeverityContradicts(Check):
    """The severity in the front matter is not that of the fault.

    Why: trends and alarms count by severity. The scale of signatures is info, warning, error, fatal; a scale of your
    own (`SEV2`, `P1`, `major`) is left alone.

    Instead: write the severity of the signature, or use your own scale.
    """

    code = "TRI007"
    slug = "severity-contradicts"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        severity = subject.word("severity")
        for stated in known(subject)[:1]:
            found = matching(subject, stated)
            if not holds(subject, stated):
                continue  # another cause is stated than the log shows: that comes first
            right = found[0].severity if found else subject.library.signatures[stated].severity
            if severity in SEVERITIES and severity != right:
                text = f"severity is {severity}, but {stated} is {right}"
                edits = subject.value_edit("severity", right)
                yield self.problem(subject, subject.document.key_line("severity"), text, edits=edits)


class RoleContradicts(Check):
    """The role in the front matter is not the one that the stated signature has in the log.

    Why: a report that calls its own root cause a symptom says two things at once.

    Instead: leave `role` out, or write what the analysis says.
    """

    code = "TRI008"
    slug = "role-contradicts"

    def find(self, subject: Subject) -> Iterator[Problem]:
        role = subject.word("role")
        line = subject.document.key_line("role")
        if role and role not in ROLES:
            yield self.problem(subject, line, f"unknown role {role!r}{did_you_mean(role, ROLES)}")
            return
        for stated in known(subject)[:1]:
            found = matching(subject, stated)
            if role and found and found[0].role != role:
                text = f"role is {role}, but in the log {stated} is a {found[0].role}"
                yield self.problem(subject, line, text, proof(subject, found[0]), f"write `role: {found[0].role}`")
