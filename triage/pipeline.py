"""The whole tool on one screen: inputs to sources, records, matches, incidents, causes, a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from triage import clock, clocks, correlate, counting, derive, gaps, incidents, naming, skew, verdict
from triage.identity import Identities
from triage.library.library import Library
from triage.library.loader import load_library
from triage.match import Matcher
from triage.model import Match, Record, Report, Source
from triage.reading import Reading, read_source
from triage.recovery import Recovery
from triage.scan import Index
from triage.sources import Input, list_inputs, open_inputs, open_text
from triage.tally import Tally
from triage.templates import Template, Templates

_LARGE = 64 << 20  # bytes of many files from which it pays to read them with several processes


@dataclass(frozen=True)
class Options:
    """`zone`: seconds east of UTC for stamps without a zone. `progress(name, done, size)` is called in large files."""

    zone: float | None = None
    ignore: frozenset[str] = frozenset()
    show_all: bool = False
    progress: Callable[[str, int, int], None] | None = None


def analyze(
    inputs: Sequence[str | Path], *, library: Library | None = None, options: Options | None = None,
    stdin: BinaryIO | None = None,
) -> Report:  # fmt: skip
    """The diagnosis of files, folders, archives and `-`, taken as one incident's evidence.

    Never raises for what the inputs hold: what cannot be read is a source with a note.
    """
    return _analyze(list_inputs(inputs, stdin), library or _own(), options or Options())


def analyze_text(
    text: str | bytes, name: str = "paste", library: Library | None = None, options: Options | None = None
) -> Report:
    """The diagnosis of a pasted text; bytes may be in any encoding."""
    pasted = Input(name, len(text), lambda: iter([open_text(text, name)]))
    return _analyze([pasted], library or _own(), options or Options())


def analyze_sources(sources: Iterable[Source], library: Library, options: Options) -> Report:
    """The diagnosis of opened sources, taken as one incident's evidence."""
    return _analyze([Input("sources", 0, lambda: iter(sources))], library, options)


def match_text(text: str, library: Library, file: str = "paste") -> list[Match]:
    """All matches of a text, before they are correlated."""
    return match_texts([(text, file)], library)[0]


def match_texts(texts: Iterable[tuple[str, str]], library: Library) -> list[list[Match]]:
    """All matches of each (text, file name), each taken for itself; their engines are built once for all of them."""
    index = index_of(library)
    read = [read_source(open_text(text, file), index).records for text, file in texts]
    candidates = index.candidates([record.text for records in read for record in records])
    matcher = Matcher(library, index)
    return [matcher.match(records, candidates=candidates) for records in read]


def templates(
    inputs: Sequence[str | Path], library: Library | None = None, stdin: BinaryIO | None = None,
    read: list[Source] | None = None,
) -> list[Template]:  # fmt: skip
    """The kinds of lines of the inputs, with counts and the signatures that hold on them.

    `read` gets the inputs, those that could not be read among them.
    """
    sources, _, _, kinds = _read(list_inputs(inputs, stdin), library or _own(), Options())
    if read is not None:
        read += sources
    return kinds.all()


def sniff(path: str | Path) -> tuple[list[tuple[str, float]], str]:
    """How much of the first block of a file each format takes, and what must be known about the file."""
    from triage.formats import samples

    for source in open_inputs([path]):
        block = next(source.blocks(), None) if source.readable else None
        if block is not None:
            return samples.sniff(block.lines(0, min(block.count, 5000))), source.note
        return [], source.note
    return [], ""


def _own() -> Library:
    """The library of the package, loaded once in a process."""
    return load_library(shared=True)


_INDEXES: dict[int, tuple[Library, Index]] = {}
_MOST_INDEXES = 4  # a process that loads library after library keeps no more


def index_of(library: Library) -> Index:
    """The index of a library, built once."""
    entry = _INDEXES.get(id(library))
    if entry is None or entry[0] is not library:
        if len(_INDEXES) >= _MOST_INDEXES:
            del _INDEXES[next(iter(_INDEXES))]
        entry = _INDEXES[id(library)] = (library, Index(library))
    return entry[1]


def _analyze(inputs: Sequence[Input], library: Library, options: Options) -> Report:
    began = time.perf_counter()
    read, records, matches, kinds = _read(inputs, library, options)
    for record in records:
        if record.time is not None and options.zone is not None:
            record.time = clock.shift(record.time, options.zone)
    names = naming.settle(read, records, matches)
    aligned = clocks.align(records)
    identities = Identities(matches)
    apart = skew.settle(records, matches, identities)
    times = incidents.stamps(records)
    heeded = [m for m in matches if m.id not in options.ignore]
    matches += derive.derived(heeded, library, times, identities)
    groups = incidents.group(matches, library, times, identities)
    Recovery(library, records, matches, times).judge(groups)
    ignored = [g for g in groups if g.id in options.ignore and g.signature.role != "context" and not g.handled]
    groups = [g for g in groups if g.id not in options.ignore]
    correlate.correlate(groups, library, identities)
    report = verdict.conclude(groups, records, read, kinds, library, options.show_all, ignored)
    report.missing = [*gaps.find(report, read, records, matches, names, identities), *report.missing]
    for source in read:
        source.clock = aligned.how.get(source.name, "")
    zone = options.zone if options.zone is not None else aligned.zone
    if zone is not None:
        report.stats["zone"] = zone
    report.stats["seconds"] = round(time.perf_counter() - began, 3)
    told = [*map(str, apart.skews), *apart.unordered(report.findings)]
    report.notes = [*report.notes, *told, *library.notes, *(str(p) for p in library.problems)]
    return report


def _read(
    inputs: Sequence[Input], library: Library, options: Options
) -> tuple[list[Source], list[Record], list[Match], Templates]:
    index = index_of(library)
    sizes = [one.size for one in inputs if one.is_file]
    if sum(sizes) - max(sizes, default=0) >= _LARGE:
        from triage import parallel

        return parallel.read_parts(inputs, library, index, options.progress)
    read: list[Source] = []
    records: list[Record] = []
    readings: list[Reading] = []
    kinds = Templates()
    tally = Tally(kinds)
    for source in (source for one in inputs for source in one.open()):
        read.append(source)
        if source.readable:
            reading = read_source(source, index, tally, _progress(source, options))
            readings.append(reading)
            records.extend(reading.records)
    matches = Matcher(library, index).match(records)
    counting.count_templates(kinds, readings, records, matches, library, index)
    return read, records, matches, kinds


def _progress(source: Source, options: Options) -> Callable[[int], None] | None:
    if options.progress is None:
        return None
    report, done = options.progress, [0]

    def step(amount: int) -> None:
        done[0] += amount
        report(source.name, done[0], source.size)

    return step
