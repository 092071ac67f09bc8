"""Events are put into lanes that can be read, however many ranks there are, and lose none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from reports import fault

from triage.model import Report
from triage.render.lanes import MOST, seconds, tracks


def report(rows: list[tuple[str, str, str]]) -> Report:
    return Report("fault", "x", timeline=[{"time": t, "lane": lane, "finding": f} for t, lane, f in rows])


def names(rows: list[tuple[str, str, str]]) -> list[str]:
    return [lane.name for track in tracks(report(rows)) for lane in track.lanes]


def test_times_are_read_with_their_clock():
    assert seconds("+812.3 s") == (812.3, True)
    assert seconds("1970-01-01T00:01:00Z") == (60.0, False)
    assert seconds("1970-01-01T02:01:00+02:00") == (60.0, False)
    assert seconds("1970-01-01T00:01:00") == (60.0, False)
    assert seconds("") is None
    assert seconds("yesterday") is None


def test_each_clock_has_lanes_of_its_own():
    rows = [("+5.0 s", "GPU 0000:3b:00", "xid-79"), ("2026-01-01T00:00:00Z", "rank 3", "died"), ("", "host a", "gone")]
    found = tracks(report(rows))
    assert [(track.boot, [lane.name for lane in track.lanes]) for track in found] == [
        (False, ["rank 3"]),
        (True, ["GPU 0000:3b:00"]),
    ]


def test_512_ranks_take_a_few_lanes():
    rows = [("2026-01-01T00:00:00Z", "rank 137", "died")]
    rows += [(f"2026-01-01T00:{n % 60:02d}:01Z", f"rank {n}", "waited") for n in range(512) if n != 137]
    (track,) = tracks(report(rows))
    assert [lane.name for lane in track.lanes] == ["rank 137", "511 ranks: 0-136,138-511"]
    (event,) = track.lanes[1].events
    assert (event.finding, event.lanes, event.last - event.first) == ("waited", 511, 59 * 60.0)


def test_lanes_that_saw_the_same_are_named_together():
    t = "2026-01-01T00:00:00Z"
    assert names([(t, f"rank {n}", "x") for n in (0, 1, 2, 5)]) == ["ranks 0-2,5"]
    assert names([(t, "ranks 0,1", "x"), (t, "rank 2", "x")]) == ["ranks 0-2"]
    assert names([(t, f"GPU 0000:{n}b:00", "x") for n in (1, 2)]) == ["GPU 0000:1b:00, 0000:2b:00"]
    assert names([(t, f"GPU 0000:{n}b:00", "x") for n in range(1, 9)]) == ["8 GPUs"]
    assert names([(t, "rank 1", "x"), (t, "host 1", "x")]) == ["rank 1", "host 1"]


def test_a_mark_lasts_as_long_as_its_finding():
    made = fault()
    (track,) = tracks(made)
    assert track.lanes[0].events[0].last - track.lanes[0].events[0].first == 59.0


ROWS = st.lists(
    st.tuples(
        st.integers(0, 10**9).map(lambda n: f"+{n}.0 s" if n % 2 else f"2026-01-0{n % 9 + 1}T00:00:{n % 60:02d}Z"),
        st.integers(0, 600).map(lambda n: f"rank {n}" if n % 3 else f"{n % 7} x" * (n % 4)),
        st.sampled_from(["a", "b", "c", "d"]),
    ),
    max_size=40,
)


@given(ROWS)
def test_nothing_is_lost_and_there_are_never_too_many_lanes(rows):
    found = tracks(report(rows))
    assert all(len(track.lanes) <= MOST for track in found)
    for boot in (False, True):
        seen = {f for t, _, f in rows if (when := seconds(t)) and when[1] == boot}
        assert seen == {e.finding for track in found if track.boot == boot for lane in track.lanes for e in lane.events}
    for track in found:
        for lane in track.lanes:
            assert lane.events
            assert all(event.first <= event.last for event in lane.events)
