"""Times as logs print them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import clock
from triage.model import Stamp

MARCH = 1741687331.0  # 2025-03-11T10:02:11Z


@pytest.mark.parametrize(
    ("text", "seconds", "kind"),
    [
        ("2025-03-11T10:02:11Z", MARCH, "zoned"),
        ("2025-03-11T10:02:11.1234567Z", MARCH + 0.1234567, "zoned"),
        ("2025-03-11T11:02:11.1+01:00", MARCH + 0.1, "zoned"),
        ("2025-03-11T11:02:11+0100", MARCH, "zoned"),
        ("2025-03-11 10:02:11,345", MARCH + 0.345, "naive"),
        ("[2025-03-11 10:02:11]", MARCH, "naive"),
        ("2025-03-11 10:02:11 UTC", MARCH, "zoned"),
        ("2025-03-11_10:02:11", MARCH, "naive"),
        ("20250311T100211Z", MARCH, "zoned"),
        ("Tue Mar 11 10:02:11 2025", MARCH, "naive"),
        ("Tue Mar 11 10:02:11 UTC 2025", MARCH, "zoned"),
        ("Tue 2025-03-11 10:02:11 CET", MARCH, "naive"),
        ("Di Mär 11 10:02:11 2025", MARCH, "naive"),
        ("mar. mars 11 10:02:11 2025", MARCH, "naive"),
        ("Вт мар 11 10:02:11 2025", MARCH, "naive"),
        ("二 3月 11 10:02:11 2025", MARCH, "naive"),
        ("Mar 11 2025 10:02:11", MARCH, "naive"),
        ("2025/03/11 10:02:11", MARCH, "naive"),
        ("2025/3/11 上午 10:02:11", MARCH, "naive"),
        ("3/11/2025 10:02:11 PM", MARCH + 12 * 3600, "naive"),
        ("11.03.2025 10:02:11", MARCH, "naive"),
        ("1741687331", MARCH, "zoned"),
        ("1741687331.5", MARCH + 0.5, "zoned"),
        ("1741687331000", MARCH, "zoned"),
        ("1741687331000000", MARCH, "zoned"),
        ("/Date(1741687331000)/", MARCH, "zoned"),
        ("812.345678", 812.345678, "boot"),
    ],
)
def test_parse(text: str, seconds: float, kind: str) -> None:
    stamp = clock.parse(text)
    assert stamp is not None
    assert stamp.seconds == pytest.approx(seconds, abs=1e-6)
    assert stamp.kind == kind


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Mar 11 10:02:11", "2025-03-11T10:02:11"),
        ("mar 04 09:42:31", "2025-03-04T09:42:31"),
        ("févr. 11 10:02:11", "2025-02-11T10:02:11"),
        ("Okt 11 10:02:11", "2025-10-11T10:02:11"),
        ("ene 11 10:02:11", "2025-01-11T10:02:11"),
        ("мая 11 10:02:11", "2025-05-11T10:02:11"),
        ("11月 3 10:02:11", "2025-11-03T10:02:11"),
        ("Mar 11 10:02:11.123456", "2025-03-11T10:02:11.123"),
        ("E1130 00:48:47.537795373", "2025-11-30T00:48:47.538"),
        ("I0301 08:05:01.1", "2025-03-01T08:05:01.100"),
        ("W311 10:02:11.5", "2025-03-11T10:02:11.500"),
        ("06-14 10:02:11", "2025-06-14T10:02:11"),
    ],
)
def test_a_time_without_a_year_gets_the_given_one(text: str, shown: str) -> None:
    stamp = clock.parse(text, 2025)
    assert stamp is not None
    assert clock.iso(stamp) == shown


def test_a_time_without_a_year_is_never_far_in_the_future() -> None:
    now = datetime.now(UTC)
    for days in (-200, -1, 0, 2, 40, 200):
        day = now + timedelta(days=days)
        stamp = clock.parse(day.strftime("%b %d %H:%M:%S"))
        if stamp is None:  # 29 February has no other year to go to in a strange calendar
            continue
        assert now.timestamp() - 9 * 366 * 86400 < stamp.seconds <= now.timestamp() + 86400
        assert datetime.fromtimestamp(stamp.seconds, UTC).strftime("%m-%d") == day.strftime("%m-%d")


@pytest.mark.parametrize("text", ["", "hello", "12:61:00", "2025-13-40 10:02:11", "Foo 11 10:02:11", "123", "99999999999999999999"])
def test_what_is_no_time_gives_none(text: str) -> None:
    assert clock.parse(text) is None


def test_shift_reads_a_naive_stamp_in_its_zone() -> None:
    naive, zoned = clock.parse("2025-03-11 11:02:11"), clock.parse("2025-03-11T10:02:11Z")
    assert naive is not None
    assert zoned is not None
    assert clock.iso(clock.shift(naive, 3600)) == "2025-03-11T10:02:11Z"
    assert clock.shift(zoned, 3600) == zoned


def test_boot_seconds_compare_only_in_their_own_source() -> None:
    boot, wall = Stamp(812.0, "boot", "812"), Stamp(MARCH, "naive", "")
    assert clock.comparable(boot, boot, True)
    assert not clock.comparable(boot, boot, False)
    assert not clock.comparable(boot, wall, True)
    assert clock.comparable(wall, Stamp(MARCH, "zoned", ""), False)


def test_iso() -> None:
    assert clock.iso(Stamp(MARCH, "zoned", "")) == "2025-03-11T10:02:11Z"
    assert clock.iso(Stamp(MARCH, "naive", "")) == "2025-03-11T10:02:11"
    assert clock.iso(Stamp(812.345678, "boot", "")) == "+812.346 s"
    assert clock.iso(Stamp(1e300, "zoned", "")) == ""


@given(st.text(max_size=70) | st.from_regex(r"[A-Z0-9T:.,/ +\-]{4,30}"))
def test_parse_never_raises(text: str) -> None:
    stamp = clock.parse(text)
    assert stamp is None or isinstance(clock.iso(stamp), str)
    clock.boot(text)


@given(st.datetimes(min_value=datetime(1990, 1, 2), max_value=datetime(2099, 12, 30)))
def test_iso_is_read_back(moment: datetime) -> None:
    text = moment.isoformat(timespec="milliseconds") + "Z"
    stamp = clock.parse(text)
    assert stamp is not None
    assert clock.iso(stamp).removesuffix("Z") == text.removesuffix("Z").removesuffix(".000")



@pytest.mark.parametrize(("text", "seconds"), [("+02:00", 7200.0), ("-0330", -12600.0), ("UTC", 0.0), ("UTC+8", 28800.0)])
def test_a_zone_is_seconds_east(text: str, seconds: float) -> None:
    assert clock.zone_of(text) == (seconds, False)


def test_a_place_may_change_its_offset_in_a_year() -> None:
    assert clock.zone_of("Europe/Berlin")[1]
    assert clock.zone_of("Asia/Shanghai") == (28800.0, False)


@pytest.mark.parametrize("text", ["", "Mars", "+99:00", "+02:75", "../etc/passwd", "+\u0661\u0662"])
def test_what_is_no_zone_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a known time zone; write"):
        clock.zone_of(text)
