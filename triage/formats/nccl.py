"""Lines that NCCL prints about itself.

`HEADER` is also used by the other formats of a job log: none of them may swallow such a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import lazy
from triage.clock import parse
from triage.formats.base import Format, record
from triage.model import Line, Record, Stamp

# src/debug.cc: "%s:%d:%d [%d] %s:%d NCCL WARN " (since 2.30 with the function in brackets),
# "%s:%d:%d [%d] NCCL INFO ", "%s:%d:%d [%d] %f %s:%d NCCL TRACE "; since 2.26 a stamp may stand before the host.
_WHO = (
    r"(?:\[(?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)\] )?"
    r"(?<![\w.\-])(?P<host>[A-Za-z0-9][\w.\-]*):(?P<pid>[0-9]+):(?P<tid>[0-9]+) (?:\[(?P<dev>-?[0-9]+)\] )?"
)
_WHERE = r"(?:[0-9]+\.[0-9]+ )?(?P<file>[\w./+~\-]+):(?P<line>[0-9]+) (?:\((?P<function>[^()]*)\) )?"
_LEVEL = r"NCCL (?P<level>INFO|WARN|TRACE|CALL|ABORT|ERROR) (?P<text>.*)"
HEADER = lazy.pattern(_WHO + f"(?:{_WHERE})?" + _LEVEL)
# A line whose head was cut off; at its beginning only, since people also write about "NCCL WARN" in prose.
_CUT = lazy.pattern(r"^[\s>.|]*" + f"(?:{_WHERE})?" + _LEVEL)
_UNWINDING = lazy.pattern(_WHO + r"(?P<text>(?P<file>[\w./+~\-]+\.(?:cc|cu|h|cpp)):(?P<line>[0-9]+) -> [0-9]+.*)")
_STEP = lazy.pattern(
    r"^(?P<file>[\w./+~\-]+\.(?:cc|cu|h|cpp)):(?P<line>[0-9]+) (?:\((?P<function>[^()]*)\) )?-> [0-9]+"
)


def header(text: str) -> re.Match[str] | None:
    """The match of an NCCL line (groups stamp, host, pid, tid, dev, file, line, level, text), or None."""
    if "NCCL " in text:
        return HEADER.search(text) or _CUT.match(text)
    return _UNWINDING.search(text) if " -> " in text and "] " in text else None


class Nccl(Format):
    """NCCL's WARN, INFO and TRACE lines, one record each; `text` is what follows `NCCL WARN `.

    >>> from triage.model import Line
    >>> text = 'node07:2742:2742 [0] init.cc:904 NCCL WARN Duplicate GPU detected : rank 1 and rank 0'
    >>> found = Nccl().take([Line(1, text, text)], 0)
    >>> found.text, found.fields['level'], found.fields['file']
    ('Duplicate GPU detected : rank 1 and rank 0', 'warn', 'init.cc')
    """

    name = "nccl"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        line = lines[at]
        found = header(line.text)
        if found is None:
            return None
        groups = found.groupdict()
        text = groups["text"]
        step = _STEP.match(text)
        place = step.groupdict() if step else groups
        dev, pid, number = groups.get("dev"), groups.get("pid"), place.get("line")
        return record(
            self.name,
            [line],
            [text],
            stamp(groups.get("stamp"), line),
            host=groups.get("host"),
            pid=int(pid) if pid else None,
            cudadev=int(dev) if dev else None,
            level=(groups.get("level") or "info").lower(),
            file=place.get("file"),
            line_number=int(number) if number else None,
            function=place.get("function"),
        )


def stamp(text: str | None, line: Line) -> Stamp | None:
    """The time of a record: the stamp in its own header, else the one that the line's wrapper or prefix gave."""
    for candidate in (text, line.fields.get("time")):
        found = parse(candidate) if candidate else None
        if found is not None:
            return found
    return None
