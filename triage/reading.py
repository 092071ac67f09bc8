"""Sources to records: all lines of a small source, the surroundings of the hits of a large one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise

from triage import clock, formats
from triage.formats.headers import head
from triage.model import Block, Line, Record, Source, Stamp
from triage.scan import Index
from triage.storms import Kind, Storms
from triage.tally import Tally, keys_of
from triage.templates import Templates

SMALL = 256 << 10
BEFORE, AFTER = 10, 30
HEAD, TAIL = 60, 200
LONGEST = 400  # lines of a message that goes on beyond the window
_BLANK = (b" ", b"\t", b"#")


@dataclass(slots=True)
class Reading:
    """What was taken from one source; of a large one, all its hits are counted in `kinds`, its other lines in the
    templates."""

    records: list[Record] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    large: bool = False


def read_source(
    source: Source, index: Index, tally: Tally | None = None, progress: Callable[[int], None] | None = None
) -> Reading:
    """The records of a source. Memory stays bounded: of a large source only windows around hits are kept, and its
    other lines are counted in the `tally`."""
    blocks = source.blocks()
    first = next(blocks, None)
    if first is None:
        return Reading()
    second = next(blocks, None)
    if second is None and len(first.text) <= SMALL:
        return Reading(_read(first.lines(0, first.count), source.name))
    rest = chain([first], [second] if second else [], blocks)
    return _large(rest, source, index, tally or Tally(Templates()), progress)


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


def _large(
    blocks: Iterator[Block], source: Source, index: Index, tally: Tally, progress: Callable[[int], None] | None
) -> Reading:
    scanner = index.lines()
    storms = Storms()
    kept: list[Line] = []
    begin, last_kept = HEAD, 0
    for block, is_last in _until_last(blocks):
        keys = keys_of(block)
        hits = {i: anchor for i, anchor in scanner.hits(block.text).items() if i < block.count}
        tally.count(block, keys, hits, source.name)
        spans = [(0, begin)] if begin else []
        spans += [(i - BEFORE, i + AFTER) if hits[i] >= 0 else (i, i + 1) for i in storms.wanted(hits, keys, block)]
        if is_last:
            spans.append((block.count - TAIL, block.count))
        windows = list(_windows(spans, block))
        storms.read(windows, block)
        for low, high in windows:
            kept.extend(line for line in block.lines(low, high) if line.number > last_kept)
            last_kept = max(last_kept, kept[-1].number if kept else 0)
        begin = 0
        if progress:
            progress(len(block.text))
    kept += storms.latest()
    kept.sort(key=lambda line: line.number)
    records = _read(kept, source.name)
    storms.note(records)
    return Reading(records, storms.kinds, large=True)


def _until_last(blocks: Iterator[Block]) -> Iterator[tuple[Block, bool]]:
    """The blocks, each with whether it is the last."""
    before = next(blocks)
    for block in blocks:
        yield before, False
        before = block
    yield before, True


def _windows(spans: list[tuple[int, int]], block: Block) -> Iterator[tuple[int, int]]:
    """The spans, ascending and joined where they touch; one that would begin inside a long message begins with it."""
    if not spans:
        return
    rows = block.rows

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
