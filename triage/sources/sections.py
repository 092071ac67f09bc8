"""NVIDIA's bug report: one file of many sections, each the output of a command or a copy of a file.

Its kernel logs become sources of their own, since each has a clock of its own and the same line may stand in four of
them; the rest stays together. Facts: nvidia-bug-report.sh of the drivers 535 to 580 (a rule of 44 underscores before
each section, its heading in the first line).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from triage import lazy
from triage.model import Line, Source
from triage.sources.blocks import lines_source, text_source
from triage.sources.streams import Stream, bytes_stream

_RULE = b"_" * 44
_START = b"Start of NVIDIA bug report log file."
_END = b"End of NVIDIA bug report log file."
_LOGS = lazy.pattern(
    r"(?:dmesg$|journalctl |/var/log/(?:kern\.log|messages|syslog)"
    r"|.*/(?:fabricmanager|nvlsm|nvidia-installer|nvidia-imex)\S*\.log\b)"
)
_COPY = lazy.pattern(rb"  (/var/log/\S+|journalctl (?:-b -?\d+|[^\n:]{1,60})):\s*$")  # in the scan of the kernel's logs
_SCAN = "Scanning kernel log files"
_BASE64 = lazy.pattern(rb"[A-Za-z0-9+/]{60,}={0,2}\s*$")
_PASSED = lazy.pattern(r"(?:modinfo |base64 |.*\b(?:acpidump|xxd|mstdump|resourcedump)\b)")
_SAFE = lazy.pattern(rb"Skipping due to --safe-mode|due to --safe-mode argument|Skipped in safe mode")
_LARGEST = 64 << 20  # bytes of one section


@dataclass(slots=True)
class _Section:
    first: int  # the number of its first line
    title: str = ""
    rows: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, row: bytes) -> None:
        if not self.title and row.strip():
            self.title = _title(row)
        if self.size < _LARGEST and not (_BASE64.match(row) and _PASSED.match(self.title)):
            self.rows.append(row)
            self.size += len(row) + 1


def is_bug_report(head: bytes) -> bool:
    """Whether a text that begins with `head` is a bug report, or the rest of one that lost its first line."""
    return _RULE in head[:400] and _START in head[:1000]


def report_sources(stream: Stream, name: str, path: str) -> Iterator[Source]:
    """The logs in a bug report, each as a source, and one of all the rest, whose note says what a reader must know."""
    rest: list[Line] = []
    passed, safe, ended, last = 0, False, False, ""
    for section in _sections(stream):
        whole = b"\n".join(section.rows)
        safe = safe or bool(_SAFE.search(whole))
        ended = ended or _END in whole
        last = section.title or last
        if _PASSED.match(section.title):
            passed += 1
            rest += _lines([(section.rows[:1])], section.first, name)
        elif _LOGS.match(section.title):
            yield text_source(bytes_stream(whole), f"{name}!{section.title}", path, section.first)
        else:
            rest += _lines([section.rows], section.first, name)
    notes = [*stream.notes]
    if not ended:
        notes.append(
            f"ends inside of {last!r} without its last line: the script hung there, was stopped, or the file is cut"
        )
    if safe:
        notes.append("was taken with --safe-mode, which leaves nvidia-smi out")
    if passed:
        notes.append(f"{passed} sections of binary data and module lists were passed over")
    source = lines_source(rest, name, "; ".join(notes), stream.size)
    source.cut = "" if ended else last
    yield source


def _lines(parts: list[list[bytes]], first: int, name: str) -> list[Line]:
    data = b"\n".join(row for rows in parts for row in rows)
    source = text_source(bytes_stream(data), name, "", first)
    return [line for block in source.blocks() for line in block.lines(0, block.count)] if data else []


def _sections(stream: Stream) -> Iterator[_Section]:
    """The sections in their order. A copy of a log inside of the scan of the kernel's logs is one, too."""
    section, scanning = _Section(1), False
    number = 0
    for row in _rows(stream):
        number += 1
        if row.rstrip() == _RULE:
            yield section
            section, scanning = _Section(number + 1), False
            continue
        if scanning and (copy := _COPY.match(row)):
            yield section
            section = _Section(number + 1, copy[1].decode("utf-8", "replace"))
            continue
        section.add(row)
        scanning = scanning or section.title.startswith(_SCAN)
    yield section


def _rows(stream: Stream) -> Iterator[bytes]:
    left = b""
    while chunk := stream.take():
        *rows, left = (left + chunk).split(b"\n")
        yield from rows
        if len(left) > _LARGEST:
            left = b""
            stream.note("has a line of more than 64 MB, which was left out")
    if left:
        yield left


def _title(row: bytes) -> str:
    """`/var/log/kern.log` of `*** /var/log/kern.log`, `dmesg` of `dmesg:`, else the command."""
    text = row.decode("utf-8", "replace").strip().removeprefix("*** ")
    return text.removesuffix(":")[:120]
