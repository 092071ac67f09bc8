"""Times, reasons and details in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reports import fault, healthy

from triage.model import Finding, Place
from triage.render import words
from triage.render.lang import sentence, using


def seen(first: str, last: str, count: int) -> Finding:
    return Finding(
        "x", "X", "cause", "error", "likely", count=count, first=Place(first, "a", 1), last=Place(last, "a", 9)
    )


@pytest.mark.parametrize(
    ("first", "last", "want"),
    [
        ("2026-01-02T03:04:05", "2026-01-02T03:05:06", "2026-01-02T03:04:05, 2 times, last 03:05:06"),
        ("2026-01-02T03:04:05.250", "2026-01-02T03:04:05", "2026-01-02T03:04:05.250, 2 times"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:01Z", "2026-01-02T03:04:05Z, 2 times"),
        ("2026-01-02T03:04:05Z", "2026-01-03T03:04:01Z", "2026-01-02T03:04:05Z, 2 times, last 2026-01-03T03:04:01Z"),
        ("+12.5 s", "+13.5 s", "12.5 s after boot, 2 times, last 13.5"),
        ("2026-01-02T03:04:05", "+12.5 s", "2026-01-02T03:04:05, 2 times, last 12.5 s after boot"),
        ("", "", "2 times"),
    ],
)
def test_first_and_last_are_told_in_the_order_of_time(first, last, want):
    assert words.when(seen(first, last, 2), healthy()) == want
    assert words.when(seen(first, last, 1), healthy()) == want.split(", ")[0].replace("2 times", "")


def test_long_lists_of_ranks_are_counted():
    every_third = list(range(0, 512, 3))
    found = Finding("x", "X", "cause", "error", "likely", entities={"rank": every_third})
    assert words.ranks([found]) == "171 ranks"
    (place,) = words.place(found.entities)
    assert place.startswith("ranks 0,3,6,")
    assert place.endswith(" ... (171)")
    assert len(place) < 80
    assert words.ranks([Finding("x", "X", "cause", "error", "likely", entities={"rank": list(range(512))})]) == "ranks 0-511"


USUAL = (
    "nothing in the input explains it",
    "nothing in the input explains it, and it explains 1 other finding",
    "nothing in the input explains it, and it explains 2 other findings; 3 independent findings beside it",
    "it reports that something failed, and nothing in the input says what",
)


@pytest.mark.parametrize("why", USUAL)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_a_reason_only_what_is_special_is_told(why, language):
    with using(language):
        assert words.why(Finding("x", "X", "cause", "error", "likely", why=sentence(why))) == ""
        special = words.why(Finding("x", "X", "cause", "error", "likely", why=sentence(f"seen also as y; {why}")))
        assert special.rstrip(".。") == "Seen also as y"


def test_what_came_before_is_told():
    why = "no other fault in the input explains it; it came 51 s after systemd-reload, and it explains 2 other findings"
    assert words.why(Finding("x", "X", "cause", "error", "likely", why=why)) == "It came 51 s after systemd-reload."
    seen_with = "no other fault in the input explains it; it was seen with lfs-pointer and driver-loaded"
    found = Finding("x", "X", "cause", "error", "likely", why=seen_with)
    assert words.why(found) == "It was seen with lfs-pointer and driver-loaded."
    with using("zh"):
        assert words.why(replace(found, why=sentence(seen_with))) == "它与 lfs-pointer、driver-loaded 一同出现。"


def test_a_carrier_adds_no_detail_to_the_cause():
    report = fault()
    cause, effect = report.findings[:2]
    cause.entities["pid"] = effect.entities["pid"] = 7
    effect.decoded = ["The unit was memory."]
    assert words.decoded(cause, report) == "cuda-launch-failure: The unit was memory."
    effect.role = "carrier"
    assert words.decoded(cause, report) == ""
