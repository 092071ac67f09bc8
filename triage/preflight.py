"""Is this machine fit for a job? The probes that only read, as pass, warn, fail, unknown or skip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from triage.recheck.check import Settings, check
from triage.recheck.judging import Result
from triage.recheck.registry import probes

Word = Literal["pass", "warn", "fail", "unknown", "skip"]

# Most serious first, with the return code of monitoring plugins (Monitoring Plugins Development Guidelines).
CODES: dict[Word, int] = {"fail": 2, "warn": 1, "unknown": 3, "pass": 0}
_WORDS: dict[str, Word] = {"refuted": "pass", "inconclusive": "unknown", "not-applicable": "skip"}
_LEFT_OUT = frozenset({"alloc", "port"})  # they answer for one request and one job


@dataclass(slots=True)
class Item:
    """What one probe says: `word`, and its result."""

    word: Word
    result: Result


def names() -> list[str]:
    """The probes of a preflight, in their order."""
    return [one.name for one in probes().values() if one.load != "needed" and one.name not in _LEFT_OUT]


def preflight(settings: Settings, gpus: int | None = None, skip: Iterable[str] = ()) -> list[Item]:
    """All probes that only read, without `skip`; `gpus` is how many GPUs the machine should have."""
    chosen = [name for name in names() if name not in set(skip)]
    results = check(chosen, {} if gpus is None else {"gpus": gpus}, settings)
    return [Item(_word(one), one) for one in results]


def _word(result: Result) -> Word:
    if result.outcome == "confirmed":
        return "warn" if result.warning else "fail"
    return _WORDS[result.outcome]


def code(items: Sequence[Item]) -> int:
    """0 all passes, 1 a warning, 2 a failure, 3 something is unknown, or nothing could be checked."""
    words = {item.word for item in items}
    return next((number for word, number in CODES.items() if word in words), 3)
