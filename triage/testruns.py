"""Errors that a test provoked: what a test prints before it passes ended nothing."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from triage.library.library import Library
from triage.library.patterns import compiled
from triage.model import Match, Record
from triage.writing import header

_KINDS = ("test-begun", "test-passed", "test-failed", "tests-passed", "tests-failed")
_LONGEST = 50_000
_MACHINE = ("kernel", "windows-event", "lspci")

Place = tuple[int, int]  # position of a record, line in it


class Verdicts:
    """The verdicts of test runners in the records of one run, by the word lists `test-*` of `signatures/recovery.yaml`.

    An error belongs to the test whose verdict comes next in its source; where the runner also tells which test it
    begins, only what stands between the two belongs to it. A chapter of passed tests (`=== PASSES ===`) holds for all
    in it.
    """

    def __init__(self, library: Library, records: Sequence[Record]) -> None:
        lists = {kind: library.words.get(kind, []) for kind in _KINDS}
        self._words = {kind: [compiled(r) for r in regexes] for kind, regexes in lists.items()}
        self._any = compiled("|".join(f"(?:{r})" for regexes in lists.values() for r in regexes) or "^$^")
        self._records = records
        self._marks: dict[str, list[tuple[Place, str]]] | None = None

    def passed(self, match: Match, position: int) -> bool:
        """Whether the match, in the record at this position, was printed by a test that passed."""
        record = match.record
        if self._marks is None:
            self._marks = self._read()
        marks = self._marks.get(record.source, [])
        if not marks or (record.format == "kernel" and record.time is not None):
            return False
        here = (position, record.line_at(match.span[0]))
        at = bisect.bisect(marks, here, key=lambda mark: mark[0])
        chapter = next((kind for _, kind in reversed(marks[:at]) if kind.startswith("tests-")), "")
        if chapter:
            return chapter == "tests-passed"
        tests = [kind for _, kind in marks[:at]]
        after = next((kind for _, kind in marks[at:] if kind != "test-begun"), "")
        begun = any(kind == "test-begun" for _, kind in marks)
        return after == "test-passed" and (not begun or tests[-1:] == ["test-begun"])

    def _read(self) -> dict[str, list[tuple[Place, str]]]:
        """The marks of each source, in their order."""
        marks: dict[str, list[tuple[Place, str]]] = {}
        for i, record in enumerate(self._records):
            if record.format in _MACHINE or len(record.text) > _LONGEST:
                continue
            lines = record.text.split("\n")
            lines[0] = lines[0][header(lines[0]) :]
            if not self._any.search("\n".join(lines)):
                continue
            for number, line in enumerate(lines):
                if kind := self._kind(line):
                    marks.setdefault(record.source, []).append(((i, number), kind))
        return marks

    def _kind(self, line: str) -> str:
        """What a line is; of several, the worse."""
        return next((kind for kind in reversed(_KINDS) if any(p.search(line) for p in self._words[kind])), "")
