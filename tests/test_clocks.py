"""Stamps without a year or a zone, and seconds since boot, find their place by what the other sources tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import clock, clocks
from triage.formats import read
from triage.model import Line, Record

LOST = "nvidia 0000:3b:00.0: the device is lost and does not answer"
UP = "mlx5_core 0000:5e:00.0 eth2: Link up after a long while"


def log(name: str, *texts: str) -> list[Record]:
    return read([Line(number, text, text) for number, text in enumerate(texts, 1)], name)


def times(*logs: list[Record]) -> list[list[str]]:
    clocks.align([record for own in logs for record in own])
    return [[clock.iso(record.time) if record.time else "" for record in own] for own in logs]


@pytest.mark.parametrize("text", ["Dec 31 23:59:59", "E1231 23:59:59.5", "12-31 23:59:59"])
def test_a_stamp_without_a_year_takes_that_of_the_others(text: str) -> None:
    stamps = [clock.parse(text), clock.parse("2019-01-01 00:00:10")]
    old, new = (Record("log", "text", [], "", [], stamp) for stamp in stamps)
    clocks.align([old, new])
    assert old.time is not None
    assert clock.iso(old.time).startswith("2018-12-31T23:59:59")


def test_the_ring_takes_the_time_of_a_line_that_the_syslog_holds_too() -> None:
    ring = log("dmesg", "[  100.000000] usb 1-3: new device of an early hour", f"[ 4711.500000] {LOST}")
    syslog = log("syslog", f"May  2 14:01:58 node7 kernel: {LOST}", "2031-05-02T14:02:00 node7 app[1]: hello")
    first, _ = times(ring, syslog)
    assert first == ["2031-05-02T12:45:06.500", "2031-05-02T14:01:58"]


def test_a_line_that_repeats_ties_nothing() -> None:
    ring = log("dmesg", f"[  100.000000] {LOST}", f"[  200.000000] {LOST}")
    first, _ = times(ring, log("syslog", f"2031-05-02T14:01:58 node7 kernel: {LOST}"))
    assert first == ["+100.000 s", "+200.000 s"]


def test_one_common_line_of_two_machines_ties_nothing() -> None:
    ring = log("a/dmesg", f"[  100.000000] {LOST}")
    others = log("b", f"2031-05-02T14:01:58 node7 kernel: {UP}", f"2031-05-02T14:01:59 node8 kernel: {LOST}")
    assert times(ring, others)[0] == ["+100.000 s"]


def test_the_kernel_tells_the_boot_time() -> None:
    (ring,) = times(
        log(
            "dmesg",
            "[    2.500000] rtc_cmos 00:04: setting system clock to 2031-05-01T06:12:40 UTC (1935382360)",
            f"[  102.500000] {LOST}",
        )
    )
    assert ring == ["2031-05-01T06:12:40Z", "2031-05-01T06:14:20Z"]


def test_proc_stat_tells_the_boot_time() -> None:
    ring, _ = times(log("dmesg", f"[  102.500000] {LOST}"), log("proc/stat", "cpu  1 2 3", "btime 1935382360"))
    assert ring == ["2031-05-01T06:14:22.500Z"]


def test_a_zone_is_told_by_a_copy_that_names_it() -> None:
    journal = log("journal", f"2031-05-02T12:01:58.250+00:00 node7 kernel: {LOST}")
    syslog = log("syslog", f"May  2 14:01:58 node7 kernel: {LOST}", "May  2 14:05:00 node7 app[1]: hello")
    assert times(journal, syslog)[1] == ["2031-05-02T12:01:58Z", "2031-05-02T12:05:00Z"]


def test_a_log_without_common_lines_is_assumed_to_be_of_the_zone_of_its_machine() -> None:
    journal = log("journal", f"2031-05-02T12:01:58.250+00:00 node7 kernel: {LOST}")
    syslog = log("syslog", f"May  2 14:01:58 node7 kernel: {LOST}")
    job = log("job", "[2031-05-02 14:01:59,000] [INFO] step 5")
    assert times(journal, syslog, job)[2] == ["2031-05-02T12:01:59Z"]
    assert job[0].time is not None
    assert job[0].time.assumed


def test_without_anything_to_go_by_all_stands_as_it_is() -> None:
    one, two = times(log("a", "2031-05-02T14:01:58 node7 app[1]: x"), log("b", f"[  100.000000] {LOST}"))
    assert (one, two) == (["2031-05-02T14:01:58"], ["+100.000 s"])


@given(st.integers(0, 10**7), st.sampled_from([h / 4 for h in range(-48, 57)]), st.integers(0, 40))
def test_any_boot_time_and_zone_are_found(up: int, zone: float, late: int) -> None:
    """A ring whose RTC is late, and a syslog in local time without year or zone."""
    boot = 1935382360
    wall = clock.iso(clock.Stamp(boot + up + zone * 3600, "naive", ""))
    ring = log(
        "dmesg",
        f"[    1.000000] rtc_cmos 00:04: setting system clock to 2031-05-01T06:12:40 UTC ({boot + 1 - late})",
        f"[{up}.000000] {LOST}",
    )
    ring_times, syslog_times = times(ring, log("syslog", f"{wall} node7 kernel: {LOST}"))
    assert ring_times[1] == syslog_times[0] == clock.iso(clock.Stamp(boot + up, "zoned", ""))
