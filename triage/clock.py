"""Times as logs print them, read into `Stamp`s: what is no time gives None."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal

from triage import lazy
from triage.model import Stamp

Match = re.Match[str]
Reader = Callable[[Match, int | None], "Stamp | None"]

# Abbreviated and full month names as the C libraries of these languages print them (lower case, no dot).
_NAMES = (
    "jan january januar jän jänner janv janvier ene enero janeiro gen gennaio янв января январь 1月 一月 1월",
    "feb february februar févr fév février febrero fev fevereiro febbraio фев февр февраля февраль 2月 二月 2월",
    "mar march mär mrz märz mars marzo março мар марта март 3月 三月 3월",
    "apr april avr avril abr abril aprile апр апреля апрель 4月 四月 4월",
    "may mai mayo maio mag maggio май мая 5月 五月 5월",
    "jun june juni juin junio junho giu giugno июн июня июнь 6月 六月 6월",
    "jul july juli juil juillet julio julho lug luglio июл июля июль 7月 七月 7월",
    "aug august août aou ago agosto авг августа август 8月 八月 8월",
    "sep sept september septembre septiembre set setembro settembre сен сент сентября сентябрь 9月 九月 9월",
    "oct october okt oktober octobre octubre out outubro ott ottobre окт октября октябрь 10月 十月 10월",
    "nov november novembre noviembre novembro ноя нояб ноября ноябрь 11月 十一月 11월",
    "dec december dez dezember déc décembre dic diciembre dezembro dicembre дек декабря декабрь 12月 十二月 12월",
)
MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}

_EARLIEST, _LATEST = 631152000.0, 4102444800.0  # 1990 and 2100: other numbers are no epoch of a log
_TIME = r"(?P<H>\d{1,2}):(?P<M>\d{2}):(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?"
_ZONE = r"(?: ?(?P<z>Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2}|[A-Z]{3,5}))?"
_NAME = r"(?P<b>(?:1?\d[月월])|[^\W\d_]{3,10}\.?|[一二三四五六七八九十]{1,2}月)"
_WEEKDAY = r"(?:[^\W\d_]{1,10}[.,]{0,2} +)?"
_HALF = r"(?: ?(?P<p>AM|PM|am|pm|上午|下午))?"
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])([0-9]{1,2}):?([0-9]{2})?")
_HALF_FIRST = r"(?:(?P<q>上午|下午) ?)?"


def boot(text: str) -> Stamp | None:
    """Seconds since boot, `812.345678` or `  812.3`, as a stamp of kind `boot`; None if it is no such number."""
    clean = text.strip().strip("[]").strip()
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", clean, re.ASCII):
        return None
    return Stamp(float(clean), "boot", text)


def shift(stamp: Stamp, zone_offset_seconds: float) -> Stamp:
    """A naive stamp read in a zone that is `zone_offset_seconds` east of UTC: from then on it is zoned.

    Zoned and boot stamps come back unchanged.
    """
    if stamp.kind != "naive":
        return stamp
    return replace(stamp, seconds=stamp.seconds - zone_offset_seconds, kind="zoned")


def comparable(a: Stamp, b: Stamp, same_source: bool) -> bool:
    """Whether the difference of the two means anything: boot seconds count only inside their own source."""
    if "boot" in (a.kind, b.kind):
        return a.kind == b.kind and same_source
    return True


def zone_of(text: str) -> tuple[float, bool]:
    """Seconds east of UTC of `+02:00`, `UTC` or `Europe/Berlin` (today), and whether the offset changes in a year.

    Raises ValueError for anything else.
    """
    from zoneinfo import ZoneInfo

    found = _OFFSET.fullmatch(text)
    if found and int(found[2]) <= 14 and int(found[3] or 0) < 60:
        seconds = int(found[2]) * 3600 + int(found[3] or 0) * 60
        return float(-seconds if found[1] == "-" else seconds), False
    try:
        now = datetime.now(ZoneInfo(text))
    except (OSError, ValueError, LookupError):
        raise ValueError(f"{text!r} is not a known time zone; write e.g. +02:00, UTC or Europe/Berlin") from None
    offset = now.utcoffset() or timedelta()
    changes = now.replace(month=1, day=1).utcoffset() != now.replace(month=7, day=1).utcoffset()
    return offset.total_seconds(), changes


def iso(stamp: Stamp) -> str:
    """`2025-03-11T10:02:11Z` for zoned, the same without Z for naive, `+812.346 s` for boot stamps.

    Milliseconds are shown where they are not zero. A time that was moved is shown as its own host wrote it.
    """
    if stamp.kind == "boot":
        return f"+{stamp.seconds:.3f} s"
    try:
        moment = datetime(1970, 1, 1) + timedelta(milliseconds=round((stamp.seconds - stamp.moved) * 1000))
    except (OverflowError, ValueError):
        return ""
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text + ("Z" if stamp.kind == "zoned" else "")


def _zone(text: str | None) -> tuple[Literal["zoned", "naive"], float]:
    """The kind of a stamp with this zone mark and its offset in seconds; zone names other than UTC are ambiguous."""
    if text in ("Z", "UTC", "GMT"):
        return "zoned", 0.0
    if not text or text[0] not in "+-":
        return "naive", 0.0
    digits = text[1:].replace(":", "").ljust(4, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return "zoned", float(-seconds if text[0] == "-" else seconds)


def _hour(found: Match) -> int:
    parts = found.groupdict()
    hour, half = int(parts["H"]), (parts.get("p") or parts.get("q") or "").lower()
    if half in ("am", "上午"):
        return hour % 12
    if half in ("pm", "下午"):
        return hour % 12 + 12
    return hour


def _at(found: Match, year: int, month: int, day: int) -> Stamp | None:
    parts = found.groupdict()
    second = int(parts["S"])
    try:
        moment = datetime(year, month, day, _hour(found), int(parts["M"]), min(second, 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    if second > 60:
        return None
    kind, offset = _zone(parts.get("z"))
    fraction = float("0." + parts["f"]) if parts.get("f") else 0.0
    leap = 1.0 if second == 60 else 0.0
    return Stamp(moment.timestamp() + leap + fraction - offset, kind, found.string)


def _full(found: Match, year: int | None) -> Stamp | None:
    return _at(found, int(found["Y"]), int(found["m"]), int(found["d"]))


def _slashed(found: Match, year: int | None) -> Stamp | None:
    """`03/11/2025`: month first (US, and the date format of Hugging Face's loggers) unless that cannot be."""
    first, second = int(found["m"]), int(found["d"])
    month, day = (second, first) if first > 12 else (first, second)
    return _at(found, int(found["Y"]), month, day)


def _named(found: Match, year: int | None) -> Stamp | None:
    month = MONTHS.get(found["b"].rstrip(".").lower())
    if month is None:
        return None
    written = found.groupdict().get("Y")
    if written:
        return _at(found, int(written), month, int(found["d"]))
    return _yearless(found, year, month, int(found["d"]))


def _glog(found: Match, year: int | None) -> Stamp | None:
    return _yearless(found, year, int(found["m"]), int(found["d"]))


def _yearless(found: Match, year: int | None, month: int, day: int) -> Stamp | None:
    """The given year; else this year, or the last one that has the date and does not lie in the future."""
    if year is not None:
        return _at(found, year, month, day)
    now = datetime.now(UTC)
    for guess in range(now.year, now.year - 9, -1):  # nine years always hold a 29 February
        stamp = _at(found, guess, month, day)
        if stamp is not None and stamp.seconds <= now.timestamp() + 86400:
            return stamp
    return None


def _epoch(found: Match, year: int | None) -> Stamp | None:
    whole, fraction = found["n"], found["f"]
    scale = {10: 1, 13: 1000, 16: 10**6, 19: 10**9}.get(len(whole.lstrip("-")), 0)
    if not scale:
        return None
    seconds = int(whole) / scale + (float("0." + fraction) / scale if fraction else 0.0)
    return Stamp(seconds, "zoned", found.string) if _EARLIEST <= seconds <= _LATEST else None


def _boot(found: Match, year: int | None) -> Stamp | None:
    return boot(found.string)


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (lazy.pattern(pattern, re.ASCII if ascii_only else 0), reader)
    for pattern, reader, ascii_only in (
        # 2025-03-11T10:02:11.1+01:00; a weekday before it is journalctl's short-full; `_` is torchrun's
        (rf"{_WEEKDAY}(?P<Y>\d{{4}})-(?P<m>\d{{1,2}})-(?P<d>\d{{1,2}})(?:[T _]|, ?| +){_TIME}{_ZONE}", _full, False),
        (rf"(?P<Y>\d{{4}})(?P<m>\d{{2}})(?P<d>\d{{2}})[T ]?(?P<H>\d{{2}})(?P<M>\d{{2}})(?P<S>\d{{2}})"
         rf"(?:[.,](?P<f>\d{{1,9}}))?{_ZONE}", _full, True),
        (rf"(?P<Y>\d{{4}})(?P<m>\d{{2}})(?P<d>\d{{2}})[T ]{_TIME}{_ZONE}", _full, True),
        (rf"(?P<Y>\d{{4}})/(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})[T ] ?{_HALF_FIRST}{_TIME}{_HALF}{_ZONE}", _full, False),
        (rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<Y>\d{{4}}),? +{_TIME}{_HALF}{_ZONE}", _full, False),
        (rf"(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<Y>\d{{4}}),? +{_TIME}{_HALF}{_ZONE}", _slashed, False),
        (rf"{_WEEKDAY}{_NAME} +(?P<d>\d{{1,2}}) +{_TIME} (?:(?P<z>[A-Z]{{3,5}}) )?(?P<Y>\d{{4}})", _named, False),
        (rf"{_WEEKDAY}{_NAME} +(?P<d>\d{{1,2}}),? +(?P<Y>\d{{4}}),? +{_TIME}{_HALF}{_ZONE}", _named, False),
        (rf"{_WEEKDAY}(?P<d>\d{{1,2}})[ /-]{_NAME}[ /-](?P<Y>\d{{4}})[ :]{_TIME}{_HALF}{_ZONE}", _named, False),
        (rf"{_NAME} *(?P<d>\d{{1,2}}) +{_TIME}", _named, False),
        (rf"[IWEFCDV]?(?P<m>\d{{1,2}})(?P<d>\d{{2}}) {_TIME}", _glog, True),
        (rf"(?P<m>\d{{2}})-(?P<d>\d{{2}}) {_TIME}", _glog, True),
        (r"(?:\\?/Date\()?(?P<n>\d{10,19})(?:\.(?P<f>\d{1,9}))?(?:[+-]\d{4})?(?:\)\\?/)?", _epoch, True),
        (r"\d{1,9}\.\d{1,9}", _boot, True),
    )
)  # fmt: skip


@lru_cache(maxsize=4096)
def parse(text: str, year: int | None = None) -> Stamp | None:
    """The time that `text` (the time alone, brackets allowed around it) shows, or None.

    Read are ISO 8601 in all its spellings, `Tue Mar 11 10:02:11 2025`, `Mar 11 10:02:11` with month names of eight
    languages, `2025/03/11 10:02:11`, `11.03.2025 08:02:11`, `03/11/2025 10:02:11 AM`, glog's `E1130 00:48:47.5`
    (and torch's `E311`, whose month is not padded), `06-14 10:02:11`, epoch seconds, milli-, micro- and nanoseconds,
    `/Date(ms)/`, and boot seconds with a fraction. A time without a year gets `year`, else the current year, or an
    earlier one where that would lie more than a day in the future. Zone names except UTC are ambiguous: naive.
    """
    clean = text.strip().strip("[]").strip()
    if not clean or len(clean) > 60:
        return None
    for pattern, reader in _READERS:
        found = pattern.fullmatch(clean)
        if found:
            stamp = reader(found, year)
            if stamp is not None:
                return stamp
    return None
