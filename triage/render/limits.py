"""How much of a report is shown on one screen, and what is given up first when it does not fit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How many of each thing are shown."""

    evidence: int = 8
    rows: int = 3  # of one line of evidence
    lead: int = 3  # of the first line of evidence, which proves most
    carets: int = 8  # lines of evidence below which the match is marked, where there is no colour
    steps: int = 6
    links: int = 12
    others: int = 5
    missing: int = 3
    unexplained: int = 3
    prose: int = 5
    expect: bool = True
    spaced: bool = True


_ALL = 100_000
FULL = Limits(_ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL, _ALL)
# What is given up, one after the other, until the report fits the screen: first what is only pleasant (marks, gaps,
# what to expect of a command), then length, and only at last what a person needs in order to believe and to act.
GIVEN_UP: tuple[dict[str, int | bool], ...] = (
    {"carets": 3, "evidence": 6}, {"expect": False}, {"carets": 1}, {"links": 8}, {"rows": 2}, {"evidence": 4},
    {"spaced": False}, {"carets": 0}, {"missing": 2}, {"links": 6}, {"others": 4}, {"rows": 1}, {"prose": 4},
    {"steps": 5}, {"evidence": 3}, {"links": 4}, {"unexplained": 2, "others": 3}, {"prose": 3}, {"lead": 2},
    {"missing": 1, "unexplained": 1}, {"steps": 4}, {"others": 2}, {"links": 2}, {"evidence": 2}, {"prose": 2},
    {"steps": 3}, {"others": 1}, {"links": 1}, {"prose": 1}, {"evidence": 1, "lead": 1},
)  # fmt: skip
