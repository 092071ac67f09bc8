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
# A line whose head was cut off or replaced by hand (`<cluster>:920:1145 [1]`, `node:XXXX [5]`); without the number
# of the device at its beginning only, since people also write about "NCCL WARN" in prose.
_CUT = lazy.pattern(
    r"^(?:[\s>.|]*|(?:.{0,120}?\s)?\S*:\S* \[(?P<dev>-?[0-9]+)\] |\[(?P<first>-?[0-9]+)\] )" + f"(?:{_WHERE})?" + _LEVEL
)
_UNWINDING = lazy.pattern(_WHO + r"(?P<text>(?P<file>[\w./+~\-]+\.(?:cc|cu|h|cpp)):(?P<line>[0-9]+) -> [0-9]+.*)")
_STEP = lazy.pattern(
    r"^(?P<file>[\w./+~\-]+\.(?:cc|cu|h|cpp)):(?P<line>[0-9]+) (?:\((?P<function>[^()]*)\) )?-> [0-9]+"
)

# `NET/Socket : Using [0]ens5:10.60.4.137<0> [1]veth5b1c0a2:fe80::3c9d:9aff:fe10:7b2e%veth5b1c0a2<0>`
_CHOSEN = lazy.pattern(
    r"(?:^|[\s\]])(?P<name>[A-Za-z][\w.\-]*):(?P<address>[0-9A-Fa-f][0-9A-Fa-f.:]+)(?:%[\w.\-]*)?<[0-9]+>"
)
_PEER = lazy.pattern(r"^(?P<address>[0-9A-Fa-f][0-9A-Fa-f.:]+)(?:%[\w.\-]*)?<[0-9]+>")


def header(text: str) -> re.Match[str] | None:
    """The match of an NCCL line (groups stamp, host, pid, tid, dev, file, line, level, text), or None."""
    if "NCCL " in text:
        return HEADER.search(text) or _CUT.match(text)
    return _UNWINDING.search(text) if " -> " in text and "] " in text else None


def interfaces(text: str) -> dict[str, str]:
    """The interfaces that a line of the form `Bootstrap : Using eth0:10.0.0.3<0>` offers, by their addresses."""
    return {found["address"]: found["name"] for found in _CHOSEN.finditer(text)} if "Using" in text else {}


def address(peer: str) -> str | None:
    """The address in `10.0.0.7<41250>` or `fe80::1%eth0<41250>`, or None for a peer that is named."""
    found = _PEER.match(peer)
    return found["address"] if found else None


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
        dev, pid, number = groups.get("dev") or groups.get("first"), groups.get("pid"), place.get("line")
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
