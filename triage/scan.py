"""One pass over the text: which patterns may hold where. Everything dearer runs only on what is found here.

Small texts are narrowed by the fixed words of the patterns, then asked record by record through re2 Sets; large
sources go through hyperscan in blocks, else through re2 Sets over pieces of a block. All engines find the same lines
(tests/test_scan.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from typing import Any

from triage import lazy
from triage.library import cache as store
from triage.library.library import Library
from triage.library.patterns import Table

_SET_SIZE = 256  # patterns of a Set over pieces of a large text
_SMALL_SETS = 64  # over single records: the states of a smaller Set are built faster
_SET_MEMORY = 96 << 20
_NUMBER = lazy.pattern(r"(?:\\[\[{(])?(?:\(\?:(?:\\d|\[0-9\])\+\)|(?:\\d|\[0-9\])\+)(?:\\[\]})])?")
_TOKEN = lazy.pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[]", re.DOTALL)
_QUANTIFIER = lazy.pattern(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")
_PIECE = 16 << 10
_NARROWED = 4 << 20
_MANY = 2000


class Index:
    """The engines over the table of a library."""

    def __init__(self, library: Library) -> None:
        self.table = library.table()
        self._line_scanner: LineScanner | None = None

    def candidates(self, texts: Sequence[str]) -> Candidates | Anchored:
        """What may hold on each of these texts."""
        scanner = self._line_scanner
        if scanner is not None and scanner.engine == "hyperscan" and len(texts) > _MANY:  # at hand, and far faster
            return Anchored(self.table, scanner)
        return Candidates(self.table, _narrowed(self.table, texts))

    def lines(self) -> LineScanner:
        """The scanner for blocks of a large source."""
        if self._line_scanner is None:
            self._line_scanner = LineScanner([*self.table.anchors, *self.table.marks], weak=self.table.weak)
        return self._line_scanner


class Candidates:
    """The patterns with these numbers that hold on a text."""

    def __init__(self, table: Table, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self._sets = _sets(["(?m)" + table.regexes[number] for number in numbers], _SMALL_SETS)

    def of(self, text: str, _form: str = "") -> list[int]:
        """The numbers of the regexes that hold somewhere in `text`."""
        data = text.encode("utf-8", "replace")
        return [self.numbers[base + hit] for base, one in self._sets for hit in one.Match(data) or ()]


class Anchored:
    """The patterns whose anchor holds on a text: a few more than `Candidates` gives, for `match` to confirm."""

    def __init__(self, table: Table, scanner: LineScanner) -> None:
        self._scanner = scanner
        self._foreign = {form: Candidates(table, numbers) for form, numbers in table.foreign.items()}
        place = {anchor: number for number, anchor in enumerate(scanner.anchors)}
        self._numbers: dict[int, list[int]] = {}
        for number, anchor in enumerate(table.anchors):
            self._numbers.setdefault(place[_widened(anchor)], []).append(number)

    def of(self, text: str, form: str) -> list[int]:
        """The numbers of the regexes that may hold somewhere in the text of a record of this format."""
        held = self._scanner.holding(text.encode("utf-8", "replace"))
        found = {number for anchor in held for number in self._numbers.get(anchor, ())}
        return sorted(found.union(self._foreign[form].of(text) if form in self._foreign else ()))


def _narrowed(table: Table, texts: Sequence[str]) -> list[int]:
    """The numbers of the regexes whose fixed words stand somewhere in these texts."""
    whole = "\n".join(texts) if sum(map(len, texts)) < _NARROWED else ""
    return [
        number for number, needles in enumerate(table.needles)
        if not whole or not needles or any(text in whole for text in needles)
    ]  # fmt: skip


def _sets(regexes: Sequence[str], size: int = _SET_SIZE) -> list[tuple[int, Any]]:
    import re2

    options = re2.Options()
    options.max_mem = _SET_MEMORY
    options.log_errors = False
    made = []
    for base in range(0, len(regexes), size):
        one = re2.Set.SearchSet(options)
        for regex in regexes[base : base + size]:
            one.Add(regex)
        one.Compile()
        made.append((base, one))
    return made


class LineScanner:
    """Finds the lines of a block on which some anchor holds."""

    def __init__(
        self, anchors: Sequence[str], engine: str = "", weak: Iterable[str] = (), size: int = _SET_SIZE
    ) -> None:  # fmt: skip
        self.anchors = list(dict.fromkeys(map(_widened, anchors)))
        light = {_widened(anchor) for anchor in weak} - {_widened(anchor) for anchor in set(anchors) - set(weak)}
        self._ranks = [-1 - n if anchor in light else n for n, anchor in enumerate(self.anchors)]
        self.engine = engine
        self._database: Any = None
        self._sets: list[tuple[int, Any]] = []
        if engine != "re2":
            try:
                self._database = _database(self.anchors)
                self.engine = "hyperscan"
            except ImportError:
                self.engine = "re2"
        if self._database is None:
            self.engine = "re2"
            self._sets = _sets(self.anchors, size)

    def hits(self, block: bytes) -> dict[int, int]:
        """The numbers (0-based, ascending) of the lines of `block` on which some anchor holds, each with the lowest
        number n of these anchors; of a line with nothing but facts it is -1 - n."""
        ends = self._scan(block) if self._database is not None else self._search(block)
        lines: dict[int, int] = {}
        line = at = stop = 0
        for end in sorted(ends):
            if end > stop:
                begin = block.rfind(b"\n", 0, end - 1) + 1
                line += block.count(b"\n", at, begin)
                at = begin
                stop = block.find(b"\n", end - 1)
                stop = len(block) if stop < 0 else stop
            lines[line] = _stronger(lines[line], ends[end]) if line in lines else ends[end]
        return lines

    def holding(self, text: bytes) -> set[int]:
        """The numbers of the anchors that hold in `text`; only with hyperscan."""
        held: set[int] = set()

        def on_match(number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            held.add(number)

        self._database.scan(text, match_event_handler=on_match)
        return held

    def _scan(self, block: bytes) -> dict[int, int]:
        ends: dict[int, int] = {}
        ranks = self._ranks

        def on_match(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            ends[end] = _stronger(ends[end], ranks[number]) if end in ends else ranks[number]

        self._database.scan(block, match_event_handler=on_match)
        return ends

    def _search(self, block: bytes) -> dict[int, int]:
        """Pieces first, then the lines of the pieces that hold something."""
        found: dict[int, int] = {}
        at = 0
        while at < len(block):
            stop = block.find(b"\n", min(at + _PIECE, len(block)))
            stop = len(block) if stop < 0 else stop + 1
            piece = block[at:stop]
            if any(one.Match(piece) for _, one in self._sets):
                begin = at
                for line in piece.split(b"\n"):
                    own = [base + hit for base, one in self._sets for hit in one.Match(line) or ()] if line else []
                    if own:
                        found[begin + len(line)] = reduce(_stronger, (self._ranks[number] for number in own))
                    begin += len(line) + 1
            at = stop
        return found


def _stronger(a: int, b: int) -> int:
    """What a line is known by that has two hits: a fault before a fact, then the lower number."""
    return min(a, b) if a >= 0 and b >= 0 else max(a, b)


@lru_cache(maxsize=8192)
def _widened(anchor: str) -> str:
    """`anchor` without what may be missing at its end, and without the number at its beginning: it holds on the same
    lines and a few more.

    An engine reports each place where a match may end, so an open end costs a call for each character. And where
    several anchors begin with the same number in brackets, Vectorscan 5.4.12 misses some of their matches.
    """
    atoms = _atoms(anchor)
    while len(atoms) > 1 and (atoms[-1][1][:1] in ("*", "?") or atoms[-1][1].startswith("{0") or atoms[-1][0] == "\\b"):
        atoms.pop()
    if atoms and atoms[-1][1].startswith("+"):
        atoms[-1] = (atoms[-1][0], "")
    text = "".join(atom + quantifier for atom, quantifier in atoms) or anchor
    found = _NUMBER.match(text)
    rest = text[found.end() :] if found else text
    return rest if len(rest) > 8 and rest[0] not in "*+?{|)" else text


def _atoms(regex: str) -> list[tuple[str, str]]:
    """The parts of a regex that stand side by side, each with its quantifier; empty where it has alternatives."""
    atoms: list[tuple[str, str]] = []
    at = 0
    while at < len(regex):
        begin, depth = at, 0
        while True:
            token = _TOKEN.match(regex, at)
            if token is None:
                return []
            at = token.end()
            depth += (token[0] == "(") - (token[0] == ")")
            if depth <= 0 or at >= len(regex):
                break
        atom = regex[begin:at]
        if atom == "|" or depth:
            return []
        quantifier = _QUANTIFIER.match(regex, at)
        at = quantifier.end() if quantifier else at
        atoms.append((atom, quantifier[0] if quantifier else ""))
    return atoms


def _database(anchors: Sequence[str]) -> Any:
    """The hyperscan database, from the cache when it was built here by this version for these anchors."""
    from importlib.metadata import version

    import hyperscan

    parts = [version("hyperscan"), _cpu(), *anchors]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    if data := store.read(f"hyperscan-{key}.bin"):
        try:
            database = hyperscan.loadb(data, hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
            return database
        except (hyperscan.error, TypeError, ValueError):
            pass
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_ALLOWEMPTY
    database.compile(
        expressions=[anchor.encode() for anchor in anchors], ids=list(range(len(anchors))), flags=[flags] * len(anchors)
    )
    store.write(f"hyperscan-{key}.bin", hyperscan.dumpb(database))
    return database


def _cpu() -> str:
    """What the database depends on besides the version: the processor's features."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        import platform

        return platform.processor()
