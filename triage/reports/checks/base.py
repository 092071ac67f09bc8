"""What a check sees, and the shape of a check: a tiny class with its code, and its explanation as docstring."""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from triage.library.library import Library
from triage.redact import Redactor
from triage.redact.redactor import Found
from triage.reports.config import Config
from triage.reports.document import Document
from triage.reports.logs import Shown, shown
from triage.reports.problem import Edit, Level, Problem

# What may stand in a report of one's own company: for a repair one must know the machine. `allow` adds to it.
KEPT = ("host", "uuid", "serial", "hex")
# How a section is called, by what it is for; the first name is the one that is written.
HEADINGS: dict[str, tuple[str, ...]] = {
    "summary": ("summary", "overview", "abstract", "what happened", "tl;dr", "概要", "摘要", "总结"),
    "impact": ("impact", "user impact", "effect", "影响"),
    "timeline": ("timeline", "chronology", "时间线", "时间轴"),
    "root-cause": ("root cause", "root causes", "cause", "causes", "root cause analysis", "根因", "根本原因", "原因"),
    "actions": ("actions", "action items", "follow-up", "follow-ups", "next steps", "corrective actions", "行动项"),
    "resolution": ("resolution", "fix", "fixed by", "mitigation", "repair", "recovery", "what fixed it", "解决"),
}  # fmt: skip


@dataclass
class Subject:
    """A report under check, with what is computed of it once. `folder` is where its links start."""

    document: Document
    config: Config
    library: Library
    redactor: Redactor
    folder: Path
    zone: float | None = None

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
        return self.words("signature")

    def words(self, name: str) -> list[str]:
        """The words of an entry of the front matter: a text or a list of texts."""
        value = self.document.front.get(name)
        listed = value if isinstance(value, list) else [value]
        return [str(one).strip() for one in listed if one not in (None, "")]

    def section(self, name: str) -> tuple[int, int] | None:
        """The first line of the text of a section of this purpose and the line behind it."""
        found = self.document.section(HEADINGS.get(name, (name.lower(),)))
        return (found[0].stop, found[1]) if found else None

    def value_edit(self, name: str, new: str) -> tuple[Edit, ...]:
        """The edit that gives an entry of the front matter another one-line value; none where it is a list."""
        line = self.document.keys.get(name)
        if line is None or isinstance(self.document.front.get(name), (list, dict)):
            return ()
        start, stop = offsets(self.document, line)
        colon = self.document.text.index(":", start)
        return (Edit(colon + 1, stop, " " + new),)


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

    def find(self, subject: Subject) -> Iterator[Problem]:
        """The problems of this kind."""
        raise NotImplementedError

    def problem(
        self, subject: Subject, line: int, text: str, because: str = "", remedy: str = "", edits: Sequence[Edit] = (),
        column: int = 1,
    ) -> Problem:  # fmt: skip
        """A problem of this kind at a line of the report."""
        level = subject.config.levels.get(self.code, self.level)
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
