"""Large bundles: their files are read, matched and counted one by one, by several processes where there are cores.

Each file is a part of its own, whoever reads it, and the parts are put together in the order of the inputs: the report
does not depend on the number of processes.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context

from triage import counting
from triage.library.library import Library
from triage.match import Matcher, environment_lines
from triage.model import Match, Record, Source, no_blocks
from triage.reading import Reading, read_source
from triage.scan import Index
from triage.sources import Input
from triage.tally import Tally
from triage.templates import Template, Templates

_MOST = 8  # processes: each needs some 100 MB, and the machine is shared

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Part:
    """What one input gave: its sources (without their blocks), records, matches and kinds of lines."""

    sources: list[Source] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    kinds: list[Template] = field(default_factory=list)


def read_part(one: Input, library: Library, index: Index) -> Part:
    """What one input gives by itself."""
    part, readings, kinds = Part(), list[Reading](), Templates()
    tally = Tally(kinds)
    for source in one.open():
        if source.readable:
            readings.append(read_source(source, index, tally))
            part.records += readings[-1].records
        part.sources.append(replace(source, blocks=no_blocks))
    part.matches = Matcher(library, index).match(part.records)
    counting.count_templates(kinds, readings, part.records, part.matches, library, index)
    part.kinds = kinds.all()
    return part


_inherited: tuple[Sequence[Input], Library, Index]


def _inherit(*state: object) -> None:
    """The start of a process; an interrupt from the keyboard ends the one that waits for it."""
    global _inherited
    _inherited = state  # type: ignore[assignment]
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read_inherited(number: int) -> Part:
    inputs, library, index = _inherited
    return read_part(inputs[number], library, index)


def usable_cores() -> int:
    """How many processes it may be.

    Only a process without threads can be forked, and only forked ones share the library.
    """
    if threading.active_count() > 1 or not hasattr(os, "sched_getaffinity"):  # not Linux
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST)


def _parts(inputs: Sequence[Input], library: Library, index: Index, processes: int) -> Iterator[Part]:
    """The part of each input, in their order."""
    index.lines()  # built once, and then shared
    if processes < 2:
        yield from (read_part(one, library, index) for one in inputs)
        return
    with ProcessPoolExecutor(processes, get_context("fork"), _inherit, (inputs, library, index)) as pool:
        waiting = [pool.submit(_read_inherited, n) if one.is_file else None for n, one in enumerate(inputs)]
        try:
            for one, future in zip(inputs, waiting, strict=True):
                yield _result(future) or read_part(one, library, index)
        finally:
            pool.shutdown(cancel_futures=True)


def _result(future: Future[Part] | None) -> Part | None:
    """None for what is left to this process: a pipe, and the files of a process that was killed."""
    try:
        return future.result() if future is not None else None
    except BrokenExecutor:
        return None


def _share_settings(parts: Sequence[Part], library: Library, index: Index) -> None:
    """Matches again what a setting that another file tells may rule out."""
    names = {match.id for part in parts for match in part.matches}
    asking = {n for n in names if any(rule["in"] == "environment" for rule in library.signatures[n].unless)}
    asked = [part for part in parts if any(match.id in asking for match in part.matches)]
    settings = [line for part in parts for line in environment_lines(part.records)] if asked else []
    for part in asked:
        part.matches = Matcher(library, index).match(part.records, settings)


def read_parts(
    inputs: Sequence[Input], library: Library, index: Index, progress: Progress | None = None, processes: int = 0
) -> tuple[list[Source], list[Record], list[Match], Templates]:
    """The sources, records, matches and kinds of lines of all inputs; `processes`: 0 for as many as there are cores."""
    processes = processes or usable_cores()
    parts: list[Part] = []
    kinds = Templates()
    done, size = 0, sum(one.size for one in inputs)
    for one, part in zip(inputs, _parts(inputs, library, index, processes), strict=True):
        kinds.merge(part.kinds)
        part.kinds.clear()
        parts.append(part)
        done += one.size
        if progress:
            progress(f"{len(inputs)} files", done, size)
    _share_settings(parts, library, index)
    matches = [match for part in parts for match in part.matches]
    for order, match in enumerate(matches):
        match.order = order
    return [s for p in parts for s in p.sources], [r for p in parts for r in p.records], matches, kinds
