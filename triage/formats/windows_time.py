"""Times as Windows prints them, in the styles of many regions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from triage import lazy
from triage.model import Stamp

_ISO = lazy.pattern(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_LOCAL = lazy.pattern(
    r"(?P<a>\d{1,4})(?P<sep>[./-])\s?(?P<b>\d{1,2})[./-]\s?(?P<c>\d{1,4})\.?,?\s+(?:(?:um|kl\.|at|à|в) )?"
    r"(?P<before>上午|下午|午前|午後|오전|오후)?\s*(?P<h>\d{1,2})[:.](?P<m>\d\d)(?:[:.](?P<s>\d\d))?"
    r"\s*(?P<after>[AaPp]\.?\s?[Mm]\.?)?"
)
_AFTERNOON = ("下午", "午後", "오후", "p")


def stamp(text: str) -> Stamp | None:
    """The first time in `text`. ISO times with a zone are `zoned`, all others `naive` and read as UTC.

    Day and month are told apart by the separator and the clock: dots and 24-hour clocks go with day first,
    AM and PM with month first, a leading year with year, month, day.
    """
    found = _ISO.search(text)
    if found:
        return _iso(found)
    local = _LOCAL.search(text)
    return _local(local) if local else None


def _iso(found: re.Match[str]) -> Stamp | None:
    year, month, day, hour, minute, second = (int(found[i]) for i in range(1, 7))
    fraction = float(f"0.{found[7]}") if found[7] else 0.0
    zone = found[8]
    offset: timezone = UTC
    if zone and zone.upper() != "Z":
        sign = -1 if zone[0] == "-" else 1
        offset = timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])))
    seconds = _seconds(year, month, day, hour, minute, second, offset)
    return Stamp(seconds + fraction, "zoned" if zone else "naive", found[0].strip()) if seconds is not None else None


def _local(found: re.Match[str]) -> Stamp | None:
    a, b, c = int(found["a"]), int(found["b"]), int(found["c"])
    half = (found["before"] or found["after"] or "").lower()
    if len(found["a"]) == 4:
        year, month, day = a, b, c
    elif found["sep"] == "/" and (b > 12 or (a <= 12 and found["after"])):
        year, month, day = c, a, b
    else:
        year, month, day = c, b, a
    hour = int(found["h"]) % 12 if half else int(found["h"])
    if half.startswith(_AFTERNOON):
        hour += 12
    year += 2000 if year < 100 else 0
    seconds = _seconds(year, month, day, hour, int(found["m"]), int(found["s"] or 0), UTC)
    return Stamp(seconds, "naive", found[0].strip()) if seconds is not None else None


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int, zone: timezone) -> float | None:
    try:
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone).timestamp()
    except ValueError:
        return None
