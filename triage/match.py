"""Signatures on records: typed entities, conditions, refinement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from triage import entities, lazy
from triage.library import expressions
from triage.library.library import Library, Pattern, Signature
from triage.library.patterns import compiled
from triage.model import Match, Record, Value
from triage.scan import Anchored, Candidates, Index

if TYPE_CHECKING:
    from triage.formats.pychain import Raised

# Header fields that say whom or what a message is about; they become entities of every match.
IDENTITY = (
    "host", "pod", "rank", "local_rank", "pid", "process", "gpu", "gpu_uuid", "gpu_model", "pci", "root_port", "unit",
    "event_id", "device_code", "symbol", "exit_code", "signal", "driver", "ntstatus", "bugcheck", "module",
    "recovery_action",
)  # fmt: skip
_NUMBERS = {"rank", "local_rank", "pid", "gpu", "event_id", "device_code", "exit_code"}
_AROUND = 20
_OWN_RANK = lazy.pattern(r"(?<!local_)[Rr]ank")
_SHELLS = lazy.pattern(r"(?:python|bash|sh|sudo|systemd|kernel)[\d.]*$")
_ASSIGNMENT = lazy.pattern(
    r"(?:^|\s)(?:export |set |-e |--env[ =]|setenv |declare -x )?[A-Z][A-Z0-9_]{3,}[=: ]|os\.env"
)


class Matcher:
    """Matches records of all sources of one run against a library."""

    def __init__(self, library: Library, index: Index) -> None:
        self.library, self.index = library, index
        self.table = index.table
        self._hits: dict[str, list[Record]] = {}
        self._known: dict[int, list[tuple[str, Pattern]]] = {}

    def match(
        self, records: Sequence[Record], settings: Sequence[str] = (), candidates: Candidates | Anchored | None = None
    ) -> list[Match]:
        """All matches of the records, in their order; `settings` are the lines that set variables, if known already,
        `candidates` what may hold on them, if made already for more texts than these."""
        found: list[Match] = []
        environment = list(settings)
        self._candidates = candidates or self.index.candidates([record.text for record in records])
        self._hits.clear()
        for position in range(len(records)):
            found.extend(self._record(records, position, environment))
        for order, match in enumerate(found):
            match.order = order
        return found

    def _record(self, records: Sequence[Record], position: int, environment: list[str]) -> list[Match]:
        record = records[position]
        matches: dict[str, Match] = {}
        for number in self._candidates.of(record.text, record.format):
            if number not in self._known:
                self._known[number] = self._patterns(self.table.users[number])
            users = [u for u in self._known[number] if _fits(u[1], record)]
            keyed = self.table.keyed[number]
            if not users and not keyed:
                continue
            hit = compiled(self.table.regexes[number]).search(record.text)
            if hit is None:
                continue
            groups = {k: v for k, v in hit.groupdict().items() if v is not None}
            for name, rows in keyed.items():
                users += [u for u in self._patterns(self._row(rows, groups.get(name))) if _fits(u[1], record)]
            self._try(users, record, groups, hit.span(), matches, records, position, environment)
        if structured := self._patterns(self.table.structured.get(record.format, ())):
            self._try(structured, record, {}, (0, len(record.text)), matches, records, position, environment)
        return self._settle(matches, record)

    def _row(self, rows: dict[str, list[tuple[str, int]]], text: str | None) -> Sequence[tuple[str, int]]:
        """The patterns of the value that was read, as text or in the type of its table."""
        if text is None:
            return ()
        if text in rows:
            return rows[text]
        first, number = next(iter(rows.values()))[0]
        pattern = self.library.signatures[first].match[number]
        chosen = pattern.where.split(" ", 1)[0]
        value = entities.read(pattern.types.get(chosen, "str"), text)[0]
        return rows.get(str(value), ())

    def _patterns(self, users: Sequence[tuple[str, int]]) -> list[tuple[str, Pattern]]:
        return [(name, self.library.signatures[name].match[number]) for name, number in users]

    def _try(
        self, users: Sequence[tuple[str, Pattern]], record: Record, groups: dict[str, str], span: tuple[int, int],
        matches: dict[str, Match], records: Sequence[Record], position: int, environment: list[str],
    ) -> None:  # fmt: skip
        unknown: list[tuple[str, Pattern]] = []
        taken_tables: set[str] = set()
        for name, pattern in users:
            signature = self.library.signatures[name]
            if signature.unknown_of:
                unknown.append((name, pattern))
                continue
            match = self._one(signature, pattern, record, groups, span)
            if match is None or self._excluded(signature, records, position, environment):
                continue
            taken_tables.update(self._numbers_of(signature))
            if name not in matches or len(match.entities) > len(matches[name].entities):
                matches[name] = match
        for name, pattern in unknown:
            signature = self.library.signatures[name]
            if signature.table in taken_tables:
                continue
            match = self._one(signature, pattern, record, groups, span)
            if match is not None and match.entities.get(signature.unknown_of) is not None:
                matches.setdefault(name, match)

    def _numbers_of(self, signature: Signature) -> set[str]:
        """The tables whose number this signature names, be it a row or a file of its own (`xid-79`)."""
        return {signature.table or signature.id.rsplit("-", 1)[0]}

    def _one(
        self, signature: Signature, pattern: Pattern, record: Record, groups: dict[str, str], span: tuple[int, int]
    ) -> Match | None:
        values, shown = typed(groups, pattern.types)
        lookup = _environment(signature, values, record)
        conditions = [pattern.where, *signature.where] if pattern.where else signature.where
        for condition in conditions:
            if not expressions.evaluate(condition, lookup):
                return None
        for key in IDENTITY:
            if key == "rank" and "local_rank" in groups and not _OWN_RANK.search(record.lines[0].raw):
                continue  # a launcher speaks of one of its workers: the rank that the log's name tells is another one
            if key in record.fields and key not in shown:
                shown[key] = _number(key, record.fields[key])
        shown = signature.tells | shown
        ident = record.fields.get("ident")
        if "unit" not in shown and isinstance(ident, str) and record.format == "traceback" and not _SHELLS.match(ident):
            shown["unit"] = ident  # a service logs under its own name
        return Match(signature.id, record, span, shown)

    def _excluded(self, signature: Signature, records: Sequence[Record], position: int, environment: list[str]) -> bool:
        record = records[position]
        for rule in signature.unless:
            regex, scope = compiled(rule["regex"]), rule["in"]
            if scope == "record":
                texts = [record.text]
            elif scope == "environment":
                if not environment:
                    environment.extend(environment_lines(records))
                texts = environment
            elif scope == "source":
                if any(r is not record and r.source == record.source for r in self._all(rule["regex"], records)):
                    return True
                continue
            else:
                low, high = (position - _AROUND, position) if scope == "before" else (position + 1, position + _AROUND)
                near = records[max(0, low) : high]
                texts = [r.text for r in near if r.source == record.source and r.stream == record.stream]
            if any(regex.search(text) for text in texts):
                return True
        return False

    def _all(self, pattern: str, records: Sequence[Record]) -> list[Record]:
        """All records with the pattern; searched for once, however many matches ask."""
        if pattern not in self._hits:
            regex = compiled(pattern)
            self._hits[pattern] = [record for record in records if regex.search(record.text)]
        return self._hits[pattern]

    def _settle(self, matches: dict[str, Match], record: Record) -> list[Match]:
        """Children replace the parents that they refine; fallbacks stay only where nothing else is said."""
        dropped = {parent for name in matches for parent in self.table.refined.get(name, ())}
        kept = {name: match for name, match in matches.items() if name not in dropped}
        signatures = self.library.signatures
        speaking = [n for n in kept if signatures[n].role != "context" and not signatures[n].fallback]
        if speaking:
            nameless = None  # an exception that no signature knows, behind those that tell only what followed from it
            if all(signatures[name].role != "cause" for name in speaking) and record.format == "traceback":
                nameless = _nameless(record, [kept[name].span[0] for name in speaking])
                if nameless is not None and self._spoken_of(nameless, speaking, record):
                    nameless = None  # as when Ray prints an exception inside of the one that carries it
            for name in [name for name in kept if signatures[name].fallback]:
                if nameless is None:
                    del kept[name]
                else:
                    kept[name].span = (nameless.offset, nameless.end)
                    kept[name].entities |= {"_exception": nameless.type, "_message": nameless.message}
        for name in kept:  # what the parent knew, the child keeps
            for parent in self.table.refined.get(name, ()):
                if parent in matches:
                    for key, value in matches[parent].entities.items():
                        kept[name].entities.setdefault(key, value)
        return list(kept.values())

    def _spoken_of(self, raised: Raised, names: Sequence[str], record: Record) -> bool:
        """Whether one of these signatures, which was found elsewhere in the record, also holds in this exception."""
        text = record.text[raised.offset : raised.end]
        patterns = [p.regex for n in names for p in self.library.signatures[n].match if p.regex and _fits(p, record)]
        return any(compiled(pattern).search(text) for pattern in patterns)


def _nameless(record: Record, spoken: Sequence[int]) -> Raised | None:
    """The first exception of a chain that comes before those in which the offsets `spoken` lie."""
    from triage.formats.pychain import unspoken
    from triage.formats.python import exceptions

    return unspoken(exceptions(record), spoken)


def _fits(pattern: Pattern, record: Record) -> bool:
    return not pattern.formats or record.format in pattern.formats


def typed(groups: dict[str, str], types: dict[str, str]) -> tuple[dict[str, Value], dict[str, Value]]:
    """The values of named groups for expressions and for the report; what does not fit its type is left out."""
    values: dict[str, Value] = {}
    shown: dict[str, Value] = {}
    for name, text in groups.items():
        value, show = entities.read(types.get(name, "str"), text)
        if value is not None and show is not None:
            values[name], shown[name] = value, show
    return values, shown


def _environment(signature: Signature, values: dict[str, Value], record: Record) -> Callable[[str], Any]:
    """Names in the order entity, `let`, record field; `let` values may use each other."""
    busy: set[str] = set()

    def lookup(name: str) -> Any:
        if name in values:
            return values[name]
        if name in signature.let and name not in busy:
            busy.add(name)
            try:
                return expressions.evaluate(signature.let[name], lookup)
            finally:
                busy.discard(name)
        if name in record.fields:
            return _number(name, record.fields[name])
        return record.format if name == "format" else None

    return lookup


def _number(key: str, value: Value) -> Value:
    if key in _NUMBERS and isinstance(value, str):
        read = entities.integer(value)
        return value if read is None else read
    return value


def environment_lines(records: Sequence[Record]) -> list[str]:
    """The lines that set variables: plain text, not the messages of programs that merely mention one."""
    return [
        line
        for record in records
        if record.format == "text" and len(record.text) < 4000
        for line in record.text.splitlines()
        if _ASSIGNMENT.search(line)
    ]
