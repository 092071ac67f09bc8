"""Rewrites of the times of a case, and of the order of its files, that must not change its diagnosis."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Files = dict[str, bytes]

_TWO_MINUTES = timedelta(minutes=2)
_ISO = re.compile(rb"(?<![\d.])(\d{4}-\d\d-\d\d)([T _])(\d\d:\d\d:\d\d)(?!\d)")
_SYSLOG = re.compile(rb"(?m)^((?:<\d+>)?)([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)(?= )")
_GLOG = re.compile(rb"(\[[EWIF])(\d{3,4} \d\d:\d\d:\d\d)(?=\.\d{6,9} )")
_RING = re.compile(rb"(?m)^\[([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] ")
_BOOTED = 86_400.0  # seconds after boot of the first line of a ring
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:65536] and not data.startswith(_PACKED)


def _later(text: bytes, form: str, written: str | None = None) -> bytes:
    """A stamp two minutes later, in its own form; what is no time stays."""
    try:
        # 2028 is a leap year, for stamps without a year
        moment = datetime.strptime(f"2028 {text.decode()}", f"%Y {form}").replace(tzinfo=UTC) + _TWO_MINUTES
    except ValueError:
        return text
    return moment.strftime(written or form).encode()


def _iso(found: re.Match[bytes]) -> bytes:
    try:
        moment = datetime.strptime(f"{found[1].decode()} {found[3].decode()}", "%Y-%m-%d %H:%M:%S") + _TWO_MINUTES
    except ValueError:
        return found[0]
    return moment.strftime(f"%Y-%m-%d{found[2].decode()}%H:%M:%S").encode()


def _glog(found: re.Match[bytes]) -> bytes:
    day, _, time = found[2].partition(b" ")
    moved = _later(day.rjust(4, b"0") + b" " + time, "%m%d %H:%M:%S")
    return found[1] + (moved[1:] if len(day) == 3 and moved[:1] == b"0" else moved)


def later(files: Files) -> Files:
    """All times in plain text two minutes later: what a diagnosis says does not hang on the hour."""

    def moved(data: bytes) -> bytes:
        data = _SYSLOG.sub(lambda f: f[1] + _later(f[2], "%b %d %H:%M:%S", "%b %e %H:%M:%S"), data)
        return _GLOG.sub(_glog, _ISO.sub(_iso, data))

    return {name: moved(data) if _is_text(data) else data for name, data in files.items()}


def since_boot(files: Files) -> Files:
    """`dmesg -T` as plain `dmesg`: seconds since boot instead of the time of day."""

    def moved(data: bytes) -> bytes:
        found = _RING.search(data)
        start = _moment(found[1]) if found else None
        if start is None:
            return data

        def ring(one: re.Match[bytes]) -> bytes:
            moment = _moment(one[1])
            return one[0] if moment is None else b"[%12.6f] " % (_BOOTED + moment - start)

        return _RING.sub(ring, data)

    return {name: moved(data) if _is_text(data) else data for name, data in files.items()}


def _moment(text: bytes) -> float | None:
    try:
        return datetime.strptime(text.decode(), "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def order(files: Files) -> Files:
    """The files in the opposite order."""
    return dict(reversed(files.items()))


TIMES: dict[str, Callable[[Files], Files]] = {"order": order, "later": later, "since-boot": since_boot}
