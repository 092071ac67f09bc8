"""Copies of a line in several logs are one event; repetitions, other machines and other ranks are not copies."""

from __future__ import annotations

from triage.clock import parse
from triage.copies import distinct
from triage.model import Line, Match, Record


def match(
    order: int, source: str, time: str, text: str = "GPU is lost", form: str = "kernel", **entities: str | int
) -> Match:
    return Match(
        "x",
        Record(source, form, [Line(order, text, text)], text, [0], parse(time) if time else None),
        (0, 1),
        dict(entities),
        order,
    )


def kept(*matches: Match) -> list[int]:
    return [m.order for m in distinct(matches, {id(m.record): m.record.time for m in matches})]


def test_four_logs_of_one_line_are_one_event() -> None:
    times = {
        "kern.log": "2031-05-02 14:01:58",
        "syslog": "2031-05-02 14:01:58",
        "journal": "2031-05-02 14:01:58.3",
        "dmesg": "2031-05-02 14:01:57.9",
    }
    assert kept(*(match(i, name, time) for i, (name, time) in enumerate(times.items()))) == [0]


def test_a_repetition_stays_one_in_each_log() -> None:
    both = [match(i, name, f"2031-05-02 14:0{i % 3}:00") for i, name in enumerate(["kern.log"] * 3 + ["syslog"] * 3)]
    assert kept(*both) == [0, 1, 2]


def test_the_fuller_log_is_kept() -> None:
    assert kept(
        match(0, "rotated", "2031-05-02 14:01:00"),
        match(1, "whole", "2031-05-02 14:00:00"),
        match(2, "whole", "2031-05-02 14:01:00"),
    ) == [1, 2]


def test_other_machines_ranks_and_unknown_times_are_not_copies() -> None:
    now = "2031-05-02 14:01:58"
    assert kept(match(0, "a", now, host="n1"), match(1, "b", now, host="n2")) == [0, 1]
    assert kept(match(0, "a", now, form="glog", rank=0), match(1, "b", now, form="glog", rank=1)) == [0, 1]
    assert kept(match(0, "a", ""), match(1, "b", "")) == [0, 1]
    assert kept(match(0, "a", "100.5"), match(1, "b", "100.5")) == [0, 1]


def test_job_logs_are_copies_only_to_the_instant() -> None:
    assert kept(
        match(0, "tee", "2031-05-02 14:01:58.123456", form="glog"),
        match(1, "rank", "2031-05-02 14:01:58.123456", form="glog"),
    ) == [0]
    assert kept(
        match(0, "tee", "2031-05-02 14:01:58.1", form="glog"), match(1, "rank", "2031-05-02 14:01:58.9", form="glog")
    ) == [0, 1]
