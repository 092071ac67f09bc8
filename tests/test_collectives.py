"""What ranks report of a process group: who did not come, who is elsewhere, who waits for whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage import collectives
from triage.clock import parse
from triage.model import Line, Match, Record

RULE = {"source": ["report"], "member": "rank", "group": ["pg"], "exited": [], "universe": "_nranks"}
WAY = {"min": None, "differ": [], "unless_min": None, "exited_before": None, "missing": False, "of_reports": False}


def report(rank: int, pg: str | None = "0", time: str = "2031-05-02 14:01:58", **entities: int | str) -> Match:
    record = Record("log", "glog", [Line(1, "x", "x")], "x", [0], parse(time), {"pg": pg} if pg else {})
    return Match("report", record, (0, 1), {"rank": rank, **entities})


def named(way: dict[str, object], *reports: Match) -> list[object]:
    times = {id(m.record): m.record.time for m in reports}
    found = collectives.suspects({**WAY, **way}, RULE, reports, reports, times, None)  # type: ignore[arg-type]
    return [rank for rank, _ in found or ()]


BEHIND = {"min": "_last_enqueued"}


def test_who_had_not_enqueued_what_the_others_wait_for_is_behind() -> None:
    waits = [report(r, seq=9, _last_enqueued=10 + r, _last_completed=8) for r in (0, 1)]
    assert named(BEHIND, *waits, report(2, _last_enqueued=8, _last_completed=8)) == [2]


def test_who_ran_less_far_ahead_is_not_behind() -> None:
    """A rank that asks for the loss at each step has fewer collectives under way than the others."""
    ahead = [report(r, seq=9, _last_enqueued=12, _last_completed=8) for r in (0, 1)]
    assert named(BEHIND, *ahead, report(2, seq=9, _last_enqueued=9, _last_completed=8)) == []


def test_a_later_report_counts_only_if_it_is_still_behind() -> None:
    first = report(0, seq=9, _last_enqueued=9, _last_completed=8)
    later = "2031-05-02 14:03:00"
    assert named(BEHIND, first, report(1, time=later, seq=12, _last_enqueued=12, _last_completed=11)) == []
    assert named(BEHIND, first, report(1, time=later, _last_enqueued=8, _last_completed=8)) == [1]


@given(st.lists(st.integers(0, 20), min_size=2, max_size=8))
def test_without_a_number_that_is_waited_for_the_smallest_is_behind(numbers: list[int]) -> None:
    found = named(BEHIND, *(report(rank, _last_enqueued=number) for rank, number in enumerate(numbers)))
    low = [rank for rank, number in enumerate(numbers) if number == min(numbers)]
    assert found == (low if len(set(numbers)) > 1 else [])


def test_ranks_that_wait_for_each_other_in_two_groups() -> None:
    reports = [
        report(0, "a", _last_enqueued=10, _last_completed=8), report(1, "a", _last_enqueued=11, _last_completed=8),
        report(0, "b", _last_enqueued=6, _last_completed=4), report(1, "b", _last_enqueued=5, _last_completed=4),
    ]  # fmt: skip
    times = {id(m.record): m.record.time for m in reports}
    groups = collectives.grouped(RULE, reports)
    assert [rank for rank, _ in collectives.crossed("_last_enqueued", "rank", groups, times)] == [0, 1]
    assert collectives.crossed("_last_enqueued", "rank", collectives.grouped(RULE, reports[:2]), times) == []


def test_a_watchdog_line_gets_the_group_of_the_line_that_follows_it() -> None:
    unnamed, follows = report(0, None, seq=9), report(0, "7(dp)", seq=9)
    collectives.name_groups([unnamed, follows])
    assert unnamed.record.fields["pg"] == "7(dp)"
