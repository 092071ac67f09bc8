"""Do the signatures and playbooks that a report names exist, belong together, and say what was done?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from triage import lazy
from triage.library.advice import advices
from triage.library.playbook import Playbook, did_you_mean
from triage.model import Step
from triage.reports.checks.base import UNKNOWN, Check, Subject
from triage.reports.checks.cause import holds, known
from triage.reports.links import local, target
from triage.reports.logs import is_log
from triage.reports.problem import Problem

_PAGE = lazy.pattern(r"(?:^|/)playbooks/([a-z0-9]+(?:-[a-z0-9]+)*)\.(?:md|html)$", re.ASCII)
_CODE = lazy.pattern(r"`([^`]+)`")
# Words that tell of a step that it was not taken, or undone: in the clause before it, or later in the sentence.
_NOT_TAKEN = lazy.pattern(
    r"(?i)\b(?:not|no|never|without|instead of|rather than|avoid(?:ed|ing)?|don't|didn't|undid|revert(?:ed|ing)?|"
    r"remov(?:ed?|ing)|took out|dropped|rolled back|stopped using)\b|未|没有|不要|移除|去掉"
)
_TAKEN_BACK = lazy.pattern(
    r"(?i)\b(?:remov(?:ed|ing)|reverted|undone|dropped|taken (?:out|back)|rolled back|(?:did|does|was|is) not|"
    r"(?:did|was)n't|not enough|no (?:difference|help|effect|fix)|instead|made (?:it|things) worse)\b"
    r"|没有|移除|去掉|无效"
)
_CLAUSE = lazy.pattern(r"(?i)[.;,:\uff0c\u3002\uff1b]\s|\b(?:and|then|but|so)\b")
_SENTENCE = lazy.pattern(r"[.;\u3002\uff1b](?:\s|$)")


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
                text = f"no signature {name!r}{_meant(name, known)}"
                yield self.problem(subject, line, text, remedy="triage list shows all; `unknown` where no log tells")


def _meant(name: str, known: Mapping[str, object]) -> str:
    """What was meant by a name that is written in capitals, is a number, or is misspelt."""
    low = name.lower().replace(" ", "-").replace("_", "-")
    near = next((one for one in (low, f"xid-{low}") if one in known), "")
    return f"; did you mean {near!r}?" if near else did_you_mean(low, known)


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
                hint = "; that is the id of the signature" if name in subject.stated else hint
                yield self.problem(subject, line, f"no playbook {name!r}{hint}", remedy="triage explain ID names it")


def _playbooks(subject: Subject) -> list[str]:
    """Those that the front matter names; the address of a page elsewhere is none of ours."""
    return [PurePosixPath(name).stem for name in subject.words("playbook") if "://" not in name]


def _named_playbooks(subject: Subject) -> Iterator[tuple[str, int]]:
    document = subject.document
    for name in _playbooks(subject):
        yield name, document.key_line("playbook")
    for span in document.spans:
        href = target(span.href)
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
        stated = known(subject)
        if not all(holds(subject, one) for one in stated):
            return  # another cause is stated than the log shows: that comes first
        own = [subject.library.signatures[one].playbook for one in subject.stated if one in subject.library.signatures]
        for name in _playbooks(subject):
            if name in subject.library.playbooks and own and own[0] and name not in own:
                text = f"playbook {name} is not the one of {stated[0]}, which is {own[0]}"
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
            start, stop, why = _forbidden(text, subject)
            if why and not _undone(text, start, stop):
                shown = " ".join(subject.redactor.redact(text.strip(" -*[]x\t\n")).split())
                line += text.count("\n", 0, start)
                yield self.problem(subject, line, f"forbidden step: {shown[:120]}", why, "tell what mended the fault")


def _undone(text: str, start: int, stop: int) -> bool:
    """Whether the words around a step tell that it was not taken, or taken back."""
    before = _CLAUSE.split(text[:start])[-1]
    return bool(_NOT_TAKEN.search(before) or _TAKEN_BACK.search(_SENTENCE.split(text[stop:])[0]))


def _resolution(subject: Subject) -> Iterator[tuple[int, str]]:
    """What is said to have mended it: entries of the front matter, paragraphs and rows, and lines of commands."""
    document = subject.document
    for key in ("fixed_by", "resolved_by", "resolution", "fix"):
        if document.front.get(key):
            yield document.key_line(key), ", ".join(subject.words(key))
    found = subject.section("resolution")
    for block in document.blocks if found else ():
        if found and found[0] <= block.start < found[1]:
            if block.kind in ("paragraph", "row"):
                yield block.start, document.prose(block.start, min(block.stop, found[1]))
            elif block.kind == "fence" and not is_log(block):
                yield from enumerate(block.text.split("\n"), block.inner)


def _forbidden(text: str, subject: Subject) -> tuple[int, int, str]:
    """Where the text gives forbidden advice and why it is forbidden; an empty reason where it does not."""
    for rule in advices().never:
        found = rule.regex.search(text) if rule.speaks_of(Step(text, "Fix"), text) else None
        if found:
            return *found.span(), f"{rule.name}: {rule.say}"
    for name in subject.stated:
        signature = subject.library.signatures.get(name)
        playbook = subject.library.playbooks.get(signature.playbook) if signature else None
        for span, why in _against(playbook) if playbook else ():
            if (at := text.find(span)) >= 0:
                return at, at + len(span), why
    return 0, 0, ""


def _against(playbook: Playbook) -> Iterator[tuple[str, str]]:
    """The settings and commands that *Do not* forbids, and the line that does. A name alone (`empty_cache()`) is no
    step: it may be used well."""
    for step in playbook.sections.get("Do not", []):
        for span in _CODE.findall(step.text):
            if len(span) >= 5 and ("=" in span or " " in span):
                yield span, f"playbook {playbook.id}: {step.text}"
