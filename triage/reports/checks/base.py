"""What a check sees, and the shape of a check: a tiny class with its code, and its explanation as docstring."""

from __future__ import annotations

import inspect
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from triage.library.library import Library
from triage.model import Finding
from triage.redact import Redactor
from triage.redact.redactor import Found
from triage.reports import times
from triage.reports.config import Config
from triage.reports.document import Document, texts
from triage.reports.logs import Shown, shown
from triage.reports.problem import Edit, Level, Problem

# What may stand in a report of one's own company: for a repair one must know the machine. `allow` adds to it.
KEPT = ("host", "uuid", "serial", "hex")
UNKNOWN = "unknown"  # the honest root cause of a report whose logs cannot tell
_UNKNOWNS = frozenset(("unknown", "unclear", "tbd", "todo", "none", "n/a", "na", "?", "-", "未知", "不明"))
# States of a report that is not done.
DRAFTS = ("draft", "open", "ongoing", "in progress", "in-progress", "investigating", "wip")
# How a section is called, by what it is for; the first name is the one that is written.
HEADINGS: dict[str, tuple[str, ...]] = {
    "summary": (
        "summary", "overview", "abstract", "what happened", "tl;dr", "description", "background", "introduction",
        "概要", "概述", "摘要", "总结", "简介", "故障描述", "事件描述", "背景",
    ),
    "impact": ("impact", "effect", "effects", "blast radius", "affected", "影响"),
    "timeline": ("timeline", "time line", "chronology", "sequence of events", "event log", "时间线", "时间轴", "经过"),
    "root-cause": (
        "root cause", "root causes", "cause", "causes", "root cause analysis", "rca", "contributing factors",
        "five whys", "5 whys", "why it happened", "根因", "根本原因", "原因",
    ),
    "actions": (
        "actions", "action items", "action item", "follow-up", "follow-ups", "follow up", "next steps",
        "corrective actions", "corrective", "preventive", "prevention", "remediation", "what we are doing",
        "行动项", "改进", "整改", "后续", "预防",
    ),
    "resolution": (
        "resolution", "fix", "fixed by", "mitigation", "repair", "recovery", "what fixed it", "solution", "workaround",
        "解决", "处理", "修复", "恢复",
    ),
}  # fmt: skip


@dataclass
class Subject:
    """A report under check, with what is computed of it once. `folder` is where its links start."""

    document: Document
    config: Config
    library: Library
    redactor: Redactor
    folder: Path
    about: dict[str, list[Finding]] = field(default_factory=dict)  # by a stated id, as `matching` finds them

    @cached_property
    def zone_name(self) -> str:
        """The zone of times that name none, as its front matter or the configuration names it, or an empty text."""
        for name in (self.word("timezone"), self.config.timezone):
            try:
                times.offset(name, None)
                return name
            except ValueError:
                continue
        return ""

    def time(self, name: str) -> datetime | None:
        """The time of an entry of the front matter, in the zone of the report where it names none."""
        found = times.moment(self.word(name))
        return times.zoned(found, self.zone_name) if found and self.zone_name and not found.tzinfo else found

    @cached_property
    def zone(self) -> float | None:
        """Seconds east of UTC of times that name no zone, on the day of the incident."""
        day = times.moment(self.word("started")) or times.moment(self.word("date"))
        return times.offset(self.zone_name, day and day.replace(tzinfo=None)) if self.zone_name else None

    @cached_property
    def shown(self) -> Shown:
        """What its logs say."""
        return shown(self.document, self.folder, self.library, self.zone)

    @cached_property
    def private(self) -> list[Found]:
        """Secrets, people and addresses in it."""
        return self.redactor.found(self.document.text)

    @cached_property
    def stated(self) -> list[str]:
        """The ids that the front matter states as root cause."""
        return [UNKNOWN if one.lower() in _UNKNOWNS else one for one in self.words("signature")]

    @cached_property
    def draft(self) -> bool:
        """Whether its status says that somebody still writes at it."""
        return self.word("status").lower() in DRAFTS

    def words(self, name: str) -> list[str]:
        """The words of an entry of the front matter: a text or a list of texts."""
        return texts(self.document.front.get(name))

    def word(self, name: str) -> str:
        """The text of an entry of the front matter; empty where it has none, or several."""
        found = self.document.front.get(name)
        return found.strip() if isinstance(found, str) else ""

    def section(self, name: str) -> tuple[int, int] | None:
        """The first line of the text of a section of this purpose and the line behind it."""
        found = self.document.section(HEADINGS.get(name, (name.lower(),)))
        if found is None:
            return None
        head, stop = found
        return (head.start if head.kind == "label" else head.stop), stop

    def value_edit(self, name: str, new: str) -> tuple[Edit, ...]:
        """The edit that gives an entry of the front matter another value; none where it is no text on one line."""
        place = self.document.matter.places.get(name)
        if place is None:
            return ()
        line, first, behind = place
        start, stop = self.document.offset(line, first), self.document.offset(line, behind)
        blank = " " if self.document.text[start - 1] in ":=" else ""
        return (Edit(start, stop, blank + self.written(new)),)

    def written(self, value: str) -> str:
        """A value as the front matter of this report writes it."""
        return json.dumps(value, ensure_ascii=False) if self.document.matter.kind == "toml" else value


def offsets(document: Document, line: int) -> tuple[int, int]:
    """The characters of a line in the text of the report, without its line end."""
    start = document.starts[line - 1]
    return start, start + len(document.lines[line - 1])


def line_at(document: Document, offset: int) -> tuple[int, int]:
    """The line and column (both from 1) of a character of the text."""
    line = bisect_right(document.starts, offset) or 1
    return line, max(1, offset - document.starts[line - 1] + 1)


class Check:
    """One rule about reports. The docstring of a subclass is what `triage explain` shows: its first line says what is
    wrong, then `Why:` and `Instead:` follow."""

    code: ClassVar[str]
    slug: ClassVar[str]
    level: ClassVar[Level] = "error"
    fixes: ClassVar[bool] = False
    later: ClassVar[bool] = False  # what a draft need not say yet: a warning as long as it is one

    def find(self, subject: Subject) -> Iterator[Problem]:
        """The problems of this kind."""
        raise NotImplementedError

    def problem(
        self, subject: Subject, line: int, text: str, because: str = "", remedy: str = "", edits: Sequence[Edit] = (),
        column: int = 1,
    ) -> Problem:  # fmt: skip
        """A problem of this kind at a line of the report."""
        level = subject.config.levels.get(self.code, "warning" if self.later and subject.draft else self.level)
        path = subject.document.path
        return Problem(path, max(1, line), column, self.code, self.slug, level, text, because, remedy, tuple(edits))

    @property
    def title(self) -> str:
        """What is wrong, in one sentence."""
        return inspect.cleandoc(self.__doc__ or "").split("\n", 1)[0]

    @property
    def explanation(self) -> str:
        """The whole text about it."""
        return inspect.cleandoc(self.__doc__ or "")
