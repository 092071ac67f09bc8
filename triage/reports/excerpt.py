"""The lines of the logs that prove a diagnosis: as few as give the same one again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from triage.library.library import Library
from triage.model import Finding, Report
from triage.pipeline import Options, analyze_sources
from triage.redact import Redactor
from triage.sources import open_inputs, open_text
from triage.sources.escapes import harmless
from triage.sources.names import name_fields

CONTEXTS = (1, 4, 12, 40, 120)  # lines around each line of evidence, tried in this order
MOST = 400  # lines of an excerpt; where that is not enough, the files are linked
GAP = "[...]"


@dataclass(slots=True, frozen=True)
class Part:
    """Lines of one source; `first` is the number of the first one, `last` of the last."""

    name: str
    first: int
    last: int
    text: str


def excerpt(
    inputs: Sequence[str | Path], report: Report, library: Library, redactor: Redactor, zone: float | None = None
) -> tuple[list[Part], Report | None]:
    """The parts of the inputs that show the same root cause when they are analysed alone, redacted, and that analysis.

    Nothing where no excerpt of a readable size does. Standard input cannot be read again.
    """
    wanted = _wanted(report)
    if not wanted or "-" in map(str, inputs):
        return [], None
    for context in CONTEXTS:
        parts = list(_parts(inputs, wanted, context, redactor))
        if sum(part.text.count("\n") for part in parts) > MOST:
            break
        sources = (open_text(part.text, part.name) for part in parts)
        again = analyze_sources(sources, library, Options(zone=zone, show_all=True))
        if _same(report, again):
            return parts, again
    return [], None


def _same(report: Report, again: Report) -> bool:
    """Whether both name the same root cause in the same place."""
    if not report.findings or not again.findings:
        return not report.findings and not again.findings
    old, new = report.findings[0], again.findings[0]
    keys = ("pci", "rank", "gpu")
    return (old.id, old.role) == (new.id, new.role) and all(old.entities.get(k) == new.entities.get(k) for k in keys)


def _wanted(report: Report) -> dict[str, set[int]]:
    """The lines of the evidence, by source: of the root cause and of what it explains."""
    lines: dict[str, set[int]] = {}
    for found in report.findings:
        if found.role != "context" and found.incident == 1:
            for source, number in _places(found):
                lines.setdefault(source, set()).add(number)
    return lines


def _places(found: Finding) -> Iterator[tuple[str, int]]:
    for place in (found.first, found.last):
        if place is not None:
            yield place.source, place.line
    yield from ((line.source, line.line) for line in found.evidence)


def short(name: str) -> str:
    """The name of a source without its folders, as far as they tell neither rank nor host."""
    parts = name.replace("\\", "/").split("/")
    for count in range(1, len(parts)):
        shorter = "/".join(parts[-count:])
        if name_fields(shorter) == name_fields(name):
            return shorter
    return name


def _parts(
    inputs: Sequence[str | Path], wanted: dict[str, set[int]], context: int, redactor: Redactor
) -> Iterator[Part]:
    for source in open_inputs(inputs):
        numbers = wanted.get(source.name)
        if not numbers or not source.readable:
            continue
        near = {n for number in numbers for n in range(number - context, number + context + 1)}
        rows: list[str] = []
        first = last = 0
        for block in source.blocks():
            if not near or block.numbers[0] > max(near):
                continue
            for line in block.lines(0, block.count):
                if line.number in near and line.number != last:
                    if last and line.number > last + 1:
                        rows.append(GAP)
                    rows.append(harmless(line.raw))
                    first, last = first or line.number, line.number
        if rows:
            yield Part(redactor.redact(short(source.name)), first, last, redactor.redact("\n".join(rows) + "\n"))
