"""Which errors did no lasting harm: caught and retried, quoted by somebody, taken back, or outlived by the job."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import Any

from triage import clock
from triage.incidents import MACHINE, SILENCE, Group, Times
from triage.library.library import Library
from triage.library.patterns import compiled
from triage.model import Match, Record, Stamp
from triage.quoting import Quoting
from triage.testruns import Verdicts

_BEFORE = 2
_GOES_ON = 3  # signs of progress after an exception that was only logged (judgement)
_JOB = ("text", "glog", "nccl")
OUTLIVED = "the job of this input ended well long after it"
SPARED = "each job of this input ended well, and it ended another program: when, its clock does not tell"
# What the kernel did to a program is over with that program; what befell the machine or a card may stay.
_OF_A_PROGRAM = ("debug-app", "restart-app")


class Recovery:
    """Judges the records of one run with the word lists of `signatures/recovery.yaml`.

    An exception counts as handled when a line before it says that it was caught, when it was logged below the level
    of an error, or when its own stream goes on making progress and nothing later says that the job failed.
    """

    def __init__(self, library: Library, records: Sequence[Record], matches: Sequence[Match], times: Times) -> None:
        words = {key: _either(library.words.get(key, [])) for key in ("caught", "progress", "success")}
        self._caught = words["caught"]
        pairs = [entry.split(" => ", 1) for entry in library.words.get("taken-back", []) if " => " in entry]
        self._taken_back = [(compiled(fault), compiled(relief)) for fault, relief in pairs]
        self.library, self.records, self.times = library, records, times
        self._position = {id(r): i for i, r in enumerate(records)}
        self._quoting, self._tests = Quoting(library, records), Verdicts(library, records)
        faults = (m for m in matches if library.signatures[m.id].role != "context")
        failing = {id(m.record) for m in faults if not self._quoting.why(m)}
        self._progress: dict[tuple[str, str], list[int]] = {}
        self._success: dict[str, int] = {}
        self._failed: dict[str, list[int]] = {}
        for i, record in enumerate(records):
            if id(record) in failing:
                self._failed.setdefault(record.source, []).append(i)
            elif record.format in ("text", "glog") and len(record.text) < 2000:
                if words["progress"].search(record.text):
                    self._progress.setdefault((record.source, record.stream), []).append(i)
                if words["success"].search(record.text):
                    self._success[record.source] = i
        self._well = self._ended_well()

    def judge(self, groups: Sequence[Group]) -> None:
        """Notes at each group why all of its matches are harmless, and whether a later line takes it back."""
        for one in groups:
            one.handled = _same(one, self.handled)
            one.taken_back = _same(one, self.taken_back)
            one.handled = one.handled or self._outlived(one)

    def handled(self, match: Match) -> str:
        """Why the error of this match did no lasting harm, or an empty string."""
        record = match.record
        position = self._position.get(id(record))
        if position is None:
            return ""
        if record.fields.get("ignored"):
            return "ignored by the interpreter"
        if why := self._quoting.why(match):
            return why
        if self._tests.passed(match, position):
            return "printed by a test that passed"
        if record.format == "traceback" and record.fields.get("level") in ("warning", "info", "debug"):
            return "logged as caught" if self._goes_on(position) else ""
        end = self._success.get(record.source)
        if end is not None and end < position and self.library.signatures[match.id].severity == "warning":
            return "noise of a run that had ended well"
        progress = self._progress.get((record.source, record.stream), [])
        went_on = bool(_later(progress, position))
        failures = self._failed.get(record.source, [])
        if record.format == "traceback" and self._said_before(position) and self._goes_on(position):
            return "caught and retried"
        calm = went_on and not _later(failures, progress[-1])
        if calm and _later(progress, position) >= _GOES_ON and self._logged(match):
            return "logged by a program that went on"
        if calm and (self._said_by(position) or self._said_after(position)):
            return "caught, and the run went on"
        # A rank that died is started again; what it prints then need not carry its prefix, but comes after all errors.
        went_on = went_on or bool(_later(self._progress.get((record.source, ""), []), max(failures, default=position)))
        if end is not None and end > position and went_on and not _later(failures, end):
            return "the run went on and ended well"
        return ""

    def taken_back(self, match: Match) -> str:
        """The later line of the same source by which the fault is over (`Link up`), or an empty string."""
        position = self._position.get(id(match.record))
        if position is None:
            return ""
        for fault, relief in self._taken_back:
            if not (hit := fault.search(match.record.text)):
                continue
            who = hit.groupdict().get("who")
            for record in self.records[position + 1 :]:
                found = relief.search(record.text) if record.source == match.record.source else None
                if found and found.groupdict().get("who") == who:
                    return "a later line takes it back"
        return ""

    def _goes_on(self, position: int) -> bool:
        """Whether the stream of a record says anything after it that is no fault: what dies does not go on."""
        record = self.records[position]
        failed = set(self._failed.get(record.source, ()))
        return any(
            other.source == record.source and other.stream == record.stream and other.text.strip()
            for i, other in enumerate(self.records[position + 1 :], position + 1)
            if i not in failed
        )

    def _logged(self, match: Match) -> bool:
        """Whether a program logged an exception of its own making as an error: then it had caught it."""
        fields = match.record.fields
        told = match.record.format == "traceback" and fields.get("level") == "error" and "rank" not in fields
        return told and self.library.signatures[match.id].fallback

    def _said_before(self, position: int) -> bool:
        source, text = self.records[position].source, self.records[position].text
        before = [r.text for r in self.records[max(0, position - _BEFORE) : position] if r.source == source]
        return any(self._caught.search(line) for line in (*before, text.split("\n", 1)[0]))

    def _said_by(self, position: int) -> bool:
        record = self.records[position]
        return record.format in _JOB and bool(self._caught.search(record.text.split("\n", 1)[0]))

    def _said_after(self, position: int) -> bool:
        record = self.records[position]
        following = self.records[position + 1 : position + 2]
        return record.format == "traceback" and any(
            r.source == record.source and self._caught.search(r.text.split("\n", 1)[0]) for r in following
        )

    def _ended_well(self) -> Stamp | None:
        """When the last job ended well, if no job of the input failed after such an end."""
        ends: list[Stamp] = []
        for source, position in self._success.items():
            stamp = self.times.get(id(self.records[position]))
            worked = any(name == source for name, _ in self._progress)
            if _later(self._failed.get(source, []), position):
                return None
            if worked and stamp is not None and stamp.kind != "boot":
                ends.append(stamp)
        return max(ends, key=lambda s: s.seconds, default=None)

    def _outlived(self, one: Group) -> str:
        """Why a fault that the machine told did not harm a job that ended well, or an empty string."""
        if self._well is None or one.last is None or any(m.record.format not in MACHINE for m in one.matches):
            return ""
        if clock.comparable(one.last, self._well, same_source=False):
            return OUTLIVED if self._well.seconds - one.last.seconds > SILENCE else ""
        all_well = all(name in self._success for name, _ in self._progress)
        harmless = one.signature.family == "host" and one.signature.action in _OF_A_PROGRAM
        return SPARED if all_well and harmless else ""


def _same(one: Group, reason: Callable[[Match], str]) -> str:
    """The reason that holds for all matches of a group."""
    first = reason(one.matches[0])
    return first if first and all(reason(m) for m in one.matches[1:]) else ""


def _later(positions: Sequence[int], position: int) -> int:
    return len(positions) - bisect.bisect_right(positions, position)


def _either(regexes: Sequence[str]) -> Any:
    """One pattern for all: one pass over a text."""
    return compiled("|".join(f"(?:{regex})" for regex in regexes) or r"[^\s\S]")
