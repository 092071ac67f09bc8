"""All formats, and the reading of lines into records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from triage import clock, lazy
from triage.formats.base import Format, record
from triage.formats.headers import head
from triage.formats.shapes import BACKTRACE
from triage.model import Line, Record, Stamp

# A stamp at the start of a line of no known format: `2025-03-11 10:02:11,123 INFO ...`, `[2025-03-11T10:02:11Z] ...`.
# The same as a syslog writes it, where no host or program follows: `Feb 09 13:10:12 E ...`.
_LEADING = lazy.pattern(
    r"^[\[(]?(\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-3]\d \d\d:\d\d:\d\d(?:[.,]\d+)?\b)"
)


@cache
def formats() -> tuple[Format, ...]:
    """The formats in the order in which they are asked; the first that takes a line wins."""
    from triage.formats.dcgm import Dcgm
    from triage.formats.dcgm_health import DcgmHealth
    from triage.formats.dumps import FlightRecorder, NcclRas
    from triage.formats.glog import Glog
    from triage.formats.kernel import Kernel, Syslog
    from triage.formats.kubernetes import KubeNode, KubePod
    from triage.formats.lspci import Lspci
    from triage.formats.nccl import Nccl
    from triage.formats.nvidia_smi import SmiQuery
    from triage.formats.own import OwnJson
    from triage.formats.ports import IbPort
    from triage.formats.python import CppAbort, Faulthandler, Traceback
    from triage.formats.smi_csv import SmiCsv
    from triage.formats.smi_lists import SmiLinks, SmiMonitor, SmiTopo
    from triage.formats.smi_table import SmiTable
    from triage.formats.smi_xml import SmiXml
    from triage.formats.torchrun import Torchrun
    from triage.formats.watch import Watch
    from triage.formats.windows import WindowsDevice, WindowsEvent

    return (
        WindowsEvent(), Kernel(), Syslog(), Nccl(), Glog(), Torchrun(), CppAbort(), Traceback(), Faulthandler(),
        FlightRecorder(), SmiTable(), SmiQuery(), SmiXml(), SmiCsv(),
        OwnJson(), Watch(), SmiTopo(), SmiLinks(), SmiMonitor(), Lspci(), IbPort(), Dcgm(), DcgmHealth(), NcclRas(),
        KubeNode(), KubePod(), WindowsDevice(),
    )  # fmt: skip


@cache
def _headed() -> tuple[Format, ...]:
    return tuple(form for form in formats() if form.name in ("kernel", "syslog", "nccl", "glog"))


def stream_of(line: Line) -> str:
    """Who wrote the line, as far as its prefix or header tells: a message goes on only in the stream it began in."""
    if line.fields:
        keys = ("pod", "container", "rank", "local_rank", "process", "pid") if "ident" not in line.fields else ()
        told = "/".join(f"{key}={line.fields[key]}" for key in keys if key in line.fields)
        if told:
            return told
    first = head(line)
    if first is None or first.ident == "kernel":
        return ""
    return f"{first.host or ''}/{first.ident}[{first.pid or ''}]"


def _is_kernel(line: Line) -> bool:
    first = head(line)
    return first is not None and first.ident == "kernel" and first.size > 0


def _streams(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines of each stream. What has no prefix of its own follows the line above it: C++ backtraces, and lines
    that stand indented under a syslog header."""
    streams: dict[str, list[Line]] = {}
    above = ""
    mixed = any(line.text.startswith("Traceback (most") and not line.fields for line in lines)
    for line in lines:
        stream = stream_of(line)
        if mixed and not stream and _is_kernel(line):
            stream = "kernel"  # a kernel that talks into a job's traceback does not end it
        under = above.endswith("]") and line.text[:1].isspace()
        if not stream and above and (under or BACKTRACE.match(line.text)):
            stream = above
        streams.setdefault(stream, []).append(line)
        above = stream
    return streams


def read(lines: Sequence[Line], source: str) -> list[Record]:
    """All records of `lines`, in the order of their first lines. Every line belongs to exactly one record."""
    records: list[Record] = []
    for stream, own in _streams(lines).items():
        at = 0
        while at < len(own):
            found = _take(own, at)
            found.source, found.stream = source, stream
            found.time = found.time or _stamp(found.lines[0])
            records.append(found)
            at += len(found.lines)
    records.sort(key=lambda r: r.lines[0].number)
    return records


def _take(lines: Sequence[Line], at: int) -> Record:
    for form in formats():
        found = form.take(lines, at)
        if found is not None:
            return found
    return record("text", lines[at : at + 1], [lines[at].text])


def single(line: Line) -> Record:
    """A line as a message by itself: without its header, and without asking what else it may begin."""
    for form in _headed():
        found = form.take([line], 0)
        if found is not None:
            return found
    return record("text", [line], [line.text])


def _stamp(line: Line) -> Stamp | None:
    """The time that the wrapper told, else that at the start of the line."""
    told = line.fields.get("time")
    if told:
        return clock.parse(told)
    found = _LEADING.match(line.text) if line.text[:1] in "12[(JFMASOND" and line.text else None
    return clock.parse(found[1]) if found else None
