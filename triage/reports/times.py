"""Times and zones as people write them into the front matter of a report."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from triage import clock, lazy

_TIME = lazy.pattern(
    r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:[T ]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<z>Z|[+-]\d{2}:?\d{2}|[+-]\d{1,2}|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|[A-Za-z]+(?:/[A-Za-z_+-]+)+|[A-Z]{3,4})?)?"
)


def moment(value: object) -> datetime | None:
    """The time that an entry gives, with its zone where it has one; None if it is none.

    ISO 8601, and what is as clear: `2026-03-14 9:57 UTC`, `2026-03-14 09:57 Europe/Berlin`.
    """
    text = str(value).strip()
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        found = _TIME.fullmatch(text)
    if found is None:
        return None
    try:
        year, month, day, hour, minute, second = (int(found[part] or 0) for part in "ymdHMS")
        made = datetime(year, month, day, hour, minute, second)
        return zoned(made, "UTC" if found["z"] == "Z" else found["z"]) if found["z"] else made
    except ValueError:
        return None


def zoned(time: datetime, zone: str) -> datetime:
    """A time without a zone, in this one. Raises ValueError if there is no such zone."""
    seconds = offset(zone, time)
    return time.replace(tzinfo=timezone(timedelta(seconds=seconds or 0.0)))


def offset(zone: str, at: datetime | None) -> float | None:
    """Seconds east of UTC of a zone at a time; None where it depends on a time that is not known.

    Raises ValueError if there is no such zone.
    """
    from zoneinfo import ZoneInfo

    seconds, changes = clock.zone_of(zone)
    if not changes:
        return seconds
    if at is None:
        return None
    there = at.replace(tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
    return there.total_seconds()
