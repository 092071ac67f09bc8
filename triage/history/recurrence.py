"""What an earlier report of the same fault on the same device changes in the advice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from triage.history.likeness import root
from triage.history.store import Seen

_SENTENCE = re.compile(r"Seen (once|\d+ times) before on ")
_BEFORE_FIX = ("Confirm", "If it returns")


def sentence(seen: Seen) -> str:
    """`Seen 3 times before on GPU-…, last on 2026-11-02; helped then: …`."""
    times = "once" if seen.count == 1 else f"{seen.count} times"
    where = f" on {seen.where}" if seen.where else " on other machines"
    helped = f"; helped then: {'; '.join(seen.helped[:3])}" if seen.helped else ""
    return f"Seen {times} before{where}, last on {datetime.fromtimestamp(seen.last, UTC):%Y-%m-%d}{helped}."


def noted(notes: Sequence[str]) -> str:
    """The sentence among the notes of a report, or nothing."""
    return next((note for note in notes if _SENTENCE.match(note)), "")


def changed_by(report: Mapping[str, Any], seen: Seen | None) -> dict[str, Any]:
    """The report with a note of what was seen; on the same device or host, the steps for a fault that returns come
    before those that were right the first time."""
    if seen is None:
        return dict(report)
    changed = dict(report) | {"notes": [sentence(seen), *report["notes"]]}
    cause = root(report)
    playbook = cause.get("playbook")
    if not seen.where or not playbook:
        return changed
    steps = playbook["steps"]
    moved = dict(cause) | {"playbook": dict(playbook) | {"steps": sorted(steps, key=_order)}}
    return changed | {"findings": [moved, *report["findings"][1:]]}


def _order(step: Mapping[str, Any]) -> int:
    section = step["section"]
    return _BEFORE_FIX.index(section) if section in _BEFORE_FIX else len(_BEFORE_FIX)
