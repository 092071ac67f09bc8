"""A report in words: what terminal and Markdown say alike about devices, ranks, times and chains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from math import isfinite

from triage.model import Entities, Finding, Place, Report, Source, Value
from triage.render.lang import chinese, say
from triage.render.text import clean, compact

CONFIDENCE = {"confirmed": "confirmed", "likely": "likely", "possible": "possible, not proven"}
ACTION = {
    "none": "nothing needs to be done",
    "debug-app": "correct the program or its settings",
    "restart-app": "restart the job",
    "restart-service": "restart the service",
    "reset-gpu": "reset the GPU",
    "drain": "drain the node",
    "reboot-node": "reboot the node",
    "check-hardware": "check the hardware",
    "rma": "replace the part (RMA)",
    "collect-more": "collect more evidence first",
}
VERDICT = {
    "fault": "FAULT",
    "suspect": "SUSPECT",
    "healthy": "HEALTHY",
    "nothing-understood": "NOTHING UNDERSTOOD",
}
# Where it happened, in the order in which a reader looks for it; the other entities say what happened.
_PLACES = (
    ("pci", "PCI"), ("gpu", "GPU"), ("gpu_model", ""), ("gpu_uuid", ""), ("rank", "rank"),
    ("local_rank", "local rank"), ("host", "host"), ("pod", "pod"), ("process", "process"), ("pid", "pid"),
    ("interface", "interface"), ("hca", "HCA"),
)  # fmt: skip
# The numbers of an out-of-memory in the order of the argument; any other entity follows as the report has it.
_FIRST = ("requested", "total", "free", "allocated", "allowed", "reserved", "signal", "exit_code")
_LONG, _FEW = 60, 24  # characters of a list of numbers: where it stands alone, and in a row with other things
_SLASH = re.compile(r"[/\\]")
# What the reason of every root says, and what is counted or shown elsewhere on the page; in both languages.
_USUAL = re.compile(
    r"(?:[;,] )?(?:nothing|no other fault) in the input explains it|it reports that something failed, and nothing in "
    r"the input says what|,? and it explains \d+ other findings?|; \d+ independent findings? beside it"
    r"|；?输入中没有(?:其他)?能解释它的(?:问题|故障)|它只说明有东西出错，输入中看不出是什么"
    r"|，它解释了另外 \d+ 个问题|；另有 \d+ 个独立的问题"
)
_BOOT = re.compile(r"\+([\d.]+) s")


def words(value: Value | list[Value], most: int = 6) -> str:
    """An entity in words: numbers of a list compacted, long lists cut and counted."""
    if not isinstance(value, list):
        return clean(f"{value:g}" if isinstance(value, float) else str(value))
    numbers = [v for v in value if isinstance(v, int)]
    if value and len(numbers) == len(value):
        text = compact(numbers)
        return text if len(text) <= _LONG else f"{text[:_LONG].rpartition(',')[0]} ... ({len(set(numbers))})"
    shown = ", ".join(clean(str(v)) for v in value[:most])
    return f"{shown} and {len(value) - most} more" if len(value) > most else shown


def place(entities: Entities) -> list[str]:
    """Device, rank and host: `["PCI 0000:3b:00", "GPU 2", "ranks 0,2-7", "host node07"]`."""
    parts = []
    for key, label in _PLACES:
        value = entities.get(key)
        if value is None or value == "" or value == []:
            continue
        many = isinstance(value, list) and len(value) > 1 and key in ("rank", "local_rank", "host")
        plural = "s" if many and not chinese() else ""
        parts.append(f"{say(label)}{plural} {words(value)}" if label else words(value))
    return parts


def details(entities: Entities) -> list[str]:
    """The entities that `place` leaves out: `["requested 20.00 GiB", "free 1.2 GiB"]`."""
    known = {key for key, _ in _PLACES}
    keys = [*(key for key in _FIRST if key in entities), *(key for key in sorted(entities) if key not in _FIRST)]
    return [
        f"{say(key).replace('_', ' ')} {words(entities[key])}"
        for key in keys
        if key not in known
        and not key.startswith("_")
        and entities[key] not in ("", [], None)
        and (key, entities[key]) != ("event_id", 0)  # a copy that holds no number
    ]


def sentence(text: str) -> str:
    """`text` with a capital at its beginning and a full stop at its end."""
    text = clean(text).strip()
    stop = "。" if chinese() else "."
    return text[:1].upper() + text[1:] + ("" if not text or text[-1] in ".!?:。！？：" else stop)


def local(time: str, report: Report) -> str:
    """A time of the report in the zone that was asked for: `2024-05-01T18:00:01+08:00`; without one as it is."""
    zone = report.stats.get("zone")
    if not time.endswith("Z") or not isinstance(zone, (int, float)):
        return clean(time)
    try:
        moment = datetime.fromisoformat(time).astimezone(timezone(timedelta(seconds=zone)))
        return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    except (ValueError, OverflowError):
        return clean(time)


def moment(time: str, report: Report) -> str:
    """A time in the zone that was asked for, or in seconds after boot as the kernel prints them."""
    boot = _BOOT.fullmatch(time)
    return f"{boot[1]} {say('s after boot')}" if boot else local(time, report)


def when(finding: Finding, report: Report) -> str:
    """`2024-05-01T12:00:01, 4 times, last 12:03:10`; only what is known."""
    parts = []
    first = moment(finding.first.time, report) if finding.first else ""
    last = moment(finding.last.time, report) if finding.last else ""
    if first:
        parts.append(first)
    if finding.count > 1:
        parts.append(f"{finding.count:,} {say('times')}")
        unit = f" {say('s after boot')}"
        tail = later(first, last).removesuffix(unit if first.endswith(unit) else "")
        if last and tail not in first and not _before(last, first):
            parts.append(f"{say('last')} {tail}")
    return ", ".join(parts)


def _before(a: str, b: str) -> bool:
    """Whether `a` is a time before `b`; no when one of them is none, or they are of different clocks."""
    try:
        return datetime.fromisoformat(a) < datetime.fromisoformat(b)
    except (ValueError, TypeError):
        return False


def why(finding: Finding) -> str:
    """The reason as a sentence, without what every root says of itself; nothing if that is all."""
    return sentence(_USUAL.sub("", finding.why).strip("；;，, "))


def decoded(finding: Finding, report: Report) -> str:
    """What the codes in its records say; where it has none, what those of an effect on the same GPU or process say.

    A carrier has nothing to add: its exit code follows from the cause.
    """
    if finding.decoded:
        return " ".join(finding.decoded)
    for other in report.findings:
        shared = any(
            key in finding.entities and finding.entities[key] == other.entities.get(key) for key in ("pci", "pid")
        )
        follows = other.id in finding.explains and other.incident == finding.incident and other.role != "carrier"
        if other.decoded and shared and follows:
            return f"{other.id}: {' '.join(other.decoded)}"
    return ""


def later(first: str, last: str) -> str:
    """`last` without the date when it is the same as that of `first`."""
    try:
        a, b = datetime.fromisoformat(first), datetime.fromisoformat(last)
    except ValueError:
        return last
    return last.split("T")[-1].split(" ")[-1] if a.date() == b.date() else last


def ranks(findings: Iterable[Finding]) -> str:
    """`rank 3`, `ranks 0,2-7` or `171 ranks` over all findings, or nothing."""
    found: list[int] = []
    for finding in findings:
        value = finding.entities.get("rank")
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, int) and not isinstance(item, bool):
                found.append(item)
            elif isinstance(item, str) and item.isdecimal():
                found.append(int(item))
    if not found:
        return ""
    text, many = compact(found), len(set(found))
    return f"{many} {say('ranks')}" if len(text) > _FEW else f"{say('ranks' if many > 1 else 'rank')} {text}"


def root(report: Report) -> Finding | None:
    """The root cause, or the unknown that ended the job, or None when there is nothing to explain."""
    first = report.findings[0] if report.findings else None
    told = first is not None and report.verdict in ("fault", "suspect") and first.role != "context"
    return first if first and (first.role in ("cause", "unknown") or told) else None


def counted(number: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    if chinese():
        return f"{number:,} {say(noun)}"
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def reading(report: Report) -> str:
    """What was read: `3 files, 1,200 lines, 29 kinds (kernel, torchrun) in 0.4 s`."""
    good = [s for s in report.sources if s.readable]
    formats = list(dict.fromkeys(clean(name) for s in good if s.format for name in s.format.split("+")))
    text = f"{counted(len(good), 'file')}, {counted(sum(s.lines for s in good), 'line')}"
    kinds = report.stats.get("templates")
    if isinstance(kinds, int) and kinds:
        text += f", {counted(kinds, 'kind')} {say('of message')}"
    if formats:
        text += f" ({', '.join(formats[:5])}{', ...' if len(formats) > 5 else ''})"
    seconds = report.stats.get("seconds")
    took = ", 用时" if chinese() else " in"
    return f"{text}{took} {seconds:.1f} s" if isinstance(seconds, (int, float)) and isfinite(seconds) else text


def short_names(report: Report) -> Callable[[str], str]:
    """Takes off the folder that all inputs share: `/var/log/job7/rank0.log` -> `rank0.log`; `-` is spelled out."""
    paths = [_SLASH.split(source.name)[:-1] for source in report.sources]
    shared = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1

    def name(full: str) -> str:
        return say("standard input") if full == "-" else "/".join(_SLASH.split(full)[shared:])

    return name


def spots(report: Report) -> Callable[[Place | None], str]:
    """`rank0.log:17` for a place, or nothing."""
    name = short_names(report)
    return lambda spot: f"{clean(name(spot.source))}:{spot.line}" if spot else ""


def terms(finding: Finding) -> list[str]:
    """What a reader looks for in a quoted line: the values that say what happened, as a log prints them."""
    places = {key for key, _ in _PLACES}
    values = [v for k, v in finding.entities.items() if k not in places and not k.startswith("_")]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [str(item) for item in flat if not isinstance(item, bool) and str(item)]


def unread(report: Report) -> list[Source]:
    """The inputs that could not be read."""
    return [s for s in report.sources if not s.readable]


def remark(source: Source, name: str) -> str:
    """`rank0.log: does not exist`: what must be known about an input, under the name that the report gives it."""
    note = source.note.removeprefix(source.name).lstrip(" :") or "could not be read"
    return f"{name}: {note}"
