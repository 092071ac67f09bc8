"""The state of collectives: what `sources/dumps.py` makes of a flight recorder's dump, and the text of NCCL's RAS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from triage import clock, lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

_STATEMENT = lazy.pattern(
    r"flight recorder of rank (?:(?P<rank>\d{1,6})|\?): (?:process group (?P<pg>.{1,250}?) (?=of |collective ))?"
)
# src/ras/client_support.cc of NCCL.
_COMMUNICATOR = lazy.pattern(r"#(?P<group>\d+)-\d+ \((?P<hash>[0-9a-f]+)\) [A-Z, ]+$")
_APART = lazy.pattern(r"\s+Communicator ranks have different (?P<op>\w+) operation counts")
_MEMBER = lazy.pattern(
    r"\s+(?:Rank (?P<rank>\d+) (?:-- GPU |has launched up to operation |has not launched any)"
    r"|Process \d+ on node \S+ managing GPU|\d+ ranks have (?:not )?launched )"
)
_ROW = lazy.pattern(r"\s+(?P<group>\d+)\s+\d+\s+\d+\s+\d+\s+(?P<ranks>\d+)\s+\d+\s+[A-Z]")  # of the table of groups
_FAR = 3000  # lines that may stand between a rank and its communicator, or the table


class FlightRecorder(Format):
    """One statement of a dump of PyTorch's flight recorder; `rank` and `pg` are fields, the text is what it says.

    >>> from triage.model import Line
    >>> text = 'flight recorder of rank 3: process group 0(default_pg) of 2 ranks (0-1): last enqueued 10, started -1'
    >>> found = FlightRecorder().take([Line(1, text, text)], 0)
    >>> found.fields["rank"], found.fields["pg"], found.text
    (3, '0(default_pg)', 'of 2 ranks (0-1): last enqueued 10, started -1')
    """

    name: ClassVar[str] = "flight-recorder"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        line = lines[at]
        found = _STATEMENT.match(line.text) if line.text.startswith("flight ") else None
        if found is None:
            return None
        time = clock.parse(line.fields["time"]) if "time" in line.fields else None
        rank = int(found["rank"]) if found["rank"] else None
        return record(self.name, [line], [line.text[found.end() :]], time, rank=rank, pg=found["pg"])


class NcclRas(Format):
    """A line of `ncclras` about a rank; `pg` is the communicator and the operation that is counted.

    Its ranks are those of the communicator: `rank` is a field only for one that spans the job.

        #0-1 (d01b8bdaf2c850fc) MISMATCH
          Communicator ranks have different AllGather operation counts
          Rank 1 has launched up to operation 4 -- GPU 1 managed by process 618 on node 10.0.0.7
    """

    name: ClassVar[str] = "nccl-ras"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text, op = lines[at].text, ""
        member = _MEMBER.match(text) if text[:1].isspace() else None
        if member is None and not _APART.match(text) and not (text[:1] == "#" and _COMMUNICATOR.match(text)):
            return None
        for above in range(at, max(-1, at - _FAR), -1):
            row = lines[above].text
            if not op and (counted := _APART.match(row)):
                op = counted["op"]
            if found := _COMMUNICATOR.match(row):
                named = member["rank"] if member and _spans_job(lines, above, found["group"]) else None
                group = f"{found['hash']} {op}".strip()
                return record(self.name, [lines[at]], [text.strip()], rank=int(named) if named else None, pg=group)
            if row[:1].strip():
                return record(self.name, [lines[at]], [text.strip()]) if row.strip() == "DEAD" else None
        return None


def _spans_job(lines: Sequence[Line], at: int, group: str) -> bool:
    """Whether no group of communicators has more ranks than this one; true where there is no table of them."""
    sizes: dict[str, int] = {}
    for above in range(at, max(-1, at - _FAR), -1):
        if row := _ROW.match(lines[above].text):
            sizes[row["group"]] = int(row["ranks"])
        elif sizes:
            break
    return not sizes or sizes.get(group) == max(sizes.values())
