"""What each exception of a traceback printed: the parts of a chain in the order in which they were raised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from triage import lazy
from triage.formats import pyshapes
from triage.formats.pyshapes import ARROW, LOOSE_FRAMES
from triage.formats.pytrace import Scan

_CAUGHT = lazy.pattern(r"^Caught (?P<type>\w+) in ")
_NOISE = lazy.pattern(r"[\s^~]")
_LIBRARY = lazy.pattern(
    r"site-packages|dist-packages|^<(?!ipython|stdin)|/lib(?:64)?/python[0-9]|[\\/]Lib[\\/]|\.pyx$|/bin/[^/.]+$"
)


class Frame(NamedTuple):
    """A line of a Python stack; `line` is 0 and `code` empty where they were not printed."""

    path: str
    line: int
    function: str
    code: str


class Raised(NamedTuple):
    """One exception of a chain.

    `offset` is where its type stands in the record's text; `start` and `end` bound all that it printed (header,
    frames, message). The parts of a chain do not overlap. `carrier` is the index of the exception that quotes it, or
    -1; `frame` is where it was raised in the program itself.
    """

    offset: int
    type: str
    message: str
    start: int
    end: int
    carrier: int = -1
    frame: Frame | None = None

    def holds(self, offset: int) -> bool:
        """Whether the exception printed what stands at an offset of the record's text."""
        return self.start <= offset <= self.end


@dataclass(slots=True, eq=False)
class Part:
    """The lines (`first` to `last`, inclusive) of one exception, with its frames."""

    first: int
    last: int
    column: int = 0
    parent: Part | None = None
    at: int = -1
    offset: int = 0
    type: str = ""
    cause: str = ""
    message: str = ""
    frames: list[Frame] = field(default_factory=list)


def parts(texts: list[str], found: Scan) -> list[Part]:
    """The parts of a scanned traceback whose lines without margin are `texts`, from the root to the uncaught."""
    order: list[Part] = []
    current: Part | None = None
    for index, (text, label) in enumerate(zip(texts, found.labels, strict=False)):
        inner = pyshapes.strip_group(text)
        column = len(text) - len(text.lstrip()) + 1 if inner != text else 0
        if current is None or _opens(current, label, found):
            current = _open(order, current, index, column, label)
        elif label == "chain" or index == 0:
            pass
        if label == "chain" and current.at >= 0:
            continue
        current.last = index
        if label in ("frame", "embedded", "header"):
            _frame(current, inner, texts[index + 1] if index + 1 < len(texts) else "")
        elif label == "raised":
            _name(current, index, inner, text, found)
        elif label == "message" and current.message.endswith(":") and inner.strip():
            current.message += f" {inner.strip()}"  # torch.compile: "backend='inductor' raised:", and what on the next
    return [part for part in order if part.type or part.frames]


def _opens(current: Part, label: str, found: Scan) -> bool:
    """True if the line begins a new part: a header or a named exception after one that is already named."""
    if label == "embedded":
        return True
    if found.messy:
        return label == "raised" and current.at >= 0
    return current.at >= 0 and label in ("header", "frame", "raised")


def _open(order: list[Part], before: Part | None, index: int, column: int, label: str) -> Part:
    part = Part(index, index, column)
    if label == "embedded":
        part.parent = before
    elif column:
        part.parent = max((p for p in order if 0 < p.column < column), key=lambda p: p.first, default=None)
    elif before is not None and before.parent is not None and not before.column:
        part.parent = _still_inside(before)
    place = order.index(part.parent) if part.parent is not None else len(order)
    order.insert(place, part)
    return part


def _still_inside(before: Part) -> Part | None:
    """The exception that quotes `before` and what follows: until the type that it says it caught has come."""
    outer = before.parent
    caught = _CAUGHT.match(outer.message) if outer else None
    name = caught["type"] if caught else (outer.cause if outer else "")
    return outer if name and before.type.rpartition(".")[2] != name else None


def _frame(part: Part, text: str, following: str) -> None:
    found = pyshapes.frame(text)
    if found:
        code = pyshapes.strip_group(following)
        shown = code.strip() if code[:1].isspace() and not pyshapes.frame(code) else ""
        part.frames.append(Frame(found["path"], int(found["line"]), found["function"] or "", shown.strip("^~ ")))
        return
    loose = pyshapes.loose(text, LOOSE_FRAMES)
    if loose:
        groups = loose.groupdict()
        part.frames.append(Frame(groups["path"], int(groups.get("line") or 0), groups.get("function") or "", ""))


def _name(part: Part, index: int, inner: str, text: str, found: Scan) -> None:
    match = pyshapes.raised(inner, body=True, messy=found.messy)
    if match is None:
        return
    groups = match.groupdict()
    group = "type" if groups.get("type") else "bare"
    part.at, part.offset = index, len(text) - len(inner) + match.start(group)
    part.type = _NOISE.sub("", groups[group])
    part.cause, part.message = groups.get("cause") or "", (groups.get("message") or "").strip()


def arrows(texts: list[str], part: Part) -> None:
    """Adds the lines that IPython and rich mark with an arrow to the frames above them."""
    frames = iter(range(len(part.frames)))
    at = -1
    for text in texts[part.first : part.last + 1]:
        if pyshapes.loose(text, LOOSE_FRAMES):
            at = next(frames, -1)
        arrow = pyshapes.loose(text, (ARROW,))
        if arrow and at >= 0:
            frame = part.frames[at]
            part.frames[at] = frame._replace(line=int(arrow["line"]), code=arrow["code"].strip())


def own_frame(frames: list[Frame]) -> Frame | None:
    """The innermost frame outside of installed packages and the standard library, else the innermost."""
    own = [frame for frame in frames if not _LIBRARY.search(frame.path)]
    return (own or frames)[-1] if frames else None


def program_frame(frames: list[Frame]) -> Frame | None:
    """The innermost frame outside of installed packages and the standard library, if there is one."""
    return next((frame for frame in reversed(frames) if not _LIBRARY.search(frame.path)), None)


def all_raised(texts: list[str], found: Scan) -> list[Raised]:
    """The exceptions of a record whose lines are `texts`, from the root to the uncaught one."""
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    named = [part for part in parts(texts, found) if part.type]
    return [
        Raised(
            starts[p.at] + p.offset, p.type, p.message, starts[p.first], starts[p.last] + len(texts[p.last]), carrier,
            program_frame(p.frames),
        )
        for p, carrier in zip(named, carriers(named), strict=True)
    ]  # fmt: skip


def carriers(named: Sequence[Part]) -> list[int]:
    """For each exception the index of the one that quotes it, or -1."""
    return [next((i for i, other in enumerate(named) if other is part.parent), -1) for part in named]


def original(chain: Sequence[Part | Raised], carried: Sequence[int]) -> int:
    """The index of the exception that the uncaught one of a chain passes on from elsewhere, else of the uncaught.

    One that quotes the text of another carries it (a data worker's, Ray's, a spawned process's); one that was handed
    over whole (a pool's) is raised again with the same words.
    """
    words = [(one.type, one.message) for one in chain]
    at = next((i for i, carrier in enumerate(carried) if carrier >= 0 and words[i] == words[-1]), len(chain) - 1)
    while quoted := [i for i, carrier in enumerate(carried) if carrier == at]:
        at = quoted[-1]
    return at


def unspoken(chain: Sequence[Raised], spoken: Sequence[int]) -> Raised | None:
    """The first exception of a chain, raised by the program itself or only carried by a later one, if it comes before
    all those in which the offsets `spoken` lie."""
    places = [next((i for i, one in enumerate(chain) if one.holds(offset)), len(chain)) for offset in spoken]
    before = chain[: min(places, default=0)]
    return next((one for one in before if one.carrier >= 0 or one.frame is not None), None)
