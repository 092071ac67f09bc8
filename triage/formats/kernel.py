"""Kernel messages in any wrapper, and the lines of other programs in a syslog or journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from triage import clock, lazy
from triage.formats.base import Format, record
from triage.formats.headers import Head, head
from triage.model import Line, Record, Stamp, Value

_BDF = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]"
_DEVICE = lazy.pattern(rf"(?:[\w.+-]+ )?(?P<device>{_BDF})(?::pcie\d+)?: ")
_INDENTED_NVRM = lazy.pattern(r"\s+NVRM: ")

# --- AER (drivers/pci/pcie/aer.c; the prefix `AER: ` is optional on every line, by the age of the kernel)
_AER_FIRST = lazy.pattern(
    rf"(?:[\w.+-]+ )?{_BDF}(?::pcie\d+)?: (?:AER: )?(?:Multiple )?"
    r"(?:Correct(?:ed|able)|Uncorrect(?:ed|able) \((?:Non-)?Fatal\)) error (?:message )?received"
)
_AER_BUS = lazy.pattern(rf"(?:[\w.+-]+ )?(?P<device>{_BDF})(?::pcie\d+)?: (?:AER: )?(?:PCIe|CXL) Bus Error: ")
_AER_CPER = lazy.pattern(rf"(?:[\w.+-]+ )?{_BDF}: (?:AER: )?aer_status: ")
_AER_DETAIL = lazy.pattern(
    rf"(?:[\w.+-]+ )?{_BDF}(?::pcie\d+)?: (?:AER: )?(?:"
    r"\s*device \[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\] error status/mask|\s*\[ *\d+\] ?\S|\s*TLP Header:|"
    r"\s*Error of this Agent|aer_|found no error details|can't find device of ID|\s{2,}\S)"
)

# --- NVRM messages that the driver wraps over lines (kernel-open/nvidia: nv.c, nv-pci.c, os-interface; osapi.c)
_WRAPPED = lazy.pattern(
    r"\s*NVRM: (?:API mismatch|The NVIDIA GPU |The NVIDIA probe routine|A GPU crash dump|This PCI I/O region|"
    r"request_mem_region failed|Open nvidia\.ko is only|This is a 64-bit BAR|Your system is not currently configured)"
)
_OWN = lazy.pattern(
    r"\s*NVRM: (?:Xid \(|GPU at |GPU Board|GPU is on Board|GPU ?\d|GPU \w{4,8}:|loading |Loading |No NVIDIA |"
    r"None of the NVIDIA |RmInitAdapter|API mismatch|The NVIDIA (?:GPU|probe)|A GPU crash|This PCI I/O|Persistence |"
    r"\w+: |\w*[a-z0-9][A-Z]\w*|\w*_\w*\b)"  # a name of a function, with or without a colon
)
_MORE = lazy.pattern(r"\s*NVRM: (?:Please |This can occur|Try |To force |BAR\d|\S.*README|\()")
_LOWER = lazy.pattern(r"\s*NVRM: [a-z0-9('\"]")
_MAX_WRAPPED = 16
# Seconds between lines of one message: the driver prints them at once, a slow console or syslog delays them.
_GAP, _GAP_UNKNOWN = 2.0, 0.01

# --- Xid and SXid with data lines (src/common/nvswitch/kernel/inc/common_nvswitch.h)
_SWITCH = r"(?P<switch>nvidia-nvswitch\d*): SXid \((?P<pci>[^)]*)\):"
_XID = lazy.pattern(rf"NVRM: Xid \((?:PCI:)?[^)]*\): \d+|{_SWITCH} (?P<sxid>\d+)")
_SXID_DATA = lazy.pattern(rf"(?:{_SWITCH}(?: (?P<sxid>\d+),)? )?\s*(?:Severity \d|Data \{{)")
_XID_MORE = lazy.pattern(r"(?:NVRM:)?(?:  |\t)\s*\S")

# --- oopses, lockups and hung tasks with their call traces
_OOPS = lazy.pattern(
    r"(?:watchdog: |NMI watchdog: )?BUG: |(?:NMI )?watchdog: |rcu: INFO: |Oops|general protection fault|"
    r"INFO: task .{1,64} blocked (?:for more than|in I/O wait)|stack segment|invalid opcode|divide error|page_fault|"
    r"kernel BUG at|WARNING: CPU: |Unable to handle kernel|Kernel panic|"
    r"(?:traps: )?\S.{0,40}\[\d+\](?::| ) ?(?:segfault at|general protection|trap )"
)
_FRAME = lazy.pattern(r"\s*(?:\? )?[\w.$]+\+0x[0-9a-f]+/0x[0-9a-f]+")
_TRACE = lazy.pattern(
    r"\s*(?:[Cc]all [Tt]race:|</?(?:TASK|IRQ|NMI|#?\w{2}|EOI|ENTRY_TRAMPOLINE|SOFTIRQ)>|RIP: |Code: |"
    r"(?:R[A-Z0-9]{1,2}|CS|FS|CR\d|DR\d|PKRU|EFLAGS|ORIG_RAX): ?\s*[0-9a-f]{4}|x\d{1,2} ?: [0-9a-f]{8}|"
    r"(?:pc|lr|sp|pstate) ?: |Tainted: |CPU: ?\d+ .*(?:PID|Comm):|Hardware name: |Workqueue: |Modules linked in:|"
    r"\[last unloaded: |#PF: |PGD [0-9a-f]|Oops: |\"echo 0 > /proc|task:\S.* state:|\[ *<[0-9a-f]+>\]|"
    r"---\[ end trace|\(detected by |(?:\d+-)?\.{3}[!.]: |irq event stamp|(?:hard|soft)irqs last|NMI backtrace for|"
    r"Sending NMI|Mem abort info|ESR = |Internal error: |CPU#\d+ .*stuck)"
)
_MAX_TRACE = 400

# How many lines of a program another format is shown at first, and when it takes something.
_WINDOWS = (4, 64, 4096)

_GHES = lazy.pattern(r"(?P<seq>\{\d+\})\[Hardware Error\]: ")
_GHES_FIRST = lazy.pattern(r"\{\d+\}\[Hardware Error\]: Hardware error from APEI")

# Whether the message `text` of the next line belongs to the message that began with `first` and has come to `last`.
Joiner = Callable[[list[str], str], bool]


def _joins_aer(texts: list[str], text: str) -> bool:
    bus = _AER_BUS.match(text)
    if not bus:
        return _AER_DETAIL.match(text) is not None
    # Only a block with a first line holds several devices, and each of them once.
    if not _AER_FIRST.match(texts[0]):
        return False
    seen = (_AER_BUS.match(earlier) for earlier in texts)
    return all(found is None or found["device"] != bus["device"] for found in seen)


def _joins_nvrm(texts: list[str], text: str) -> bool:
    if not text.lstrip().startswith("NVRM: ") or len(texts) >= _MAX_WRAPPED:
        return False
    if _INDENTED_NVRM.match(text):
        return True  # printed under the header of one message by dmesg or journalctl
    last = texts[-1].rstrip()
    ended = last.endswith((".", "!", "?"))
    if _WRAPPED.match(texts[0]):
        if _MORE.match(text):
            return True
        if ended or _WRAPPED.match(text):
            return False
        return _OWN.match(text) is None
    if ended or last.endswith((":", ")")) or _OWN.match(texts[0]) or _OWN.match(text):
        return False
    return _LOWER.match(text) is not None


def _joins_xid(texts: list[str], text: str) -> bool:
    first, data = _XID.match(texts[0]), _SXID_DATA.match(text)
    if first is None:
        return False
    if data is None:
        return first["switch"] is None and _XID_MORE.match(text) is not None and not _TRACE.match(text)
    if data["switch"] is None:
        return first["switch"] is not None
    own = (data["switch"], data["pci"]) == (first["switch"], first["pci"])
    return own and data["sxid"] in (None, first["sxid"])


def _joins_trace(texts: list[str], text: str) -> bool:
    return len(texts) < _MAX_TRACE and (_TRACE.match(text) is not None or _FRAME.match(text) is not None)


def _joins_ghes(texts: list[str], text: str) -> bool:
    first, found = _GHES.match(texts[0]), _GHES.match(text)
    return bool(first and found and first["seq"] == found["seq"]) and not _GHES_FIRST.match(text)


def _joiner(text: str) -> Joiner | None:
    """What may continue a message that begins with `text`."""
    if _AER_FIRST.match(text) or _AER_BUS.match(text) or _AER_CPER.match(text):
        return _joins_aer
    if _XID.match(text):
        return _joins_xid
    if text.lstrip().startswith("NVRM: "):
        return _joins_nvrm
    if _GHES.match(text):
        return _joins_ghes
    return _joins_trace if _OOPS.match(text) else None


def _longest(joins: Joiner, text: str) -> float:
    """The longest gap in seconds between the lines of a message that begins with `text`."""
    if joins is _joins_trace:
        return float("inf")
    return _GAP_UNKNOWN if joins is _joins_nvrm and not _WRAPPED.match(text) else _GAP


def _gap(first: Head, then: Head) -> float:
    """Seconds between two headers of one kind; 0 where they cannot be compared."""
    if first.boot is not None and then.boot is not None:
        return abs(then.boot - first.boot)
    if first.time is None or then.time is None or first.time.kind != then.time.kind:
        return 0.0
    return abs(then.time.seconds - first.time.seconds)


def _message(line: Line, first: Head) -> tuple[Head, str] | None:
    """The header and message of a line that may continue a message whose header is `first`."""
    found = head(line)
    if found is not None:
        same = found.ident == first.ident and found.pid == first.pid
        known = found.host is None or first.host is None or found.host == first.host
        return (found, line.text[found.size :]) if same and known else None
    # dmesg and journalctl indent the further lines of a message by the width of its header
    text = line.text
    indent = len(text) - len(text.lstrip(" "))
    if text.strip() and first.size and first.size <= indent <= first.size + 8:
        return Head(first.size, first.ident, under=True), text[first.size :]
    if first.ident == "kernel" and _INDENTED_NVRM.match(text):
        return Head(0, first.ident), text
    return None


def _time(first: Head, line: Line) -> Stamp | None:
    """The wall clock of the header, else that of the wrapper, else the time since boot."""
    outer = clock.parse(line.fields["time"]) if "time" in line.fields else None
    if first.time is not None and first.time.kind != "boot":
        return first.time
    return outer or first.time or (clock.boot(f"{first.boot:.6f}") if first.boot is not None else None)


class Kernel(Format):
    """A message of the kernel, under any of its headers or under none that a driver's own prefix replaces.

    The record's text is the message alone, as printed after the header, so `NVRM: ` and indents stay. Fields: `ident`
    (`kernel`), `host`, `level`, `boot` (printk seconds) and `device` (PCI address after a driver name), where known.
    Its time is the wall clock of the header or wrapper, else the seconds since boot.

    One record holds, lines joined by newlines: an AER block; a NVRM message that the driver wrapped; an Xid or SXid
    with its data lines; a BUG, oops, lockup, hung task or segfault with its call trace; adjacent lines of one
    `{n}[Hardware Error]` record. A foreign line in between ends it; everything else is one line, one record.

    >>> from triage.model import Line
    >>> text = "[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
    >>> Kernel().take([Line(1, text, text)], 0).text
    'NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.'
    """

    name: ClassVar[str] = "kernel"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        first = head(lines[at])
        if first is None or first.ident != "kernel":
            return None
        texts, end = [lines[at].text[first.size :]], at + 1
        joins = _joiner(texts[0])
        while end < len(lines):
            found = _message(lines[end], first)
            if found is None:
                break
            if not found[0].under and (
                joins is None or not joins(texts, found[1]) or _gap(first, found[0]) > _longest(joins, texts[0])
            ):
                break
            texts.append(found[1])
            end += 1
        device = _DEVICE.match(texts[0])
        fields: dict[str, Value | None] = {
            "host": first.host, "level": first.level, "boot": first.boot, "device": device and device["device"],
        }  # fmt: skip
        return record(self.name, lines[at:end], texts, _time(first, lines[at]), ident="kernel", **fields)


class Syslog(Format):
    """A line of another program in a syslog or journal; text is the message, `host`, `ident` and `pid` are fields.

    What such a program logs may itself be of a known format (a traceback of a service, NCCL lines): then that format
    makes the record, over the adjacent lines of the same program, and the fields of the header are added to it.

    >>> from triage.model import Line
    >>> text = "Mar 11 10:02:11 node7 nvidia-persistenced[812]: Started (812)"
    >>> Syslog().take([Line(1, text, text)], 0).text
    'Started (812)'
    """

    name: ClassVar[str] = "syslog"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        first = head(lines[at])
        if first is None or first.ident == "kernel":
            return None
        inner = self._inner(lines, at, first, _WINDOWS[0])
        found = _foreign(inner)
        for most in _WINDOWS[1:]:
            if found is None or len(inner) < _WINDOWS[0]:
                break
            inner = self._inner(lines, at, first, most)
            found = _foreign(inner) or found
            if len(found.lines) < len(inner):
                break
        if found is None:
            inner = self._inner(lines, at, first, _MAX_TRACE, printed_under=True)
            found = record(self.name, inner, [line.text for line in inner])
        for key, value in inner[0].fields.items():
            found.fields.setdefault(key, value)
        found.time = found.time or _time(first, lines[at])
        found.lines = list(lines[at : at + len(found.lines)])
        return found

    def _inner(self, lines: Sequence[Line], at: int, first: Head, most: int, printed_under: bool = False) -> list[Line]:
        """The messages of the program from `at` on, as lines without their headers.

        With `printed_under` only the first message, with the lines that stand indented under its header.
        """
        told = {"host": first.host, "ident": first.ident, "pid": first.pid, "level": first.level}
        inner: list[Line] = []
        for line in lines[at : at + most]:
            found = _message(line, first) if inner else (first, line.text[first.size :])
            if found is None or (printed_under and inner and not found[0].under):
                break
            fields = line.fields | {key: value for key, value in told.items() if value is not None}
            inner.append(Line(line.number, found[1], line.raw, fields))
        return inner


def _foreign(inner: Sequence[Line]) -> Record | None:
    """The record that another format takes off the messages of a program, if one does."""
    from triage.formats import formats

    for form in formats():
        if form.name not in ("kernel", "syslog") and not form.name.startswith("windows"):
            found = form.take(inner, 0)
            if found is not None:
                return found
    return None
