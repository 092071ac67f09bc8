"""A preflight as monitoring reads it: a state in the first line, then one entry for each probe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from triage.preflight import CODES, Item, Word, code
from triage.render import nagios
from triage.render.page import ASCII, FANCY, Page, Row

_STYLES: dict[Word, str] = {
    "pass": "healthy", "warn": "warning", "fail": "error", "unknown": "warning", "skip": "dim",
}  # fmt: skip


def headline(items: Sequence[Item]) -> str:
    """`TRIAGE CRITICAL - gpu-present: 7 of 8 expected GPUs answer; 11 pass, 1 fail, 9 skip`."""
    counts: Counter[Word] = Counter(item.word for item in items)
    numbers = ", ".join(f"{counts[word]} {word}" for word in _STYLES if counts[word])
    worst = next((word for word in CODES if counts[word]), None)
    first = next((item.result for item in items if item.word == worst and worst != "pass"), None)
    text = f"{first.probe}: {first.detail}; {numbers}" if first else numbers or "nothing to check"
    return nagios.line(code(items), text)


def rows(items: Sequence[Item], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """The state, then what is not a pass with all of its detail, then the rest."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    page.prose(headline(items).strip(), most=3)
    column = max((len(item.result.probe) for item in items), default=0)
    for item in sorted(items, key=lambda one: [*CODES, "skip"].index(one.word)):
        label = f"{item.word:<7}  {item.result.probe:<{column}}  "
        page.prose(item.result.detail, label, head=_STYLES[item.word], most=3)
    return page.rows


def as_dict(items: Sequence[Item]) -> dict[str, Any]:
    """The preflight as plain data."""
    return {
        "schema_version": 1, "code": code(items), "state": nagios.STATES[code(items)],
        "checks": [
            {"probe": one.result.probe, "status": one.word, "detail": one.result.detail, "seconds": one.result.seconds}
            for one in items
        ],
    }  # fmt: skip
