"""Lines of Google's log style, as PyTorch's C++, torchrun, XLA and TensorFlow print them."""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.formats import shapes
from triage.formats.base import Format, record
from triage.formats.nccl import stamp
from triage.model import Line, Record

_LEVELS = {"E": "error", "W": "warning", "I": "info", "F": "fatal", "C": "fatal"}
# ProcessGroupNCCL's prefix: "[Rank 3]" (before 2.2), "[PG 0 Rank 3]" (2.3), "[PG ID 0 PG GUID 0(default_pg) Rank 3]".
_GROUP = lazy.pattern(r"\[(?:PG (?:ID [0-9]+ PG GUID )?(?P<pg>[^\[\]]+?) )?Rank (?P<rank>[0-9]+)\]")
_LAUNCHER = lazy.pattern(r"torch[/.]distributed[/.](?:elastic|run|launch)")
# Messages that C++ code closes itself; nothing of theirs follows.
_CLOSED = lazy.pattern(r"\(function \S.*\)\s*$")
_LONGEST = 200
_PLAIN = 20


class Glog(Format):
    """`[E1130 ... ProcessGroupNCCL.cpp:689] text` with the C++ frames below it; `text` begins after the bracket.

    >>> from triage.model import Line
    >>> text = '[E1130 00:48:47.537961156 ProcessGroupNCCL.cpp:2303] [PG ID 0 PG GUID 0(default_pg) Rank 3]  failure'
    >>> found = Glog().take([Line(1, text, text)], 0)
    >>> found.fields['level'], found.fields['rank'], found.fields['pg']
    ('error', 3, '0(default_pg)')
    """

    name = "glog"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        line = lines[at]
        found = shapes.glog(line.text)
        if found is None:
            return None
        groups = found.groupdict()
        end = _end(lines, at, groups["text"], python=_is_python(groups["file"]))
        texts = [groups["text"], *(other.text for other in lines[at + 1 : end])]
        rank = groups.get("prefix")
        group = _GROUP.search(groups["text"], 0, 200)
        if rank is None and "rank" not in line.fields and group:
            rank = group["rank"]
        number, tid = groups.get("line"), groups.get("tid")
        return record(
            self.name,
            lines[at:end],
            texts,
            stamp(_when(groups), line),
            level=_LEVELS[groups["level"][0]],
            file=groups["file"],
            line_number=int(number) if number else None,
            rank=int(rank) if rank else None,
            pg=group["pg"] if group else None,
            **({_process(groups["file"]): int(tid)} if tid else {}),
        )


def _process(file: str) -> str:
    """The name of the number before the file: torchrun's own process must not be taken for the worker."""
    if _LAUNCHER.search(file):
        return "_pid"
    return "pid" if file.endswith(".py") else "tid"


def _when(groups: dict[str, str | None]) -> str | None:
    """The time in the header, as printed; absl prints `0000 00:00:SECONDS` since 1970 before it is set up."""
    if groups.get("stamp"):
        return groups["stamp"]
    day, clock = groups.get("day"), groups.get("clock")
    if not day or not clock:
        return None
    if day == "0000":
        return clock.rpartition(":")[2]
    return f"{day} {clock}"


def _end(lines: Sequence[Line], at: int, text: str, python: bool) -> int:
    """Where the message that begins at `at` ends.

    C++ frames belong to it even behind a blank line; plain lines only until a blank line or another record. Python
    loggers of torchrun print single lines, so only indented lines go on there.
    """
    end, plain = at + 1, 0 if python or _CLOSED.search(text) else _PLAIN
    while end < min(len(lines), at + _LONGEST):
        current = lines[end].text
        if not current.strip():
            if end + 1 < len(lines) and shapes.BACKTRACE.match(lines[end + 1].text):
                end += 1
                continue
            break
        if shapes.BACKTRACE.match(current):
            end += 1
            continue
        if plain == 0 or shapes.begins(current) or (python and not current[0].isspace()):
            break
        plain -= 1
        end += 1
    return end


def _is_python(file: str) -> bool:
    """Whether a line was logged by Python: `api.py:869`, or a logger's name such as `torch.distributed.elastic`."""
    return file.endswith(".py") or file.startswith("torch.")
