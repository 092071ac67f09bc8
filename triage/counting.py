"""Every line under a template, and which templates look like errors that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

from triage import formats
from triage.library.library import Library
from triage.match import Matcher
from triage.model import Line, Match, Place, Record, Unexplained
from triage.reading import Reading
from triage.scan import Index
from triage.tally import suspicious
from triage.templates import Template, Templates


def count_templates(
    kinds: Templates, readings: Sequence[Reading], records: Sequence[Record], matches: Sequence[Match],
    library: Library, index: Index,
) -> None:  # fmt: skip
    """Counts the records of small sources and the hits of large ones, whose other lines are counted already; those of
    a signature under its id."""
    ids: dict[int, set[str]] = {}
    for match in matches:
        ids.setdefault(id(match.record), set()).add(match.id)
    for reading in readings:
        for record in reading.records if not reading.large else ():
            if record.text.strip():
                own = frozenset(ids.get(id(record), ()))
                kinds.add(record.text, record.source, record.number, own, not own and suspicious(record))
        _count_hits(kinds, reading, library, index)
    # In a large source lines are counted by themselves; what stands in a record that is explained is no riddle.
    explained = {(match.record.source, line.number) for match in matches for line in match.record.lines}
    for template in kinds.all():
        if template.first in explained:
            template.suspicious = False


def _count_hits(kinds: Templates, reading: Reading, library: Library, index: Index) -> None:
    """All are matched in one go: engines cost more to build than samples to search."""
    name = reading.records[0].source if reading.records else ""
    samples = [formats.read([Line(kind.first, kind.sample, kind.sample)], "")[0] for kind in reading.kinds]
    for number, sample in enumerate(samples):
        sample.source = str(number)  # else they would be each other's surroundings
    ids: dict[int, set[str]] = {}
    for match in Matcher(library, index).match(samples) if samples else ():
        ids.setdefault(id(match.record), set()).add(match.id)
    for kind, sample in zip(reading.kinds, samples, strict=True):
        own = frozenset(ids.get(id(sample), ()))
        made = kinds.add(sample.text, name, kind.first, own, not own and suspicious(sample), kind.count)
        made.last = max(made.last, (name, kind.last))


def unexplained(kinds: Templates) -> list[Unexplained]:
    found: list[Template] = [t for t in kinds.all() if t.suspicious and not t.ids]
    return [Unexplained(t.text[:300], t.count, Place("", *t.first), t.sample[:500]) for t in found[:20]]
