"""Sources to records: all lines of a small source, the surroundings of the hits of a large one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise

from triage import clock, formats, lazy
from triage.formats.headers import head
from triage.model import Block, Line, Record, Source, Stamp
from triage.scan import Index

SMALL = 256 << 10
BEFORE, AFTER = 10, 30
HEAD, TAIL = 60, 200
LONGEST = 400  # lines of a message that goes on beyond the window
MOST_KINDS = 20_000
_OTHERS = b"(other)"
STORM = 200  # hits of one kind of line that are looked at one by one; the rest is counted
FLOOD = 2000  # the same for lines that only one anchor and code have in common
_Kind = tuple[bytes, bytes, int]
_CODE = lazy.pattern(
    rb"(?:Xid \([^)]{1,40}\):?|[Ee]rror(?: code)?|errno|status|signal|exit ?code)[ :=(]{1,4}(-?[0-9]{1,10})"
)
_BLANK = (b" ", b"\t", b"#")
_HEX = b"0123456789abcdefABCDEF"


@dataclass(slots=True)
class Kind:
    """Lines of a large source that are alike: how many, the first and last, one of them, and which anchor held on it
    (-1: only facts, None: none)."""

    count: int
    first: int
    last: int
    sample: str
    hit: int | None


@dataclass(slots=True)
class Reading:
    """What was taken from one source; `kinds` counts all lines of a large one by their text without hex digits."""

    records: list[Record] = field(default_factory=list)
    kinds: dict[bytes, Kind] = field(default_factory=dict)
    large: bool = False


def read_source(source: Source, index: Index, progress: Callable[[int], None] | None = None) -> Reading:
    """The records of a source. Memory stays bounded: of a large source only windows around hits are kept."""
    blocks = source.blocks()
    first = next(blocks, None)
    if first is None:
        return Reading()
    second = next(blocks, None)
    if second is None and len(first.text) <= SMALL:
        return Reading(_read(first.lines(0, first.count), source.name))
    rest = chain([first], [second] if second else [], blocks)
    return _large(rest, source, index, progress)


def _read(lines: list[Line], name: str) -> list[Record]:
    """The records of a whole source. Dashboards and `journalctl -r` give the newest line first; messages and causes
    are read from the oldest on."""
    records = formats.read(lines, name)
    turned = _turned(lines, records)
    if turned is None:
        return records
    numbers = [line.number for line in turned]
    for number, line in enumerate(turned, 1):
        line.number = number  # formats keep the order of the numbers
    records = formats.read(turned, name)
    for number, line in zip(numbers, turned, strict=True):
        line.number = number
    return records


def _turned(lines: list[Line], records: list[Record]) -> list[Line] | None:
    """The lines in the order of their times where these clearly fall; what has no time stays below the line above."""
    stamps = [stamp for record in records if (stamp := _stamp(record.lines[0]) or record.time)]
    if _upside_down(lines):
        return lines[::-1]
    if len(stamps) < 4 or stamps[0].seconds <= stamps[-1].seconds:
        return None
    if any(record.format == "windows-event" for record in records):
        return None  # an event is whole, and most exports begin with the newest
    since_boot = sum(1 for stamp in stamps if stamp.kind == "boot") > 0.5 * len(stamps)
    told = {record.number: record.time for record in records}
    groups: list[list[Line]] = []
    seconds: list[float] = []
    for line in lines:
        stamp = _stamp(line) or told.get(line.number)
        if stamp and (stamp.kind == "boot") is not since_boot:
            stamp = None  # seconds since boot and times of day do not compare
        if groups and (stamp is None or line.number == groups[-1][-1].number):
            groups[-1].append(line)
        else:
            groups.append([line])
            seconds.append(stamp.seconds if stamp else math.inf)
    falls = sum(1 for a, b in pairwise(seconds) if b < a < math.inf)
    rises = sum(1 for a, b in pairwise(seconds) if b > a)
    if falls < 3 or falls < 0.2 * len(seconds) or rises > 0.05 * len(seconds):
        return None
    return [line for group in reversed(groups) for line in group]


def _upside_down(lines: list[Line]) -> bool:
    """Whether each line was put below the next, as `tac` does: frames stand above the head of their traceback."""
    heads = [i for i, line in enumerate(lines) if line.text.endswith("Traceback (most recent call last):")]
    above = sum(1 for i in heads if i and lines[i - 1].text.lstrip().startswith('File "'))
    below = sum(1 for i in heads if i + 1 < len(lines) and lines[i + 1].text.lstrip().startswith('File "'))
    return above > below


def _stamp(line: Line) -> Stamp | None:
    """The time of a line by its wrapper or its own header."""
    if told := line.fields.get("time"):
        return clock.parse(told)
    header = head(line)
    return header.time if header else None


class _Storms:
    """Thins out floods: of one kind of line the first hits are looked at and the last of each block, the rest is
    counted. Lines on which the same anchor holds are one flood, whatever their words: only a code tells them apart."""

    def __init__(self) -> None:
        self._seen: Counter[_Kind] = Counter()
        self._skipped: Counter[_Kind] = Counter()
        self._wide: dict[bytes, _Kind] = {}
        self._thinned: dict[int, _Kind] = {}

    def wanted(self, hits: dict[int, int], keys: list[bytes], block: Block) -> list[int]:
        """The numbers of the hits of a block that are worth a look."""
        rows = block.text.split(b"\n") if hits else []
        kinds: dict[int, tuple[_Kind, _Kind]] = {}
        for i, anchor in hits.items():
            if i < len(keys):
                found = _CODE.search(rows[i])
                code = found[1] if found else b""
                kinds[i] = ((keys[i], code, anchor), (b"", code, anchor))
                if len(self._wide) < MOST_KINDS:
                    self._wide[keys[i] + code] = kinds[i][1]
        last = {kind: i for i, own in kinds.items() for kind in own}
        self._thinned = {}
        for i, (narrow, wide) in kinds.items():
            self._seen[narrow] += 1
            self._seen[wide] += 1
            storm = self._seen[narrow] > STORM and last[narrow] != i
            if storm or (self._seen[wide] > FLOOD and last[wide] != i):
                self._thinned[i] = wide
        return [i for i in kinds if i not in self._thinned]

    def left_out(self, windows: list[tuple[int, int]], sign: int = 1) -> None:
        """Counts the thinned hits outside of the windows; with -1 takes back those inside."""
        inside = {i for low, high in windows for i in range(low, high)}
        for i, kind in self._thinned.items():
            if (i in inside) == (sign < 0):
                self._skipped[kind] += sign

    def note(self, records: list[Record]) -> None:
        """Hands the number of lines that were only counted to the last record of their kind."""
        left = dict(self._skipped)
        for record in reversed(records) if left else ():
            wide = self._kind_of(record.lines[0])
            if wide is not None and wide in self._skipped:
                record.fields["_storm"] = True
                if repeats := left.pop(wide, 0):
                    record.fields["_repeats"] = repeats

    def _kind_of(self, line: Line) -> _Kind | None:
        for text in (line.raw, line.text):  # a block holds the one or the other
            row = text.encode("utf-8", "replace")
            found = _CODE.search(row)
            if wide := self._wide.get(row.translate(None, _HEX) + (found[1] if found else b"")):
                return wide
        return None


def _large(blocks: Iterator[Block], source: Source, index: Index, progress: Callable[[int], None] | None) -> Reading:
    reading = Reading(large=True)
    scanner = index.lines()
    storms = _Storms()
    tail: tuple[list[Line], int] = ([], 0)
    kept: list[Line] = []
    last_kept = 0
    end = (0, 0)
    for number, block in enumerate(blocks):
        keys = block.text.translate(None, _HEX).split(b"\n")[: block.count]
        hits = scanner.hits(block.text)
        _count(reading, block, keys, hits)
        wanted = storms.wanted(hits, keys, block)
        spans = [(i - BEFORE, i + AFTER) if hits[i] >= 0 else (i, i + 1) for i in wanted]
        if number == 0:
            spans.insert(0, (0, HEAD))
        windows = list(_windows(spans, block))
        storms.left_out(windows)
        for low, high in windows:
            lines = block.lines(low, high)
            kept.extend(line for line in lines if line.number > last_kept)
            last_kept = max(last_kept, kept[-1].number if kept else 0)
        tail = (block.lines(max(0, block.count - TAIL), block.count), last_kept)
        end = (max(block.count - TAIL, windows[-1][1] if windows else 0), block.count)
        if progress:
            progress(len(block.text))
    kept.extend(line for line in tail[0] if line.number > tail[1])
    reading.records = _read(kept, source.name)
    storms.left_out([end], -1)
    storms.note(reading.records)
    return reading


def _count(reading: Reading, block: Block, keys: list[bytes], hits: dict[int, int]) -> None:
    kinds = reading.kinds
    last = dict(zip(keys, range(len(keys)), strict=True))
    first = dict(zip(reversed(keys), reversed(range(len(keys))), strict=True)) if len(kinds) <= MOST_KINDS else {}
    others = 0
    for key, number in Counter(keys).items():
        kind = kinds.get(key)
        if kind is not None:
            kind.count += number
            kind.last = block.first + last[key]
        elif len(kinds) >= MOST_KINDS:
            others += number
        else:
            at = first[key]
            sample = block.lines(at, at + 1)[0].text
            kinds[key] = Kind(number, block.first + at, block.first + last[key], sample, hits.get(at))
    if others:
        rest = kinds.setdefault(_OTHERS, Kind(0, block.first, block.first, "(other)", False))
        rest.count += others
        rest.last = block.first + block.count - 1


def _windows(spans: list[tuple[int, int]], block: Block) -> Iterator[tuple[int, int]]:
    """The spans, ascending and joined where they touch; one that would begin inside a long message begins with it."""
    if not spans:
        return
    rows = block.text.split(b"\n")

    def inside(at: int) -> bool:
        """Whether the line goes on what stands above it; a prefix may hide that."""
        return rows[at][:1] in _BLANK or block.lines(at, at + 1)[0].text[:1] in (" ", "\t", "#")

    joined: list[list[int]] = []
    for start, stop in sorted(spans):
        low = max(0, start)
        if stop - start > 1:
            first = low
            while low > 0 and first - low < LONGEST and inside(low):
                low -= 1
        high = min(block.count, stop)
        while stop - start > 1 and high < block.count and high - stop < LONGEST and inside(high):
            high += 1
        if joined and low <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], high)
        else:
            joined.append([low, high])
    for low, high in joined:
        yield low, high
