"""Do the signatures and playbooks that a report names exist, belong together, and say what was done?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from triage import lazy
from triage.library.advice import advices
from triage.library.playbook import Playbook, did_you_mean
from triage.model import Step
from triage.reports.checks.base import Check, Subject
from triage.reports.checks.cause import UNKNOWN
from triage.reports.logs import local
from triage.reports.problem import Problem

_PAGE = lazy.pattern(r"(?:^|/)playbooks/([a-z0-9]+(?:-[a-z0-9]+)*)\.(?:md|html)$", re.ASCII)
_CODE = lazy.pattern(r"`([^`]+)`")
# Words that tell of a step that it was not taken, or undone.
_NOT_DONE = lazy.pattern(
    r"(?i)\b(?:not|no|never|without|instead of|rather than|avoid(?:ed)?|don't|didn't|undid|revert(?:ed)?|"
    r"remov(?:ed?|ing)|took out|dropped|rolled back)\b|未|没有|不要|移除|去掉"
)


def replaced(name: str, table: dict[str, str]) -> str:
    """The id that took over from `name`, or an empty text."""
    seen = {name}
    while (new := table.get(name)) and new not in seen:
        seen.add(new)
        name = new
    return name if len(seen) > 1 else ""


class UnknownSignature(Check):
    """The stated signature does not exist.

    Why: ids are how reports are counted, found and linked with remedies; one that does not exist finds nothing.

    Instead: take an id of `triage list`, or add the signature and name its folder in the configuration
    (`signatures = ["signatures"]`).
    """

    code = "TRI003"
    slug = "unknown-signature"

    def find(self, subject: Subject) -> Iterator[Problem]:
        known = subject.library.signatures
        for name in subject.stated:
            if name not in known and name != UNKNOWN and not replaced(name, subject.library.replaced):
                line = subject.document.key_line("signature")
                text = f"no signature {name!r}{did_you_mean(name, known)}"
                yield self.problem(subject, line, text, remedy="triage list shows all")


class ReplacedSignature(Check):
    """The stated signature was replaced by another one.

    Why: old reports and new ones about the same fault must be counted together.

    Instead: write the new id. Old and new ids stand in `replaced.yaml` of the library.
    """

    code = "TRI004"
    slug = "replaced-signature"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        for name in subject.stated:
            new = replaced(name, subject.library.replaced)
            if name not in subject.library.signatures and new:
                line = subject.document.key_line("signature")
                edits = subject.value_edit("signature", new)
                yield self.problem(subject, line, f"signature {name} was replaced by {new}", edits=edits)


class UnknownPlaybook(Check):
    """A playbook that the report names or links does not exist.

    Why: a dead link to the remedy is found when the next machine is down.

    Instead: name a playbook that `triage explain ID` shows, or link a page that exists.
    """

    code = "TRI005"
    slug = "unknown-playbook"

    def find(self, subject: Subject) -> Iterator[Problem]:
        known = subject.library.playbooks
        for name, line in _named_playbooks(subject):
            if name not in known:
                new = replaced(name, subject.library.replaced)
                hint = f"; it was replaced by {new}" if new else did_you_mean(name, known)
                yield self.problem(subject, line, f"no playbook {name!r}{hint}")


def _named_playbooks(subject: Subject) -> Iterator[tuple[str, int]]:
    document = subject.document
    for name in subject.words("playbook"):
        yield PurePosixPath(name).stem, document.key_line("playbook")
    for span in document.spans:
        href = span.href.split("#")[0]
        path = local(href, subject.folder)
        found = _PAGE.search(href)
        if found and not (path is not None and path.is_file()):
            yield found[1], span.line


class OtherPlaybook(Check):
    """The named playbook is not the one of the stated signature.

    Why: a remedy for another fault does not help, and may harm.

    Instead: write the playbook of the signature, or leave it out.
    """

    code = "TRI006"
    slug = "other-playbook"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        names = [PurePosixPath(name).stem for name in subject.words("playbook")]
        own = [subject.library.signatures[one].playbook for one in subject.stated if one in subject.library.signatures]
        for name in names:
            if name in subject.library.playbooks and own and own[0] and name not in own:
                text = f"playbook {name} is not the one of {subject.stated[0]}, which is {own[0]}"
                edits = subject.value_edit("playbook", own[0])
                yield self.problem(subject, subject.document.key_line("playbook"), text, edits=edits)


class ForbiddenStep(Check):
    """What is said to have fixed it is a step that the playbook forbids.

    Why: `pci=noaer` silences the messages, and the fault stays. Reports are copied; so is such a step.

    Instead: tell what mended the fault. Say it when a forbidden step was tried and taken back.
    """

    code = "TRI030"
    slug = "forbidden-step"

    def find(self, subject: Subject) -> Iterator[Problem]:
        for line, text in _resolution(subject):
            if _NOT_DONE.search(text):
                continue
            why = _forbidden(text, subject)
            if why:
                shown = text.strip(" -*[]x\t")
                yield self.problem(subject, line, f"forbidden step: {shown[:120]}", why, "tell what mended the fault")


def _resolution(subject: Subject) -> Iterator[tuple[int, str]]:
    document = subject.document
    for key in ("fixed_by", "resolved_by", "resolution", "fix"):
        if key in document.front:
            yield document.key_line(key), ", ".join(subject.words(key))
    if found := subject.section("resolution"):
        start, stop = found
        logs = [block for block in document.fences() if block.info in ("log", "text")]
        fenced = {number for block in logs for number in range(block.start, block.stop)}
        for number in range(start, stop):
            if number not in fenced and document.lines[number - 1].strip():
                yield number, document.lines[number - 1]


def _forbidden(text: str, subject: Subject) -> str:
    """Why the text is forbidden advice, or an empty text."""
    for rule in advices().never:
        if rule.speaks_of(Step(text, "Fix"), text):
            return f"{rule.name}: {rule.say}"
    for name in subject.stated:
        signature = subject.library.signatures.get(name)
        playbook = subject.library.playbooks.get(signature.playbook) if signature else None
        if playbook is not None and (why := _against(text, playbook)):
            return why
    return ""


def _against(text: str, playbook: Playbook) -> str:
    """Which line of *Do not* forbids a setting or command of the text. A name alone (`empty_cache()`) is no step: it
    may be used well."""
    for step in playbook.sections.get("Do not", []):
        for span in _CODE.findall(step.text):
            if len(span) >= 5 and ("=" in span or " " in span) and span in text:
                return f"playbook {playbook.id}: {step.text}"
    return ""
