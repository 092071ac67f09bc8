"""Which errors were handled: caught and retried, followed by progress, or quoted by somebody."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from triage.library.library import Library
from triage.library.patterns import compiled
from triage.model import Match, Record

_BEFORE = 2


class Recovery:
    """Judges the records of one run with the word lists of `signatures/recovery.yaml`.

    An exception counts as handled when a line before it says that it was caught, when it was logged below the level
    of an error, or when its own stream goes on making progress and nothing later says that the job failed.
    """

    def __init__(self, library: Library, records: Sequence[Record], matches: Sequence[Match]) -> None:
        self._caught = [compiled(r) for r in library.recovery.get("caught", [])]
        progress = [compiled(r) for r in library.recovery.get("progress", [])]
        success = [compiled(r) for r in library.recovery.get("success", [])]
        self.records = records
        self._position = {id(r): i for i, r in enumerate(records)}
        failing = {id(m.record) for m in matches if library.signatures[m.id].role != "context"}
        self._progress: dict[tuple[str, str], list[int]] = {}
        self._success: dict[str, int] = {}
        self._failed: dict[str, list[int]] = {}
        for i, record in enumerate(records):
            if id(record) in failing:
                self._failed.setdefault(record.source, []).append(i)
            elif record.format in ("text", "glog") and len(record.text) < 2000:
                if _any(progress, record.text):
                    self._progress.setdefault((record.source, record.stream), []).append(i)
                if _any(success, record.text):
                    self._success[record.source] = i

    def handled(self, record: Record) -> str:
        """Why the error in this record did no lasting harm, or an empty string."""
        position = self._position.get(id(record))
        if position is None:
            return ""
        if record.fields.get("ignored"):
            return "ignored by the interpreter"
        if record.format == "traceback" and record.fields.get("level") in ("warning", "info", "debug"):
            return "logged as caught"
        if record.format == "traceback":
            before = [r for r in self.records[max(0, position - _BEFORE) : position] if r.source == record.source]
            near = [*(r.text for r in before), record.text.split("\n", 1)[0]]
            if any(_any(self._caught, text) for text in near):
                return "caught and retried"
        ended = self._success.get(record.source, -1)
        went_on = self._later(self._progress.get((record.source, record.stream), []), position)
        if ended > position and went_on and not self._later(self._failed.get(record.source, []), ended):
            return "the run went on and ended well"
        return ""

    @staticmethod
    def _later(positions: Sequence[int], position: int) -> int:
        return len(positions) - bisect.bisect_right(positions, position)


def _any(patterns: Sequence[Any], text: str) -> bool:
    return any(p.search(text) for p in patterns)
