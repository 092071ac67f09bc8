"""The types that travel between the layers. Imports nothing of ours.

A log is read as `Block`s of `Line`s, which a format joins into `Record`s. A signature that holds on a record
gives a `Match`; matches of one fault on one device form a `Finding`; findings make the `Report`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Value = str | int | float | bool
Entities = dict[str, Value | list[Value]]

Role = Literal["cause", "symptom", "carrier", "context", "unknown"]
Severity = Literal["info", "warning", "error", "fatal"]
Confidence = Literal["confirmed", "likely", "possible"]
Verdict = Literal["fault", "suspect", "healthy", "nothing-understood"]

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error", "fatal")
RISKS = ("read-only", "restart-job", "restart-service", "reset-gpu", "reboot", "firmware", "hardware")
ACTIONS = (
    "none", "debug-app", "restart-app", "restart-service", "reset-gpu", "drain", "reboot-node",
    "check-hardware", "rma", "collect-more",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Stamp:
    """A time read from a log.

    `seconds` counts from 1970 (UTC) for `zoned` and `naive` stamps and from boot for `boot` stamps. A `naive`
    stamp had no zone and was read in the zone given with --tz, else as UTC. Only `zoned` and `naive` stamps
    can be compared with those of other clocks; `boot` stamps only inside their own source. The zone of an `assumed`
    one is that of other logs of its machine. `moved` was added so that the clocks of several hosts agree.
    """

    seconds: float
    kind: Literal["zoned", "naive", "boot"]
    text: str
    assumed: bool = False
    moved: float = 0.0


@dataclass(slots=True)
class Line:
    """One line of a source.

    `text` is normalised: wrappers, line prefixes, colours and control characters removed. `raw` is the line as
    a person sees it in the file. `fields` holds what wrapper and prefix told (rank, local_rank, host, pod, time,
    level, unit, pid, ident), always as text.
    """

    number: int
    text: str
    raw: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass
class Block:
    """A run of whole lines of one source, at most about a megabyte.

    `text` is the normalised UTF-8 of all lines, joined by newlines, for the scanner; `numbers` are the numbers of its
    lines. `reader` makes `Line`s only where somebody asks for them.
    """

    text: bytes
    numbers: Sequence[int]
    reader: Callable[[Block, int, int], list[Line]]

    @property
    def count(self) -> int:
        """How many lines it has."""
        return len(self.numbers)

    @cached_property
    def rows(self) -> list[bytes]:
        """The lines of `text`."""
        return self.text.split(b"\n")

    def lines(self, start: int, end: int) -> list[Line]:
        """The lines `start` to `end` (0-based, half-open, counted inside the block)."""
        return self.reader(self, max(start, 0), max(end, 0))


@dataclass(slots=True)
class Source:
    """One readable input, or a part of one (a member of an archive), or the reason why it is not readable.

    `blocks()` may be called once. `note` says what a reader must know (truncated, assumed encoding, skipped), `clock`
    how its times were found where they do not stand as they are printed, `cut` what it ends in the middle of.
    """

    name: str
    blocks: Callable[[], Iterator[Block]]
    format: str = ""
    lines: int = 0
    understood: int = 0
    note: str = ""
    readable: bool = True
    size: int = 0
    clock: str = ""
    cut: str = ""


@dataclass(slots=True)
class Record:
    """One message: header off, continuation lines joined by newlines in `text`.

    `offsets[i]` is where line `lines[i]` begins in `text`. `fields` are header fields (host, rank, pid, level,
    ident, unit, provider, event_id ...). `stream` names who wrote it (rank, container, pid), inside `source`.
    """

    source: str
    format: str
    lines: list[Line]
    text: str
    offsets: list[int]
    time: Stamp | None = None
    fields: dict[str, Value] = field(default_factory=dict)
    stream: str = ""

    @property
    def number(self) -> int:
        """The number of the first line."""
        return self.lines[0].number

    def line_at(self, offset: int) -> int:
        """The index in `lines` of the line that holds character `offset` of `text`."""
        index = 0
        for i, start in enumerate(self.offsets):
            if start > offset:
                break
            index = i
        return index


@dataclass(slots=True)
class Evidence:
    """A quoted line; `span` marks the matched characters of `text`.

    `near` holds the lines around it, with their numbers, as far as they were kept; it is for pages, not for JSON.
    """

    source: str
    line: int
    text: str
    span: tuple[int, int]
    near: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """Where and when something was seen. `time` is ISO 8601, or `+812.3 s` since boot, or empty."""

    time: str
    source: str
    line: int


@dataclass(slots=True)
class Match:
    """A signature that holds on a record, with its typed entities (helper values `_...` among them)."""

    id: str
    record: Record
    span: tuple[int, int]
    entities: dict[str, Value]
    order: int = 0


@dataclass(slots=True)
class Step:
    """One step of a playbook with its blanks filled; `command` is an argument list, or None."""

    text: str
    section: str
    risk: str = ""
    where: str = ""
    command: list[str] | None = None
    expect: str = ""


@dataclass(slots=True)
class Advice:
    id: str
    title: str
    steps: list[Step] = field(default_factory=list)
    title_zh: str = ""


@dataclass(slots=True)
class Finding:
    """One fault on one device, rank or host, over all its matches."""

    id: str
    title: str
    role: Role
    severity: Severity
    confidence: Confidence
    why: str = ""
    incident: int = 1
    entities: Entities = field(default_factory=dict)
    count: int = 1
    first: Place | None = None
    last: Place | None = None
    evidence: list[Evidence] = field(default_factory=list)
    explains: list[str] = field(default_factory=list)
    explained_by: list[str] = field(default_factory=list)
    action: str = "none"
    action_vendor: str = ""
    means: str = ""
    decoded: list[str] = field(default_factory=list)  # what the codes in its records say
    playbook: Advice | None = None
    recheck: list[dict[str, Value]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    title_zh: str = ""
    summary_zh: str = ""


@dataclass(slots=True)
class Missing:
    """Evidence that would settle the case, why it is wanted and the command that yields it."""

    what: str
    why: str
    command: str = ""


@dataclass(slots=True)
class Unexplained:
    """A group of error-like lines that no signature knows."""

    template: str
    count: int
    first: Place
    sample: str


@dataclass(slots=True)
class Report:
    """The whole answer. `as_dict()` is the JSON contract (DESIGN section 6)."""

    verdict: Verdict
    summary: str
    findings: list[Finding] = field(default_factory=list)
    earlier: list[Finding] = field(default_factory=list)
    unexplained: list[Unexplained] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    timeline: list[dict[str, Value]] = field(default_factory=list)
    stats: dict[str, Value] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def no_blocks() -> Iterator[Block]:
    """The blocks of a source that cannot be read."""
    return iter(())


def join_lines(lines: Sequence[str]) -> tuple[str, list[int]]:
    """The joined text of a record and the offset of each line in it."""
    offsets, at = [], 0
    for line in lines:
        offsets.append(at)
        at += len(line) + 1
    return "\n".join(lines), offsets
