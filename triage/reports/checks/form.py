"""Has the report what a reader of the next night needs?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from triage import lazy
from triage.model import Finding
from triage.reports.checks.base import HEADINGS, Check, Subject
from triage.reports.problem import Edit, Problem

PLACEHOLDER = "TODO"
STATES = ("draft", "reviewed", "closed")
_PLACEHOLDER = lazy.pattern(r"\b(?:TODO|TBD|FIXME|XXX)\b|<[a-z][a-z ]{2,30}>(?!\()", re.ASCII)
_FACTS: dict[str, tuple[tuple[str, ...], str, str]] = {
    # What: keys of the front matter; words that tell it in the text; how it is asked for.
    "gpu": (
        ("gpus", "gpu", "pci", "devices"),
        r"(?i)\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?\b|\b(?:GPU|MIG)-[0-9a-f]{8}-|"
        r"\bGPU[ #:]{0,2}[0-9]{1,3}\b|\bcuda:[0-9]",
        "which GPU (PCI address, UUID or index): nvidia-smi -L",
    ),
    "versions": (
        ("versions", "driver", "driver_version"),
        r"(?i)\b(?:driver|nvidia-smi|kernel module|cuda|torch|pytorch|nccl|驱动)\b[^\n]{0,40}?\b[0-9]{1,3}\.[0-9]{1,3}",
        "driver and versions: nvidia-smi --query-gpu=driver_version --format=csv; python -m torch.utils.collect_env",
    ),
    "first-error": (
        ("first_error", "first"),
        r"(?i)\bfirst (?:error|sign|failure|symptom|line|alert)\b|最早|首次|第一条",
        "the first error with its time: triage analyze --all shows it",
    ),
    "recheck": (
        ("recheck", "re_check", "verified_by", "verification"),
        r"(?i)\bre-?check(?:ed)?\b|\bverif(?:y|ied|ication)\b|\btriage recheck\b|复查|验证",
        "whether it is still so: what was checked after the repair, and what came out",
    ),
}  # fmt: skip


class FieldMissing(Check):
    """A required entry of the front matter is missing.

    Why: the index, the trends and searches read the front matter only.

    Instead: write it; `--fix` fills in what the log or the name of the file tells. `fields` of the configuration says
    which are required.
    """

    code = "TRI020"
    slug = "field-missing"
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        missing = [name for name in subject.config.fields if document.front.get(name) in (None, "", [])]
        if not missing or document.broken:
            return
        known = {name: value for name in missing if name not in document.keys and (value := derived(name, subject))}
        line = 1
        for name in missing:
            edits: tuple[Edit, ...] = ()
            if name in known and name == next(iter(known)):
                edits = (_insertion(subject, known),)
            text = f"the front matter has no `{name}`"
            yield self.problem(subject, line, text, remedy=_example(name), edits=edits)


def _insertion(subject: Subject, known: dict[str, str]) -> Edit:
    """All that is known, at the end of the front matter, or as a new one."""
    document = subject.document
    rows = "".join(f"{name}: {value}{document.newline}" for name, value in known.items())
    start = document.starts[0]
    if document.front_stop == 1:
        return Edit(start, start, f"---{document.newline}{rows}---{document.newline}{document.newline}")
    from triage.reports.checks.base import offsets

    at = offsets(document, document.front_stop - 1)[0]
    return Edit(at, at, rows)


def derived(name: str, subject: Subject) -> str:
    """What the name of the file or the logs tell about an entry, as YAML; empty where they do not."""
    stem = re.sub(r"\.md$", "", subject.document.path.replace("\\", "/").rsplit("/", 1)[-1])
    found = subject.shown.causes[0] if subject.shown.causes else None
    if name == "id":
        return stem if re.fullmatch(r"[\w.-]+", stem) else ""
    if name == "status":
        return STATES[0]
    if name == "date":
        named = re.match(r"\d{4}-\d{2}-\d{2}", stem)
        return named[0] if named else _day(found)
    if name == "signature":
        return found.id if found else ""
    if name == "severity":
        stated = subject.library.signatures.get(subject.stated[0]) if subject.stated else None
        return found.severity if found else stated.severity if stated else ""
    if name == "playbook" and found and found.playbook:
        return found.playbook.id
    return ""


def _day(found: Finding | None) -> str:
    time = found.first.time if found and found.first else ""
    return time[:10] if re.match(r"\d{4}-\d{2}-\d{2}", time) else ""


def _example(name: str) -> str:
    examples = {
        "id": "e.g. `id: 2026-03-14-xid-79-node07`", "date": "e.g. `date: 2026-03-14T09:57:01+01:00`",
        "status": f"one of {', '.join(STATES)}", "severity": "info, warning, error, fatal, or your own scale",
        "signature": "the id that `triage analyze` names, or `unknown`",
    }  # fmt: skip
    return examples.get(name, f"write `{name}: ...`")


class SectionMissing(Check):
    """A required section is missing.

    Why: a reader looks for impact, timeline, cause and actions by their headings.

    Instead: add it. Headings are known by meaning (`Root cause`, `Cause`, `根因`); `sections` of the configuration says
    which are required.
    """

    code = "TRI021"
    slug = "section-missing"

    def find(self, subject: Subject) -> Iterator[Problem]:
        for name in subject.config.sections:
            if subject.section(name) is None:
                title = HEADINGS.get(name, (name,))[0].capitalize()
                yield self.problem(subject, 1, f"there is no section about {name}", remedy=f"add `## {title}`")


class _FactMissing(Check):
    fact: str

    def find(self, subject: Subject) -> Iterator[Problem]:
        keys, words, remedy = _FACTS[self.fact]
        document = subject.document
        if self.fact not in subject.config.facts or any(document.front.get(key) for key in keys):
            return
        if not re.search(words, document.prose(document.front_stop, len(document.lines) + 1)):
            yield self.problem(subject, 1, f"the report does not say {remedy.split(':')[0]}", remedy=remedy)


class GpuMissing(_FactMissing):
    """The report does not say which GPU it was.

    Why: without PCI address, UUID or index nobody can tell whether the same card failed before.

    Instead: write `gpus: [...]` in the front matter, or quote the line that names it.
    """

    code = "TRI022"
    slug = "gpu-missing"
    fact = "gpu"


class VersionsMissing(_FactMissing):
    """The report does not say which driver and versions ran.

    Why: what a code means and which fix exists depend on them.

    Instead: write `versions: {driver: ...}` in the front matter, `unknown` if it was not kept.
    """

    code = "TRI023"
    slug = "versions-missing"
    fact = "versions"


class FirstErrorMissing(_FactMissing):
    """The report does not say what the first error was.

    Why: cause and symptom are told apart by what came first.

    Instead: write `first_error: ...` in the front matter, or a line that begins with `First error:`.
    """

    code = "TRI024"
    slug = "first-error-missing"
    fact = "first-error"


class RecheckMissing(_FactMissing):
    """The report does not say whether it was checked after the repair.

    Why: a fault that nobody provoked again is closed by hope.

    Instead: write `recheck: ...` in the front matter or a line about it; `triage explain ID` names the check.
    """

    code = "TRI025"
    slug = "recheck-missing"
    fact = "recheck"


class PlaceholderLeft(Check):
    """A reviewed report still holds a placeholder.

    Why: `TODO` in a closed report is an action that nobody does.

    Instead: fill it in, or set `status: draft`.
    """

    code = "TRI026"
    slug = "placeholder-left"

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        if str(document.front.get("status") or STATES[0]).lower() == STATES[0]:
            return
        blocks = [block for block in document.blocks if block.kind in ("fence", "html")]
        code = {number for block in blocks for number in range(block.start, block.stop)}
        for number, line in enumerate(document.lines, 1):
            if number not in code and (found := _PLACEHOLDER.search(re.sub(r"`[^`]*`", "", line))):
                yield self.problem(subject, number, f"{found[0]} in a report that is {document.front['status']}")


class TimesContradict(Check):
    """The times in the front matter contradict each other or have no zone.

    Why: the time to recovery is computed from `started` and `ended`, over machines in several zones.

    Instead: write ISO 8601 with a zone: `2026-03-14T09:57:01+01:00`.
    """

    code = "TRI027"
    slug = "times-contradict"

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        times: dict[str, datetime] = {}
        for name in ("started", "detected", "ended"):
            value = document.front.get(name)
            if value in (None, ""):
                continue
            time = moment(value)
            if time is None:
                yield self.problem(subject, document.key_line(name), f"{name} is no ISO 8601 time: {value}")
            elif time.tzinfo is None and not subject.config.timezone:
                yield self.problem(subject, document.key_line(name), f"{name} has no zone: {value}")
            else:
                times[name] = time.replace(tzinfo=None) if subject.config.timezone and time.tzinfo is None else time
        try:
            if "started" in times and "ended" in times and times["ended"] < times["started"]:
                yield self.problem(subject, document.key_line("ended"), "ended before it started")
        except TypeError:  # one with a zone and one without
            return


def moment(value: Any) -> datetime | None:
    """The time that an entry of the front matter gives, with its zone where it has one; None if it is none."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None


