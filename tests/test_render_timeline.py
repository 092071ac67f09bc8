"""The drawn timeline keeps the order of time, and no mark hides another."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import Reader
from reports import fault

from triage.model import Report
from triage.render.diagram import NARROW, WIDE
from triage.render.lanes import Event, Lane, Track, tracks
from triage.render.timeline import clock, positions, timeline


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_positions_keep_the_order(moments):
    found = positions(moments, 100, 800)
    ordered = sorted(found)
    assert all(99.9 <= found[m] <= 800.1 for m in ordered)
    assert [found[m] for m in ordered] == sorted(found.values())


def test_a_second_is_seen_beside_an_hour():
    found = positions([0, 3600, 3601, 90000], 0, 900)
    assert found[3601] - found[3600] > 60
    assert found[3600] < 600


def test_a_clock_in_the_zone_that_was_asked_for():
    assert clock(36131.0, False, fault()) == "10:02:11"
    assert clock(36131.0, False, Report("fault", "", stats={"zone": 7200.0})) == "12:02:11"
    assert clock(812.34, True, fault()) == "812.3 s"


EVENTS = st.lists(st.tuples(st.floats(0, 1e5), st.floats(0, 1e4)), min_size=1, max_size=25)


@given(st.lists(EVENTS, min_size=1, max_size=5), st.sampled_from([WIDE, NARROW]))
def test_no_mark_hides_another_and_all_are_inside(lanes, width):
    made = [
        Lane(f"rank {n}", [Event(f"f{at}", a, a + b) for at, (a, b) in enumerate(sorted(events))])
        for n, events in enumerate(lanes)
    ]
    text = timeline(fault(), Track(False, made), {f"f{n}": n for n in range(30)}, {}, width, "t")
    Reader(text)
    marks = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)]
    height = float(re.search(r'viewBox="-2 -2 [\d.]+ ([\d.]+)"', text)[1])  # type: ignore[index]
    assert len(marks) == sum(map(len, lanes))
    assert all(9 <= x <= width - 9 and 9 <= y <= height - 9 for x, y in marks)
    for at, (x, y) in enumerate(marks):
        for a, b in marks[:at]:
            assert abs(a - x) >= 18 or abs(b - y) >= 18


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_marks_are_numbered_and_say_what_they_are(width):
    report = fault()
    text = timeline(report, tracks(report)[0], {"xid-79": 1}, {"xid-79": "root"}, width, "t")
    page = Reader(text)
    assert "10:02:11 xid-79" in page.texts["title"]
    assert page.texts["title"][0] == "Timeline: 1 marks, 1 lanes"
    assert 'class="mark root"' in text
    assert "gpu 0000:3b:00" in page.texts["text"]
