"""Rewrites of the times of a case, and of the order and names of its files, that must not change its diagnosis."""

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
_MACHINE = re.compile(
    rb"(?m)^(?:<\d+>)?(?:\[[A-Z][a-z]{2} |(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|[\dT:.+-]{19,32}) \S+ kernel: )"
)
_RANKED = re.compile(r"(?i)rank|worker|node|pod|std(?:err|out)")
_RANK = re.compile(r"(?i)(?:/|^)(\d+)/std(?:err|out)|rank[-_]?(\d+)")
_MAIL = re.compile(rb"(?<=, )\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?= [+-]\d{4})")
_BOOTED = 86_400.0  # seconds after boot of the first line of a ring
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:65536] and not data.startswith(_PACKED)


def _later(text: bytes, form: str, written: str | None = None) -> bytes:
    """A stamp two minutes later, in its own form; what is no time stays."""
    leap = ("", "") if "%Y" in form else ("2028 ", "%Y ")  # a leap year, for stamps without a year
    try:
        moment = datetime.strptime(leap[0] + text.decode(), leap[1] + form).replace(tzinfo=UTC) + _TWO_MINUTES
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


def _moved(data: bytes) -> bytes:
    """A text with all its times two minutes later."""
    data = _SYSLOG.sub(lambda f: f[1] + _later(f[2], "%b %d %H:%M:%S", "%b %e %H:%M:%S"), data)
    data = _RING.sub(lambda f: b"[" + _later(f[1], "%a %b %d %H:%M:%S %Y", "%a %b %e %H:%M:%S %Y") + b"] ", data)
    data = _MAIL.sub(lambda f: _later(f[0], "%d %b %Y %H:%M:%S"), data)
    return _GLOG.sub(_glog, _ISO.sub(_iso, data))


def later(files: Files) -> Files:
    """All times in plain text two minutes later: what a diagnosis says does not hang on the hour."""
    return {name: _moved(data) if _is_text(data) else data for name, data in files.items()}


def skewed(files: Files) -> Files:
    """The logs of the machine two minutes later than those of the job: clocks of a host and of a container differ."""
    of_machine = {name for name, data in files.items() if _is_text(data) and _MACHINE.search(data[:65536])}
    if len(of_machine) == len(files):
        return dict(files)
    return {name: _moved(data) if name in of_machine else data for name, data in files.items()}


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


def names(files: Files) -> Files:
    """Names that say nothing, in folders that stay: a name is a hint, never the proof.

    Where several files lie in one folder a name may tell the rank; such files keep theirs.
    """
    kept = _RANKED.search
    return {
        name if kept(name) else f"{name.rpartition('/')[0]}/part-{number:03}".lstrip("/"): data
        for number, (name, data) in enumerate(files.items(), 1)
    }


def without(files: Files, rank: int) -> Files:
    """The files of all ranks but one; it is not the given one, which failed first. Of two ranks both are needed."""
    ranks = {name: int(found[1] or found[2]) for name in files if (found := _RANK.search(name))}
    others = sorted(set(ranks.values()) - {rank})
    return {name: data for name, data in files.items() if len(others) < 2 or ranks.get(name) != others[-1]}


TIMES: dict[str, Callable[[Files], Files]] = {
    "order": order, "names": names, "later": later, "skewed": skewed, "since-boot": since_boot,
}  # fmt: skip
