"""What a check finds: where, which code, why, and the edits that mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "off"]
LEVELS: tuple[Level, ...] = ("error", "warning", "off")


@dataclass(slots=True, frozen=True)
class Edit:
    """Replaces characters `start` to `stop` of the text of a report."""

    start: int
    stop: int
    text: str


@dataclass(slots=True, frozen=True)
class Problem:
    """One thing that is wrong with a report, at a line and column (both from 1).

    `because` is what proves it (a line of a log), `remedy` what to do. With `edits` it can be mended by a program.
    """

    path: str
    line: int
    column: int
    code: str
    slug: str
    level: Level
    text: str
    because: str = ""
    remedy: str = ""
    edits: tuple[Edit, ...] = ()
