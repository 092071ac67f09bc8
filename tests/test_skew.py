"""Clocks of hosts that are apart: recovered from what both wrote at one moment, and only where the lines agree."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from links import Logs, Place

from triage import analyze
from triage.model import Report, Stamp
from triage.redact import Redactor
from triage.redact.report import redact_report
from triage.skew import compare

MOST = 1.5  # seconds by which ranks differ
JITTER = st.floats(0, MOST)


@given(st.floats(-7200, 7200), st.lists(st.tuples(st.floats(0, 90_000), JITTER, JITTER, JITTER, JITTER), min_size=1, max_size=5))
def test_any_skew_is_found_within_the_spread(skew: float, moments: list[tuple[float, ...]]) -> None:
    events = {
        str(i): {
            "a": [(at + first, f"a:{i}"), (at + second, f"a:{i + 50}")],
            "b": [(at + skew + third, f"b:{i}"), (at + skew + fourth, f"b:{i + 50}")],
        }
        for i, (at, first, second, third, fourth) in enumerate(moments)
    }
    clocks = compare(events)
    assert clocks.known == [{"a", "b"}]
    for found in clocks.skews:
        assert abs(abs(found.seconds) - abs(skew)) <= MOST
        assert (found.seconds > 0) == ((skew > 0) == (found.host == "b"))
    assert clocks.skews or abs(skew) <= 10


@pytest.mark.parametrize(
    "events",
    [
        {"x": {"a": [(0.0, "a:1")], "b": [(100.0, "b:1")]}},  # one line of each host
        {"x": {"a": [(0.0, "a:1"), (0.1, "a:2")], "b": [(100.0, "b:1"), (170.0, "b:2")]}},
        {str(i): {"a": [(0.0, f"a:{i}")], "b": [(50.0 * i, f"b:{i}")]} for i in range(3)},  # they contradict each other
        {"x": {"a": [(0.0, "a:1"), (0.1, "a:2")]}, "y": {"b": [(100.0, "b:1"), (100.1, "b:2")]}},
    ],
)  # fmt: skip
def test_nothing_is_moved_where_the_lines_do_not_agree(events: dict[str, dict[str, list[tuple[float, str]]]]) -> None:
    assert compare(events).skews == []
    assert compare(events).known == []


def test_another_zone_says_nothing_of_stamps_with_one() -> None:
    told = {"a": [(0.0, "a:1"), (0.1, "a:2")], "b": [(7200.0, "b:1"), (7200.2, "b:2")]}
    (found,) = compare({"init naive": told}).skews
    assert (found.host, found.zone) == ("b", 7200.0)
    assert found.holds(Stamp(0.0, "naive", ""))
    assert not found.holds(Stamp(0.0, "zoned", ""))
    assert not found.holds(Stamp(0.0, "boot", ""))


def test_the_host_that_is_alone_is_moved() -> None:
    apart = {"a": 118.0, "b": 0.2, "c": 0.0}
    clocks = compare({str(i): {host: [(i + s, f"{host}:{i}")] for host, s in apart.items()} for i in range(3)})
    assert [(one.host, round(one.seconds)) for one in clocks.skews] == [("a", 118)]


def bundle(folder: Path, ahead: float, seen: bool = True, apart: float = 30.0) -> Report:
    """A program fails on one host, and later another one on the other host."""
    one = [Place("node01", rank, bus, 41000 + rank) for rank, bus in ((0, "1b"), (1, "43"))]
    two = [Place("node02", rank, bus, 52000 + rank, ahead) for rank, bus in ((8, "1b"), (9, "43"))]
    logs = Logs()
    for place in (*one, *two):
        if seen:
            logs.introduce(place)
        else:
            logs.say(-3600, "[   10.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024", place)
    logs.say(0, "torch.AcceleratorError: CUDA error: an illegal memory access was encountered", two[0])
    logs.say(apart, "ValueError: batch 5: expected 2048 tokens, got 0", one[1])
    return analyze([logs.write(folder)])


@pytest.mark.parametrize("ahead", [0.0, 118.0, -118.0, 7200.0])
def test_the_first_of_two_hosts_is_first_whatever_their_clocks_say(tmp_path: Path, ahead: float) -> None:
    report = bundle(tmp_path, ahead)
    assert [one.id for one in report.findings if one.role == "cause"] == ["cuda-illegal-address", "python-exception"]
    told = [note for note in report.notes if "clock of" in note]
    assert len(told) == (1 if ahead else 0)
    if ahead:
        assert f"{abs(ahead):.0f} s" in told[0] or "2 h" in told[0]
        assert "node01/rank" in told[0]
        assert "node02/rank" in told[0]
        minutes = 10 * 60 + ahead / 60
        wrote = f"2026-03-11T{int(minutes // 60):02}:{int(minutes % 60):02}:{round(ahead % 60):02}Z"
        assert report.findings[0].first.time == wrote  # as the host wrote it


@settings(max_examples=20)
@given(ahead=st.floats(-7000, 7000))
def test_the_order_of_two_hosts_holds_for_any_skew(ahead: float) -> None:
    with TemporaryDirectory() as folder:
        report = bundle(Path(folder), ahead)
    assert [one.id for one in report.findings if one.role == "cause"] == ["cuda-illegal-address", "python-exception"]


def test_what_cannot_be_ordered_is_said(tmp_path: Path) -> None:
    near, far = bundle(tmp_path / "near", 20.0, seen=False), bundle(tmp_path / "far", 20.0, seen=False, apart=170.0)
    assert [note for note in near.notes if "came first is not known" in note]
    assert not [note for note in far.notes if "came first is not known" in note]
    assert not [note for note in bundle(tmp_path / "seen", 0.0).notes if "not known" in note]


@pytest.mark.parametrize(("ahead", "seen"), [(118.0, True), (20.0, False)])
def test_what_is_said_of_clocks_names_no_host_to_others(tmp_path: Path, ahead: float, seen: bool) -> None:
    report = bundle(tmp_path, ahead, seen)
    for found in report.findings:
        found.entities.pop("host", None)
    after = redact_report(report, Redactor(b"k"))
    assert [note for note in report.notes if "node02" in note]
    assert not [note for note in after.notes if "node0" in note]
