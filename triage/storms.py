"""Floods of hits in a large source: which of them are looked at, and how many the rest were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.model import Block, Line, Record

STORM = 200  # hits of one kind of line that are looked at one by one, and of one fact; the rest is counted
FLOOD = 2000  # the same for lines that only one anchor and code have in common
FEW = 10  # so many of each device are looked at, whatever else was
_MOST_ALIKE = 50  # kinds of lines with one anchor and code that are told apart
_MOST_SOURCES = 20_000
_CODE = lazy.pattern(
    rb"(?:Xid \([^)]{1,40}\):?|[Ee]rror(?: code)?|errno|status|signal|exit ?code)[ :=(]{1,4}(-?[0-9]{1,10})"
)
_DEVICE = lazy.pattern(rb"\b[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?\b(?!:)|\b(?:rank|GPU) ?[0-9]+")
_Flood = tuple[int, bytes]  # the anchor and the code
_Source = tuple[_Flood, bytes]  # and the device


@dataclass(slots=True)
class Kind:
    """Lines that are alike and hold an anchor: how many, the first and last of them, and the text of the first."""

    count: int
    first: int
    last: int
    sample: str


class Storms:
    """Thins out floods: of one kind of line the first hits are looked at and the last of each block (of a fact, the
    very last), the rest is counted. Lines on which the same anchor holds are one flood, whatever their words: only a
    code tells them apart. No flood of one device hides another one."""

    def __init__(self) -> None:
        self._kinds: dict[_Flood, dict[bytes, Kind]] = {}
        self._seen: Counter[_Flood | _Source] = Counter()
        self._skipped: Counter[_Source] = Counter()
        self._of_line: dict[int, _Source] = {}
        self._latest: dict[_Source, Line] = {}

    @property
    def kinds(self) -> list[Kind]:
        """All hits by the kind of their line."""
        return [kind for alike in self._kinds.values() for kind in alike.values()]

    def wanted(self, hits: dict[int, int], keys: Sequence[bytes], block: Block) -> list[int]:
        """The places of the hits of a block that are worth a look; lines with the same of the `keys` are alike."""
        sources = self._sources = {i: self._source(anchor, block.rows[i]) for i, anchor in hits.items()}
        last = {source: i for i, source in sources.items()}
        found: list[int] = []
        for i, source in sources.items():
            flood = source[0]
            self._seen[flood] += 1
            self._seen[source] += 1
            alike = self._count(flood, keys[i], block, i)
            many = alike > STORM or self._seen[flood] > (FLOOD if flood[0] >= 0 else STORM)
            if not many or self._seen[source] <= FEW or (last[source] == i and flood[0] >= 0):
                found.append(i)
            elif last[source] == i:
                self._latest[source] = block.lines(i, i + 1)[0]
        return found

    def latest(self) -> list[Line]:
        """The last line of each fact of which there were too many, where it was not read anyway."""
        own = [(source, line) for source, line in self._latest.items() if line.number not in self._of_line]
        for source, line in own:
            self._of_line[line.number] = source
            self._skipped[source] -= 1
        return [line for _, line in own]

    def _source(self, anchor: int, row: bytes) -> _Source:
        if anchor < 0:
            return (anchor, b""), b""
        few = len(self._seen) < _MOST_SOURCES
        code, device = _CODE.search(row) if few else None, _DEVICE.search(row) if few else None
        return (anchor, code[1] if code else b""), device[0] if device else b""

    def _count(self, flood: _Flood, key: bytes, block: Block, place: int) -> int:
        """Counts a hit under its kind: how many of the kind there were, 0 where the kind is not told apart."""
        alike = self._kinds.setdefault(flood, {})
        if key not in alike and len(alike) >= _MOST_ALIKE:
            key = b""  # no line with an anchor in it has that
        if key not in alike:
            line = block.lines(place, place + 1)[0]
            alike[key] = Kind(0, line.number, line.number, line.text)
        kind = alike[key]
        kind.count += 1
        kind.last = block.numbers[place]
        return kind.count if key else 0

    def read(self, windows: Sequence[tuple[int, int]], block: Block) -> None:
        """Says which lines of the block are read; of the hits elsewhere nothing but their number is kept."""
        inside = {i for low, high in windows for i in range(low, high)}
        for i, source in self._sources.items():
            if i in inside:
                self._of_line[block.numbers[i]] = source
            else:
                self._skipped[source] += 1

    def note(self, records: Sequence[Record]) -> None:
        """Hands the number of lines that were only counted to the last record of their kind."""
        left = dict(self._skipped)
        for record in reversed(records) if left else ():
            told = (self._of_line.get(line.number) for line in record.lines)
            own = {source for source in told if source is not None and source in self._skipped}
            if own:
                record.fields["_storm"] = True
            if repeats := max((left.pop(source, 0) for source in own), default=0):
                record.fields["_repeats"] = repeats
