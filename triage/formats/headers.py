"""The headers that kernel and syslog lines wear: who, where, when, and where the message begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from triage import clock, lazy
from triage.model import Line, Stamp

# Levels of syslog(3), which the kernel shares (include/linux/kern_levels.h).
LEVELS = ("emerg", "alert", "crit", "err", "warn", "notice", "info", "debug")


@dataclass(slots=True, frozen=True)
class Head:
    """What the header of a line tells; `size` is its length: the message is `text[size:]`.

    `boot` is the printk time in seconds since boot, where one was printed. A line `under` another stands indented
    below the header of that line's message.
    """

    size: int
    ident: str
    host: str | None = None
    pid: str | None = None
    level: str | None = None
    time: Stamp | None = None
    boot: float | None = None
    under: bool = False


# What only kernel drivers print at the start of a line, for lines that lost their header.
_DRIVERS = (
    "pci|pcieport|nvidia|nvme|mlx[45]_core|mlx5_ib|vfio-pci|nouveau|amdgpu|ixgbe|i40e|ice|bnxt_en|irdma|xhci_hcd|i915|"
    "ahci|snd_hda_intel"
)
DRIVER = lazy.pattern(
    r"(?:NVRM: |nvidia-(?:nvlink|modeset|uvm|drm|gpu|peermem)\b: ?|nvidia-nvswitch\d*: |"
    r"nvidia: (?:module|loading|probe|version)|nv(?:idia)?[-_]peer_?mem(?:ory)?: |pci_bus \w{4}:|pciehp |"
    rf"(?:{_DRIVERS}) (?:nvme\d+: )?[0-9a-f]{{4,8}}:[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7][: ]|"
    r"Out of memory: Kill(?:ed)? process |Memory cgroup out of memory: Kill|oom-kill:constraint=|oom_reaper: reaped |"
    r"\S{1,15} invoked oom-killer: |\{\d+\}\[Hardware Error\]: |mce: \[Hardware Error\]|\[Hardware Error\]: |"
    r"EDAC |DMAR: |AMD-Vi: |Memory failure: 0x|Kernel panic - not syncing|watchdog: BUG: |NMI watchdog: |rcu: INFO: |"
    r"BUG: (?:kernel NULL|unable to handle|soft lockup)|INFO: task .{1,32}:\d+ blocked for more than |"
    r"nvme nvme\d+: |(?:EXT4-fs|XFS|BTRFS)(?: error)? \(|LustreError: \d|NETDEV WATCHDOG: |blk_update_request: |"
    r"(?:I/O|critical (?:medium|target)|timeout) error, dev \w+, sector \d|Buffer I/O error on dev|bond\d+: \(slave |"
    r"mce: Uncorrected hardware memory error|Tasks in /\S+ are going to be killed|BUG: Bad page state in process |"
    r"\S{1,15}: page allocation failure: order:|nfs: server \S+ (?:not responding|OK)|infiniband mlx5_\d+: |"
    r"CPU\d+: (?:Core|Package) temperature |nvidia_uvm: |nvidia-peermem nv_|"
    r"Loading of module with unavailable key|Lockdown: \S+ unsigned module|nf_conntrack: |thermal thermal_zone\d|"
    r"(?:traps: )?\S[^\[\]\n]{0,15}\[\d+\](?:: | )"
    r"(?:segfault at [0-9a-f]+ ip |general protection (?:fault )?ip:|trap \w[\w ]* ip:)|\[drm[:\]])",
    re.ASCII,
)

_PRI = r"(?:<(?P<pri>\d{1,3})>)?"
_MONTH = r"(?:1?\d[月월]|[^\W\d_]{3,10}\.?|[一二三四五六七八九十]{1,2}月)"
_WALL = (
    r"(?P<wall>(?:\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)"
    r"|(?:[^\W\d_]{1,10}\.?,? )\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: [A-Z]{3,5}| [+-]\d{2}(?:\d{2})?)?"
    rf"|{_MONTH} *\d{{1,2}} (?:\d{{4}} )?\d{{2}}:\d{{2}}:\d{{2}}(?:\.\d{{1,9}})?"
    r"|\d{10}\.\d{1,9})"
)
_HOST = r"(?P<host>[A-Za-z0-9][\w.@-]{0,254})"
_IDENT = r"(?P<ident>\(?[A-Za-z_/][^\s\[\]:]{0,79}|[A-Za-z][\w .]{1,30}(?=\[\d+\]: ))(?:\[(?P<pid>\d+)\])?:(?: |$)"
_KERNEL = r"(?P<ident>kernel):(?: |$)"
_BOOT = r"\[ *(?P<boot>\d{1,9}\.\d{1,9})\](?: ?\[ *[TC]\d+\])?(?: |$)"
_CTIME = (
    rf"\[(?P<wall>[^\s\[\]\d]{{1,10}} +{_MONTH} +\d{{1,2}} \d{{2}}:\d{{2}}:\d{{2}} \d{{4}})\]"
    r"(?: ?\[ *[TC]\d+\])?(?: |$)"
)

_SYSLOG = lazy.pattern(rf"\s{{0,12}}{_PRI}{_WALL} (?:{_HOST} )?{_IDENT}")
_DATED = lazy.pattern(rf"\s{{0,12}}(?:{_WALL}:?|\d{{1,2}}:\d\d:\d\d(?:[.,]\d{{1,6}})?) {{1,3}}(?:{_HOST} )?")
_RFC5424 = lazy.pattern(
    r"<(?P<pri>\d{1,3})>1 (?P<wall>\S{10,40}) (?P<host>\S+) (?P<ident>\S+) (?P<pid>\S+) \S+ "
    r"(?:-|(?:\[[^\]]*\])+)(?: |$)"
)
_PRINTK = lazy.pattern(rf"\s{{0,12}}{_PRI}{_BOOT}")
_NESTED = lazy.pattern(_BOOT)
_MONOTONIC = lazy.pattern(rf"{_HOST} (?:{_KERNEL}|(?P<name>[A-Za-z_(/][^\s\[\]:]{{0,79}})\[(?P<pid>\d+)\]:(?: |$))")
_DMESG_T = lazy.pattern(rf"\s{{0,12}}{_PRI}{_CTIME}")
_DMESG_X = lazy.pattern(r"(?P<facility>[a-z0-9]{2,8}) *:(?P<level>[a-z]{3,6}) *: ")
_DMESG_ISO = lazy.pattern(r"(?P<wall>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2},\d{6}[+-]\d{2}:?\d{2}) (?:\[ *[TC]\d+\] )?")
_DMESG_H = lazy.pattern(
    r"\[(?:(?P<wall>[^\W\d_]{3,5}\.?\d{2} \d{2}:\d{2})|[<+ ]*\+?\d{1,6}\.\d{6}>?)\](?: ?\[ *[TC]\d+\])?(?: |$)"
)
_KMSG = lazy.pattern(r"(?P<pri>\d{1,4}),\d+,(?P<micro>\d{1,16}),[-c+](?:,[^;]*)?;", re.ASCII)
# Talos (`talosctl dmesg`): the node where it is told, facility and level, the wall clock of the message.
_TALOS = lazy.pattern(
    rf"(?:{_HOST}: )?(?P<facility>kern|user|daemon|syslog|local\d): +(?P<level>[a-z]{{3,7}}): "
    r"\[(?P<wall>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)\]: "
)
_LONG_LEVELS = {"error": "err", "warning": "warn"}
# A lone tag; syslogd's messages to all terminals have no blank after it.
_TAG_ONLY = lazy.pattern(rf"(?:{_HOST} )?\s{{0,12}}kernel:(?: |(?=\[))")
# journalctl -o export and -o verbose: the message is a field of its own.
_EXPORTED = lazy.pattern(r"\s{0,8}MESSAGE=")
# What monitors print in front of a message that they found in the kernel log: gpud's scan, the events and the status
# of the node problem detector.
_SCANNED = lazy.pattern(
    r"(?:\[(?:S?XID found|nvidia s?xid)\] \([^()]{1,40} ago\) \"|"
    r"\s{0,8}(?:Warning|Normal)\s+[A-Z]\w+\s[^\n]{0,120}?\bkernel-monitor(?:, \S+)?\s+|"
    r"[^\n]{0,90}New status generated: &\{Source:kernel-monitor Events:\[\{Severity:[^\n]{0,120}? Message:)"
    r"(?=NVRM: |nvidia-nvswitch)",
    re.ASCII,
)

# What grep and pdsh put in front: the name of the log, a line number, the host.
_GREP = lazy.pattern(
    r"(?:> )?(?:[\w.+/-]{0,120}(?:messages|syslog|kern|dmesg|journal)[\w.+-]{0,60}[:-])?(?:\d{1,9}[:-])?(?=[\[<A-Z\d])"
)
_PDSH = lazy.pattern(rf"(?=[^:\s]*\d){_HOST}: (?=\S)")
# A serial console: the kernel goes on behind the prompt at which somebody could log in.
_CONSOLE = lazy.pattern(rf"{_HOST} login: (?=\[ *\d)")

# Words at the place of the host or ident that show a program's own log line, not a syslog's.
_WORDS = frozenset(
    ("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "FATAL", "CRITICAL", "SEVERE")
)
_LETTERS = frozenset("TDINWEFC")  # the levels of many loggers, also at the place of the host
_DAEMON = lazy.pattern(
    r"\(?(?:systemd|nvidia|nv-|nvsm|nvlsm|slurm|srun|kubelet|containerd|dockerd|sshd|sudo|su|cron|CRON|rsyslog|chronyd|"
    r"udev|dbus|NetworkManager|gdm|dcgm|abrt|mcelog|rasdaemon|smartd|ntpd|audit|dracut|multipathd|irqbalance|snapd|init)"
)
_XORG = lazy.pattern(r"\((?:II|EE|WW|--|==|\*\*|\+\+|!!|NI|\?\?)\)")


def head(line: Line) -> Head | None:
    """The header of a kernel or syslog line, or None for any other line.

    `ident` is `kernel` for lines of the kernel. A line whose wrapper already told its ident has a header of size 0
    (or only the printk time that stands inside the message).
    """
    return _head(line.text, line.fields.get("ident"))


@lru_cache(maxsize=2048)
def _head(text: str, ident: str | None) -> Head | None:
    if ident is not None:
        return _wrapped(text, ident)
    if not text or text.isspace():
        return None
    for reader in (_printk, _dmesg, _syslog, _rest, _prefixed):
        found = reader(text)
        if found is not None:
            return found
    return None


def _wrapped(text: str, ident: str) -> Head:
    if ident != "kernel":
        return Head(0, ident)
    inner = _PRINTK.match(text)
    if not inner:
        return Head(0, ident)
    return Head(inner.end(), ident, level=_level(inner["pri"]), boot=float(inner["boot"]))


def _level(pri: str | None) -> str | None:
    return LEVELS[int(pri) & 7] if pri else None


def _printk(text: str) -> Head | None:
    """`[  812.345678] msg`, and the same with a host and ident after the time (journalctl -o short-monotonic)."""
    found = _PRINTK.match(text)
    if not found:
        return None
    seconds, rest = float(found["boot"]), text[found.end() :]
    if _XORG.match(rest):
        return None
    # An interval of some program in brackets is no printk time, which always has six places.
    if len(found["boot"].partition(".")[2]) < 3 and not found["pri"] and not DRIVER.match(rest):
        return None
    stamp, level = clock.boot(found["boot"]), _level(found["pri"])
    inner = _MONOTONIC.match(rest)
    if inner:
        size, name = found.end() + inner.end(), inner["ident"] or inner["name"]
        return Head(size, name, inner["host"], inner["pid"], level, stamp, seconds)
    return Head(found.end(), "kernel", level=level, time=stamp, boot=seconds)


def _dmesg(text: str) -> Head | None:
    """The other forms of dmesg: -T, -x, -H, --time-format iso."""
    tagged = _DMESG_X.match(text)
    if tagged and tagged["level"] in LEVELS:
        inner = _head(text[tagged.end() :], None)
        if inner and inner.ident == "kernel":
            return Head(tagged.end() + inner.size, "kernel", level=tagged["level"], time=inner.time, boot=inner.boot)
        return None
    for pattern in (_DMESG_T, _DMESG_ISO):
        found = pattern.match(text)
        if found:
            stamp = clock.parse(found["wall"])
            if stamp is not None:
                return Head(found.end(), "kernel", level=_level(found.groupdict().get("pri")), time=stamp)
    found = _DMESG_H.match(text)
    if not found:
        return None
    return Head(found.end(), "kernel", time=clock.parse(found["wall"] + ":00") if found["wall"] else None)


def _syslog(text: str) -> Head | None:
    structured = _RFC5424.match(text)
    found = structured or _SYSLOG.match(text)
    if not found:
        return None
    parts = found.groupdict()
    host, pid = parts["host"], parts["pid"]
    name = parts["ident"]
    host, pid = (None if value == "-" else value for value in (host, pid))
    if not structured and not _plausible(parts["wall"], host, name, pid):
        return None
    stamp = clock.parse(parts["wall"])
    if stamp is None and name != "kernel":  # the name of a month in a language that is not known hides no kernel line
        return None
    size, seconds = found.end(), None
    if name == "kernel":
        inner = _NESTED.match(text, size)
        if inner:
            size, seconds = inner.end(), float(inner["boot"])
    return Head(size, name, host, pid, _level(parts["pri"]), stamp, seconds)


def _plausible(wall: str, host: str | None, ident: str, pid: str | None) -> bool:
    """Whether a dated line is a syslog's: programs put dates in front of `word word:` too."""
    if host in _WORDS or ident in _WORDS or (host in _LETTERS and pid is None):
        return False
    if ident == "kernel" or (pid is not None and (host or _DAEMON.match(ident))):
        return True
    if host is None:
        return False
    if not re.match(r"\d{4}-|\d{10}\.", wall):
        return True
    # ISO: rsyslog and journalctl print a numeric offset; without one only a known daemon is believed.
    return re.search(r"[+-]\d{2}:?\d{2}$", wall[10:]) is not None or _DAEMON.match(ident) is not None


def _rest(text: str) -> Head | None:
    """/dev/kmsg, Talos, a lone `kernel: ` tag, and what only a kernel driver prints, after a date or nothing."""
    found = _KMSG.match(text)
    if found:
        seconds = int(found["micro"]) / 1e6
        stamp = clock.boot(f"{seconds:.6f}")
        return Head(found.end(), "kernel", level=_level(found["pri"]), time=stamp, boot=seconds)
    found = _TALOS.match(text)
    if found:
        level, ident = found["level"], "kernel" if found["facility"] == "kern" else found["facility"]
        stamp = clock.parse(found["wall"])
        return Head(found.end(), ident, found["host"], level=_LONG_LEVELS.get(level, level), time=stamp)
    found = _TAG_ONLY.match(text)
    if found:
        inner = _NESTED.match(text, found.end())
        size = inner.end() if inner else found.end()
        if inner or not found["host"] or DRIVER.match(text, size):
            stamp, seconds_ = (clock.boot(inner["boot"]), float(inner["boot"])) if inner else (None, None)
            return Head(size, "kernel", found["host"], time=stamp, boot=seconds_)
    if DRIVER.match(text):
        return Head(0, "kernel")
    found = _DATED.match(text)
    if found:  # somebody cut the tag out
        stamp = clock.parse(found["wall"]) if found["wall"] else None
        return Head(found.end(), "kernel", found["host"], time=stamp) if DRIVER.match(text, found.end()) else None
    found = _EXPORTED.match(text) or _SCANNED.match(text)
    return Head(found.end(), "kernel") if found and DRIVER.match(text, found.end()) else None


def _prefixed(text: str) -> Head | None:
    """A header behind what grep, pdsh or a serial console put in front of it."""
    found = _CONSOLE.match(text) or _PDSH.match(text)
    if found and found["host"] not in _WORDS:
        inner = _head(text[found.end() :], None)
        if inner is not None and inner.ident == "kernel":
            return replace(inner, size=inner.size + found.end(), host=inner.host or found["host"])
    found = _GREP.match(text)
    if not found or not found.end():
        return None
    inner = _head(text[found.end() :], None)
    return replace(inner, size=inner.size + found.end()) if inner is not None and inner.size else None
