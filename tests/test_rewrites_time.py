"""Other times and another order of the files: each form of a stamp is moved as it is written."""

from __future__ import annotations

import pytest

from triage.rewrites_time import later, names, order, since_boot, skewed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"2031-05-02T23:59:30.123Z x", b"2031-05-03T00:01:30.123Z x"),
        (b"[2031-05-02 14:01:58,885] [INFO] x", b"[2031-05-02 14:03:58,885] [INFO] x"),
        (b"  time      : 2031-05-02_14:01:58", b"  time      : 2031-05-02_14:03:58"),
        (b"Finished: Fri, 02 May 2031 14:01:58 +0000", b"Finished: Fri, 02 May 2031 14:03:58 +0000"),
        (b"May  2 14:01:58 node7 kernel: x", b"May  2 14:03:58 node7 kernel: x"),
        (b"[rank0]:[E502 14:01:58.123456789 P.cpp:1] x", b"[rank0]:[E502 14:03:58.123456789 P.cpp:1] x"),
        (b"[rank0]:[E1130 23:59:58.123456789 P.cpp:1] x", b"[rank0]:[E1201 00:01:58.123456789 P.cpp:1] x"),
        (b"build 2031-13-45 99:99:99 of x", b"build 2031-13-45 99:99:99 of x"),
    ],
)
def test_two_minutes_later(before: bytes, after: bytes) -> None:
    assert later({"a": before}) == {"a": after}


def test_a_ring_with_the_time_of_day_becomes_seconds_since_boot() -> None:
    text = b"[Tue Mar 11 12:02:08 2025] one\n[Tue Mar 11 12:02:10 2025] two\n"
    assert since_boot({"a": text}) == {"a": b"[86400.000000] one\n[86402.000000] two\n"}


def test_packed_files_stay_as_they_are() -> None:
    data = b"\x1f\x8b\x08 2031-05-02T23:59:30"
    assert later({"a": data}) == since_boot({"a": data}) == {"a": data}


def test_the_order_is_turned() -> None:
    assert list(order({"a": b"1", "b": b"2"})) == ["b", "a"]


def test_only_the_logs_of_the_machine_are_moved() -> None:
    job, kernel = b"2031-05-02 14:01:58 step 1\n", b"[Fri May  2 14:01:58 2031] one\n"
    assert skewed({"job": job, "dmesg": kernel}) == {"job": job, "dmesg": b"[Fri May  2 14:03:58 2031] one\n"}
    assert skewed({"dmesg": kernel}) == {"dmesg": kernel}


def test_names_say_nothing_but_the_rank() -> None:
    assert list(names({"0/dmesg.txt": b"1", "1/rank3.log": b"2", "2/train.log": b"3"})) == ["0/part-001", "1/rank3.log", "2/part-003"]
