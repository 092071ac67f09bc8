"""The table of causes, row by row, through the real pipeline: who explains whom, within which time, and on which device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from links import Logs, Place, examples

from triage import analyze, load_library
from triage.joins import STRENGTHS
from triage.model import Finding, Report

TABLE = yaml.safe_load((Path(__file__).parent / "data" / "causality.yaml").read_text())
LIBRARY = load_library()
HERE, PEER, AWAY = Place(), Place(rank=5, bus="c3", pid=41005), Place("node02", 11, "9d", 52011)
ELSEWHERE = {"pci": PEER, "rank": PEER, "host": AWAY}
PLACES = {"here": HERE, "peer": PEER, "away": AWAY}


def said(name: str) -> str:
    return str(TABLE["texts"].get(name) or (examples()[name][0] if examples().get(name) else name))


def read(folder: Path, steps: list[tuple[float, str, Place]]) -> Report:
    logs = Logs()
    for place in dict.fromkeys(place for _, _, place in steps):
        logs.introduce(place)
    for seconds, name, place in steps:
        logs.say(seconds, said(name), place)
    return analyze([logs.write(folder)], library=LIBRARY)


def explained(report: Report, effect: str) -> list[Finding]:
    return [one for one in [*report.findings, *report.earlier] if one.id == effect]


def claims(report: Report, cause: str, effect: str) -> bool:
    return any(cause in one.explained_by for one in explained(report, effect))


def wrong(row: dict[str, Any], cause: str, effect: str, folder: Path) -> Iterator[str]:
    """What a pair of a row does that it must not do."""
    here = Place(rank=row.get("rank", HERE.rank))
    there = ELSEWHERE.get(row.get("apart", ""), here)
    role = "unknown" if row.get("unknown") else "cause"
    for seconds in sorted(set(row["window"])):
        report = read(folder / f"in{seconds}", [(0, cause, here), (seconds, effect, there)])
        top = [(one.id, one.role) for one in report.findings[:1]]
        if not claims(report, cause, effect) or (not row.get("fact") and top != [(cause, role)]):
            yield f"{cause} does not explain {effect} {seconds} s later, first is {top}"
    for name in ("late", "early"):
        if name in row:
            report = read(folder / name, [(0, cause, here), (row[name], effect, there)])
            if claims(report, cause, effect):
                yield f"{cause} explains {effect} {row[name]} s later"
    other = ELSEWHERE.get(row["scope"])
    if other and not row.get("apart"):
        report = read(folder / "other", [(0, cause, here), (row["window"][0], effect, other)])
        if claims(report, cause, effect):
            yield f"{cause} explains {effect} of another {row['scope']}"
    strongest = max((_strength(link) for link in _between(cause, effect)), default=0)
    if strongest > STRENGTHS[row["strength"]]:
        yield f"{cause} explains {effect} too surely"


def _between(cause: str, effect: str) -> Iterator[Any]:
    def names(ends: list[tuple[str, str]], name: str) -> bool:
        return any(name == end or (end.endswith("*") and name.startswith(end[:-1])) for end, _ in ends)

    return (link for link in LIBRARY.links if names(link.cause, cause) and names(link.effect, effect))


def _strength(link: Any) -> int:
    told = link.strength.values() if isinstance(link.strength, dict) else [link.strength]
    return max(STRENGTHS[one] for one in told)


@pytest.mark.parametrize("row", TABLE["rows"], ids=lambda row: f"{row['row']}-{row['cause'][0]}-{row['effect'][0]}")
def test_a_row_of_the_table_holds(row: dict[str, Any], tmp_path: Path) -> None:
    pairs = [(cause, effect) for cause in row["cause"] for effect in row["effect"]]
    assert [text for c, e in pairs for text in wrong(row, c, e, tmp_path / c / e)] == []


@pytest.mark.parametrize("log", TABLE["logs"], ids=lambda log: str(log.get("what") or log.get("trap")))
def test_a_log_has_this_cause(log: dict[str, Any], tmp_path: Path) -> None:
    steps = [(step[0], step[1], PLACES[step[2] if len(step) > 2 else "here"]) for step in log["steps"]]
    report = read(tmp_path, steps)
    told = [(one.id, one.role, one.explained_by) for one in [*report.findings, *report.earlier]]
    roots = {one.id for one in [*report.findings, *report.earlier] if one.role in ("cause", "unknown")}
    if "root" in log:
        top = report.findings[0] if report.findings else None
        role = top.role if top and top.role in ("cause", "unknown") else "none"
        assert (top.id if top and role == "cause" else role) == log["root"], told
    for name in log.get("explained", ()):
        assert explained(report, name), told
        assert all(one.explained_by for one in explained(report, name)), told
        assert name not in roots, told
    for name in log.get("apart", ()):
        assert explained(report, name), told
        assert all(not one.explained_by for one in explained(report, name)), told
    assert roots.isdisjoint(log.get("never", ())), told


@pytest.mark.parametrize("name", TABLE["software"])
def test_what_programs_cause_asks_for_no_work_on_hardware(name: str) -> None:
    assert LIBRARY.signatures[name].action in ("none", "debug-app", "restart-app", "collect-more")


def test_a_node_that_is_hot_all_the_time_may_be_the_slow_rank(tmp_path: Path) -> None:
    hot = [(20.0 * i, "cpu-thermal-throttle", AWAY) for i in range(110)]
    report = read(tmp_path / "hot", [*hot, (2200, "pg-watchdog-timeout", HERE)])
    assert claims(report, "cpu-thermal-throttle", "pg-watchdog-timeout")
    assert report.findings[0].confidence == "possible"
    assert not claims(read(tmp_path / "warm", [*hot[-9:], (2200, "pg-watchdog-timeout", HERE)]), "cpu-thermal-throttle", "pg-watchdog-timeout")
