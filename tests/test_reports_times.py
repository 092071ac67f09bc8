"""Times and zones as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from triage.reports.times import moment, offset, zoned


@pytest.mark.parametrize(("text", "iso"), [
    ("2026-03-14", "2026-03-14T00:00:00"), ("2026-03-14T09:57:01+01:00", "2026-03-14T09:57:01+01:00"),
    ("2026-03-14 9:57 UTC", "2026-03-14T09:57:00+00:00"), ("2026-03-14 09:57:01.5 +01:00", "2026-03-14T09:57:01+01:00"),
    ("2026-07-14 09:57 Europe/Berlin", "2026-07-14T09:57:00+02:00"), ("2026-01-14 09:57 Europe/Berlin", "2026-01-14T09:57:00+01:00"),
    ("2026-03-14 09:57Z", "2026-03-14T09:57:00+00:00"), ("2026-03-14 09:57 UTC+2", "2026-03-14T09:57:00+02:00"),
])  # fmt: skip
def test_clear_times_are_read(text: str, iso: str) -> None:
    found = moment(text)
    assert found is not None
    assert found.replace(microsecond=0).isoformat() == iso


@pytest.mark.parametrize("text", ["", "last Tuesday", "2026-13-45", "2026-03-14 25:00 UTC", "2026-03-14 09:57 Mars/Base", "14.03.2026", "None"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert moment(text) is None


def test_the_offset_is_that_of_the_day() -> None:
    assert offset("+05:30", None) == 19800
    assert offset("Europe/Berlin", datetime(2026, 7, 1)) == 7200
    assert offset("Europe/Berlin", datetime(2026, 1, 1)) == 3600
    assert offset("Europe/Berlin", None) is None
    assert zoned(datetime(2026, 7, 1, 2), "Europe/Berlin") == datetime(2026, 7, 1, tzinfo=UTC)
    assert zoned(datetime(2026, 7, 1), "UTC").utcoffset() == timedelta(0)
    with pytest.raises(ValueError, match="Mars"):
        offset("Mars/Base", None)
