"""Every line under a template, and which templates look like errors that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

from triage import formats, lazy
from triage.formats.headers import head
from triage.library.library import Library
from triage.match import Matcher
from triage.model import Line, Match, Place, Record, Unexplained, Value
from triage.reading import Kind, Reading
from triage.scan import Index
from triage.templates import Template, Templates, code_of

_MOST_ALIKE = 50

_BAD = lazy.pattern(
    r"(?i)\b(?:error|err|fail(?:ed|ure|s)?|fatal|panic|exception|abort(?:ed)?|segfault|corrupt(?:ed|ion)?|unable to"
    r"|cannot|could not|denied|killed|unrecoverable|uncorrectable)\b"
)
_NOT_BAD = lazy.pattern(
    r"(?i)\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed)\b|errors?[=:] *(?:0|none|false|null)\b"
    r"|\bno error\b|error_(?:rate|count)[\"']?[=:] *0|fail(?:ed|ures)?[=:] *0\b"
)


def count_templates(
    readings: Sequence[Reading], records: Sequence[Record], matches: Sequence[Match], library: Library, index: Index
) -> Templates:
    """All lines under templates; those of a signature under its id."""
    kinds = Templates()
    ids: dict[int, set[str]] = {}
    for match in matches:
        ids.setdefault(id(match.record), set()).add(match.id)
    large = {r.source for reading in readings if reading.large for r in reading.records}
    for record in records:
        if record.source not in large and record.text.strip():
            own = frozenset(ids.get(id(record), ()))
            kinds.add(record.text, record.source, record.number, own, not own and _suspicious(record))
    for reading in readings:
        if reading.large:
            _count_large(kinds, reading, library, index)
    return kinds


def _count_large(kinds: Templates, reading: Reading, library: Library, index: Index) -> None:
    name = reading.records[0].source if reading.records else ""
    alike = [kind for kind in reading.kinds.values() if kind.sample.strip()]
    ids = _ids_of([kind for kind in alike if kind.hit is not None], library, index)
    for kind in alike:
        header = head(Line(kind.first, kind.sample, kind.sample))
        text = kind.sample[header.size :] if header else kind.sample
        own = ids.get(id(kind), frozenset())
        made = kinds.add(text, name, kind.first, own, count=kind.count)
        if made.count == kind.count and not own:  # the first of its kind speaks for all
            made.suspicious = _looks_bad(text, None)
        made.last = max(made.last, (name, kind.last))


def _ids_of(alike: Sequence[Kind], library: Library, index: Index) -> dict[int, frozenset[str]]:
    """The signatures that hold on the samples, by the identity of their kind. All are matched in one go: engines
    cost more to build than samples to search. Of a flood of kinds with one anchor and code, some stand for all."""
    floods: dict[tuple[int | None, str], list[Kind]] = {}
    for kind in alike:
        floods.setdefault((kind.hit, code_of(kind.sample)), []).append(kind)
    records: list[Record] = []
    kinds = [kind for flood in floods.values() for kind in flood[:_MOST_ALIKE]]
    for number, kind in enumerate(kinds):
        for record in formats.read([Line(kind.first, kind.sample, kind.sample)], ""):
            record.source = str(number)  # else the samples would be each other's surroundings
            records.append(record)
    found: dict[int, set[str]] = {}
    for match in Matcher(library, index).match(records):
        found.setdefault(int(match.record.source), set()).add(match.id)
    ids = {id(kinds[number]): frozenset(own) for number, own in found.items()}
    for flood in floods.values():
        for kind in flood[_MOST_ALIKE:]:
            ids[id(kind)] = ids.get(id(flood[0]), frozenset())
    return ids


def _suspicious(record: Record) -> bool:
    """Whether a message that no signature knows looks like an error."""
    return _looks_bad(record.text, record.fields.get("level"))


def _looks_bad(text: str, level: Value | None) -> bool:
    if level in ("info", "debug", "trace"):
        return False
    begin = text[:600]
    return level in ("error", "fatal", "critical") or bool(_BAD.search(begin) and not _NOT_BAD.search(begin))


def unexplained(kinds: Templates) -> list[Unexplained]:
    found: list[Template] = [t for t in kinds.all() if t.suspicious and not t.ids]
    return [Unexplained(t.text[:300], t.count, Place("", *t.first), t.sample[:500]) for t in found[:20]]
