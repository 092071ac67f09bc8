"""What `triage collect` wrote about its own work into an archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from triage import lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

_FIRST = lazy.pattern(r'\s*"(?:tool": "triage |results": \[)')
_LONGEST = 20_000  # lines


class OwnJson(Format):
    """Manifest and readings, one record without text: they tell of reading, not of the machine, and prove nothing.

        {
          "tool": "triage 0.1.0",
          "unread": [{"name": "nvidia-smi-q.txt", "why": "nvidia-smi: No such file or directory"}]
        }
    """

    name: ClassVar[str] = "text"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        if lines[at].text != "{" or at + 1 >= len(lines) or not _FIRST.match(lines[at + 1].text):
            return None
        end = at + 1
        while end < len(lines) and end - at < _LONGEST and lines[end - 1].text != "}":
            end += 1
        return record(self.name, lines[at:end], [""] * (end - at))
