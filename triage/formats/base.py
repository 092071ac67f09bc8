"""What a format is: one class that takes records off a run of lines.

A format looks at a position in the lines of one stream and says how many lines its record takes there. So a
paste may mix formats freely, no line is ever lost or taken twice, and a new format is one small class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from triage.model import Line, Record, Stamp, Value, join_lines


class Format:
    """Base class. Subclasses set `name`, put a sample into the docstring and implement `take`."""

    name: ClassVar[str] = "text"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        """The record that begins at `lines[at]`, or None when this format does not begin here.

        The record holds `lines[at : at + n]`, n >= 1, and nothing else.
        """
        raise NotImplementedError

    def sniff(self, lines: Sequence[Line]) -> float:
        """The share of the non-empty lines (0 to 1) that this format takes."""
        taken, at = 0, 0
        full = sum(1 for line in lines if line.text.strip())
        while at < len(lines):
            record = self.take(lines, at)
            if record is not None:
                taken += sum(1 for line in record.lines if line.text.strip())
            at += len(record.lines) if record else 1
        return taken / full if full else 0.0


def record(
    format_name: str,
    lines: Sequence[Line],
    texts: Sequence[str],
    time: Stamp | None = None,
    **fields: Value | None,
) -> Record:
    """A record over `lines` whose texts without headers are `texts` (one each); None fields are left out.

    Fields of the line prefix (rank, host, pod, pid ...) are taken over unless `fields` names them.
    """
    text, offsets = join_lines(texts)
    merged: dict[str, Value] = dict(lines[0].fields)
    merged.update({key: value for key, value in fields.items() if value is not None})
    return Record("", format_name, list(lines), text, offsets, time, merged)
