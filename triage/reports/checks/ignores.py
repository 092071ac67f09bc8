"""Are the report and its ignores readable? These checks cannot be ignored by a comment."""

from __future__ import annotations

from collections.abc import Iterator

from triage.library.playbook import did_you_mean
from triage.reports.checks.base import Check, Subject
from triage.reports.problem import Problem

_FORM = "write `<!-- triage: ignore TRI012 why it may stand -->`"
_QUOTES = "write `name: value` lines between two `---`, and values with `: ` or `#` in quotes"


class BrokenFrontMatter(Check):
    """The front matter is not YAML.

    Why: nothing of it can be read, so nothing of the report is indexed or checked.

    Instead: write `name: value` lines between two `---`; put values with `: ` or `#` in quotes.
    """

    code = "TRI099"
    slug = "broken-front-matter"

    def find(self, subject: Subject) -> Iterator[Problem]:
        if subject.document.broken:
            line, why = subject.document.broken
            yield self.problem(subject, line, f"front matter is not YAML: {why}", remedy=_QUOTES)


class IgnoreWithoutReason(Check):
    """An ignore gives no reason, or no code.

    Why: the next reader cannot tell whether it still holds.

    Instead: `<!-- triage: ignore TRI012 the address is that of a public server -->`.
    """

    code = "TRI090"
    slug = "ignore-without-reason"

    def find(self, subject: Subject) -> Iterator[Problem]:
        for one in subject.document.ignores:
            if not one.codes:
                yield self.problem(subject, one.line, "the ignore names no code", remedy=_FORM)
            elif not one.reason:
                text = f"the ignore of {', '.join(one.codes)} gives no reason"
                yield self.problem(subject, one.line, text, remedy=_FORM)


class UnusedIgnore(Check):
    """An ignore silences nothing.

    Why: it hides the next problem at this place.

    Instead: take it out.
    """

    code = "TRI091"
    slug = "unused-ignore"
    level = "warning"

    def find(self, subject: Subject) -> Iterator[Problem]:
        for one in subject.document.ignores:
            for code in one.codes:
                if code not in one.used:
                    yield self.problem(subject, one.line, f"nothing to ignore here: {code}", remedy="take it out")


class UnknownCode(Check):
    """An ignore names a code that does not exist.

    Why: a typing error silences nothing.

    Instead: take a code of docs/reports.md; `triage explain TRI001` tells about each.
    """

    code = "TRI092"
    slug = "unknown-code"

    def find(self, subject: Subject) -> Iterator[Problem]:
        from triage.reports.checks import BY_NAME

        for one in subject.document.ignores:
            for code in one.codes:
                if code not in BY_NAME:
                    text = f"unknown code {code!r}{did_you_mean(code, BY_NAME)}"
                    yield self.problem(subject, one.line, text, remedy="docs/reports.md lists all")
