"""Has the report what a reader of the next night needs?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage import lazy
from triage.model import Finding
from triage.reports import times
from triage.reports.checks.base import HEADINGS, Check, Subject
from triage.reports.problem import Edit, Problem
from triage.reports.times import moment

PLACEHOLDER = "TODO"
_TIME = "2026-03-14T09:57:01+01:00"
STATES = ("draft", "reviewed", "closed")
_HTML = (
    "abbr|center|code|del|details|div|font|img|ins|kbd|mark|pre|samp|small|span|strike|strong|sub|summary|sup|table|tbody|"
    "thead|var|video|wbr"
)
_PLACEHOLDER = lazy.pattern(rf"\b(?:TODO|TBD|FIXME|XXX)\b|<(?!(?:{_HTML})>)[a-z][a-z ]{{2,30}}>(?!\()", re.ASCII)
_STATE = lazy.pattern(r"^\s*\|[^|]*\w[^|]*\|.*\b(?:TODO|TBD)\W*\|?\s*$", re.ASCII)  # the last cell of a row: it is open
_FACTS: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    # What: keys of the front matter; words that tell it in the text; what is missing; how it is told.
    "gpu": (
        ("gpus", "gpu", "pci", "devices"),
        r"(?i)\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?\b|\b(?:GPU|MIG)-[0-9a-f]{8}-|"
        r"\bGPU[ #:]{0,2}[0-9]{1,3}\b|\bcuda:[0-9]|\brank[ #:]{0,2}[0-9]",
        "which GPU it was",
        "write `gpus: [...]` in the front matter (PCI address, UUID or index: nvidia-smi -L), `unknown` or `none`",
    ),
    "versions": (
        ("versions", "driver", "driver_version"),
        r"(?i)\b(?:driver|nvidia-smi|kernel module|cuda|torch|pytorch|nccl|驱动)\b[^\n]{0,40}?\b[0-9]{1,3}\.[0-9]{1,3}",
        "which driver and versions ran",
        "write `versions: {driver: ...}` in the front matter (nvidia-smi --query-gpu=driver_version --format=csv; "
        "python -m torch.utils.collect_env), `unknown` if it was not kept",
    ),
    "first-error": (
        ("first_error", "first"),
        r"(?i)\bfirst (?:error|sign|failure|symptom|line|alert)\b|最早|首次|第一条",
        "what the first error was",
        "write `first_error: ...` in the front matter, with its time; triage analyze --all shows it",
    ),
    "recheck": (
        ("recheck", "re_check", "verified_by", "verification"),
        r"(?i)\bre-?check(?:ed)?\b|\bverif(?:y|ied|ication)\b|\btriage recheck\b|复查|验证",
        "whether it was checked after the repair",
        "write `recheck: ...` in the front matter: what was run again, and what came out; `not yet` is an answer",
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
        known = {name: value for name in missing if (value := derived(name, subject))}
        new = {name: value for name, value in known.items() if name not in document.matter.lines}
        insertion = _insertion(subject, new)
        for name in missing:
            edits: tuple[Edit, ...] = insertion if name in new else ()
            if name in known and name not in new:
                edits = subject.value_edit(name, known[name])
            text = f"the front matter has no `{name}`"
            yield self.problem(subject, document.key_line(name), text, remedy=_example(name), edits=edits)


def _insertion(subject: Subject, known: dict[str, str]) -> tuple[Edit, ...]:
    """All that is known in one edit, at the end of the front matter, or as a new one; none where there is no room."""
    document = subject.document
    matter, end = document.matter, document.newline
    joint = " = " if matter.kind == "toml" else ": "
    rows = "".join(f"{matter.indent}{name}{joint}{subject.written(value)}{end}" for name, value in known.items())
    if not matter.kind:
        start = document.starts[0]
        return (Edit(start, start, f"---{end}{rows}---{end}{end}"),) if rows else ()
    at = document.offset(matter.room) if matter.room else 0
    return (Edit(at, at, rows),) if rows and matter.room else ()


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
        "id": "write e.g. `id: 2026-03-14-xid-79-node07`", "date": "write e.g. `date: 2026-03-14T09:57:01+01:00`",
        "status": f"write `status: ...`, one of {', '.join(STATES)}",
        "severity": "write `severity: ...`: info, warning, error, fatal, or your own scale",
        "signature": "write `signature: ...`: the id that `triage analyze` names, or `unknown`",
    }  # fmt: skip
    return examples.get(name, f"write `{name}: ...`")


class SectionMissing(Check):
    """A required section is missing.

    Why: a reader looks for impact, timeline, cause and actions by their headings.

    Instead: add it. Headings are known by meaning (`Root cause`, `3. Causes and trigger`, `根因`), and a bold word at
    the start of a line or row counts as well; `sections` of the configuration says which are required. A draft is
    only warned.
    """

    code = "TRI021"
    slug = "section-missing"
    later = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        for name in subject.config.sections:
            if subject.section(name) is None:
                title = HEADINGS.get(name, (name,))[0].capitalize()
                yield self.problem(subject, 1, f"there is no section about {name}", remedy=f"add `## {title}`")


class _FactMissing(Check):
    fact: str
    later = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        keys, words, what, remedy = _FACTS[self.fact]
        document = subject.document
        given = any(document.front.get(key) for key in keys)
        if self.fact not in subject.config.facts or given or document.broken:
            return
        if not re.search(words, document.prose(document.front_stop, len(document.lines) + 1)):
            yield self.problem(subject, 1, f"the report does not say {what}", remedy=remedy)


class GpuMissing(_FactMissing):
    """The report does not say which GPU it was.

    Why: without PCI address, UUID, index or rank nobody can tell whether the same card failed before.

    Instead: write `gpus: [...]` in the front matter, or quote the line that names it; `gpus: none` where it was no
    fault of a GPU.
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

    Instead: fill it in, or set `status: draft`. The state of an action in the last cell of its row may stay.
    """

    code = "TRI026"
    slug = "placeholder-left"

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        if subject.draft or not subject.word("status"):
            return
        blocks = [block for block in document.blocks if block.kind in ("fence", "html")]
        code = {number for block in blocks for number in range(block.start, block.stop)}
        actions = range(*(subject.section("actions") or (0, 0)))
        remedy = "fill it in, or set `status: draft`"
        for number, line in enumerate(document.lines, 1):
            if number in code or (number in actions and _STATE.match(line)):
                continue
            if found := _PLACEHOLDER.search(re.sub(r"`[^`]*`", "", line)):
                text = f"{found[0]} in a report that is {subject.word('status')}"
                yield self.problem(subject, number, text, remedy=remedy)


class TimesContradict(Check):
    """The times in the front matter contradict each other, have no zone, or are no times.

    Why: the time to recovery is computed from `started` and `ended`, over machines in several zones.

    Instead: write ISO 8601 with a zone: `2026-03-14T09:57:01+01:00`; or name the zone of all times once: `timezone`.
    """

    code = "TRI027"
    slug = "times-contradict"

    def find(self, subject: Subject) -> Iterator[Problem]:
        yield from self._zone(subject)
        for name in ("date", "started", "detected", "ended"):
            value = subject.word(name)
            time = moment(value)
            if value and time is None:
                yield self._wrong(subject, name, f"{name} is no ISO 8601 time: {value}")
            elif time and time.tzinfo is None and name != "date" and not subject.zone_name:
                yield self._wrong(subject, name, f"{name} has no zone: {value}")
        started, ended = (subject.time(name) for name in ("started", "ended"))
        if started and ended and started.tzinfo and ended.tzinfo and ended < started:
            yield self._wrong(subject, "ended", "ended before it started")

    def _zone(self, subject: Subject) -> Iterator[Problem]:
        try:
            times.offset(subject.word("timezone") or "UTC", None)
        except ValueError as error:
            yield self._wrong(subject, "timezone", str(error))

    def _wrong(self, subject: Subject, name: str, text: str) -> Problem:
        remedy = f"write e.g. {name}: {'Europe/Berlin' if name == 'timezone' else _TIME}"
        return self.problem(subject, subject.document.key_line(name), text, remedy=remedy)
