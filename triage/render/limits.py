"""How much of a report is shown on one screen, and what is given up first when it does not fit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How many of each thing are shown."""

    evidence: int = 8
    rows: int = 3  # of one line of evidence
    lead: int = 3  # of the first line of evidence, which proves most
    steps: int = 6
    links: int = 12
    others: int = 5
    missing: int = 3
    unexplained: int = 3
    prose: int = 5
    expect: bool = True
    spaced: bool = True


_ALL = 100_000
FULL = Limits(_ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL)
# What is given up, one after the other, until the report fits the screen.
GIVEN_UP: tuple[dict[str, int | bool], ...] = (
    {"rows": 2}, {"evidence": 5}, {"expect": False}, {"links": 9}, {"evidence": 4, "rows": 1}, {"prose": 4},
    {"missing": 2}, {"links": 7}, {"others": 4}, {"evidence": 3}, {"prose": 3}, {"links": 6}, {"spaced": False},
    {"others": 3, "unexplained": 2}, {"steps": 5}, {"missing": 1, "unexplained": 1}, {"links": 5}, {"lead": 2},
    {"steps": 4}, {"links": 4}, {"others": 2}, {"evidence": 2}, {"prose": 2}, {"steps": 3}, {"links": 3, "others": 1},
    {"prose": 1}, {"evidence": 1, "lead": 1},
)  # fmt: skip
