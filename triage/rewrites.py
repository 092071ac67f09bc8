"""Rewrites a case in ways that must not change its diagnosis: other pids, addresses, versions, hosts, and noise.

Works on the bytes of all files of a case together, so that a pid in the kernel log stays the pid of the job log.
What is not a plain ASCII superset (UTF-16, .evtx, archives) is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Files = dict[str, bytes]

_PIDS = re.compile(
    rb"(?i)(?:\bpids?\b['\"]?[=: ]{1,3}|\b(?:sub)?process(?:es)? |\btid[=: ]{1,2}|[\w.)-]\[)(\d{3,7})\b(?!\.\d)"
)
_NCCL_IDS = re.compile(rb"[\w.-]+:(\d{2,7}):(\d{2,7}) \[-?\d+\]")
_ADDRESS = re.compile(rb"(?<![\w-])0x([0-9a-fA-F]{9,16}|[0-9a-fA-F]{4}_[0-9a-fA-F]{8})(?![\w-])")
_BARE_ADDRESS = re.compile(rb"(?<=\b(?:at|ip|sp) )([0-9a-f]{12,16})(?![\w-])")
_VERSION = re.compile(
    rb"(?i)(?:\bversion|\bdriver|\bmodule|\btorch|\bnccl|\bnvidia-[\w-]+|\bvllm|\btransformers|\blibrary)[\s:=/,()v-]{1,5}"
    rb"(\d{3}\.\d{2,3}(?:\.\d{2,3})?|\d{1,2}\.\d{1,3}\.\d{1,3})(?![\w]|\.\d)"
)
_KERNEL_RELEASE = re.compile(rb"\b([3-6]\.\d{1,2}\.\d{1,3}-\d{1,4})(?=-[a-z])")
_HOSTS = (
    re.compile(rb"(?m)^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([A-Za-z0-9][\w.-]*) [\w./@-]+(?:\[\d+\])?:"),
    re.compile(rb"(?m)^\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-][\d:]+)? ([A-Za-z0-9][\w.-]*) [\w./@-]+(?:\[\d+\])?:"),
    re.compile(rb"\b([A-Za-z][\w.-]*):\d{2,7}:\d{2,7} \[-?\d+\]"),
    re.compile(rb"(?m)^\s*host\s+: ([A-Za-z][\w.-]*)\s*$"),
)
_DIGITS = bytes.maketrans(b"0123456789", b"4701589263")
_FIRST_DIGIT = bytes.maketrans(b"123456789", b"734912586")
_HEX = bytes.maketrans(b"0123456789abcdefABCDEF", b"7e4c91b5a0f36d28E0F36D")


_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:65536] and not data.startswith(_PACKED)


def _replace_words(files: Files, mapping: dict[bytes, bytes], before: bytes, after: bytes) -> Files:
    """All words of `mapping` replaced where the look-arounds `before` and `after` hold."""
    if not mapping:
        return dict(files)
    words = b"|".join(re.escape(word) for word in sorted(mapping, key=len, reverse=True))
    pattern = re.compile(before + b"(?:" + words + b")" + after)
    return {
        name: pattern.sub(lambda found: mapping[found[0]], data) if _is_text(data) else data
        for name, data in files.items()
    }


def _collect(files: Files, patterns: Iterable[re.Pattern[bytes]]) -> set[bytes]:
    """What the groups of the patterns found in the text files."""
    found: set[bytes] = set()
    for data in files.values():
        if _is_text(data):
            for pattern in patterns:
                for hit in pattern.finditer(data):
                    found.update(group for group in hit.groups() if group)
    return found


def pids(files: Files) -> Files:
    """Other process and thread ids of the same width. Numbers that could be years are left."""
    numbers = {n for n in _collect(files, (_PIDS, _NCCL_IDS)) if len(n) > 3 and not 1900 <= int(n) <= 2100}
    mapping = {n: n[:1].translate(_FIRST_DIGIT) + n[1:].translate(_DIGITS) for n in numbers}
    return _replace_words(files, mapping, rb"(?<![\w.,])(?<!\d[-/])", rb"(?!\w|[.,/-]\d)")


def _address(digits: bytes) -> bytes:
    """Other middle digits. Small numbers, NTSTATUS codes, the high digits (user or kernel) and the low ones stay."""
    value = digits.lstrip(b"0")
    if len(value) < 10 or value.lower().startswith(b"ffffffff"):
        return digits
    at = len(digits) - len(value) + 4
    return digits[:at] + digits[at : at + 2].translate(_HEX) + digits[at + 2 :]


def addresses(files: Files) -> Files:
    """Other addresses; those that share their upper half still do, so an instruction stays inside its library."""

    def swap(data: bytes) -> bytes:
        data = _ADDRESS.sub(lambda found: b"0x" + _address(found[1]), data)
        return _BARE_ADDRESS.sub(lambda found: _address(found[1]), data)

    return {name: swap(data) if _is_text(data) else data for name, data in files.items()}


def versions(files: Files) -> Files:
    """The last number of each version raised by one: equal ones stay equal, different ones different and in order."""

    def raised(version: bytes) -> bytes:
        found = re.fullmatch(rb"(.*?)(\d+)", version)
        assert found
        return found[1] + str(int(found[2]) + 1).encode().rjust(len(found[2]), b"0")

    found = _collect(files, (_VERSION, _KERNEL_RELEASE))
    return _replace_words(files, {version: raised(version) for version in found}, rb"(?<![\w.])", rb"(?!\w|\.\d)")


def hosts(files: Files) -> Files:
    """Other host names. Plain words are left: they may stand in a message too."""
    names = {
        name
        for name in _collect(files, _HOSTS)
        if len(name) > 3 and re.search(rb"\d", name) and not re.fullmatch(rb"[\d.]+", name)
    }
    mapping = {name: b"hx%02d-gpu" % number for number, name in enumerate(sorted(names))}
    changed = _replace_words(files, mapping, rb"(?<![\w.-])", rb"(?![\w-])")
    renamed = {name.encode().decode("latin-1"): name for name in changed}
    for old, new in mapping.items():
        for key in renamed:
            renamed[key] = renamed[key].replace(old.decode("latin-1"), new.decode())
    return {renamed[name.encode().decode("latin-1")]: data for name, data in changed.items()}


_KERNEL_HEAD = re.compile(rb"^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ kernel: )?\[ *(\d+)\.\d+\] ")
_SYSLOG_HEAD = re.compile(
    rb"^(?:<\d+>)?((?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S* [\w.-]+ )"
    rb"(?=[\w./@-]+(?:\[\d+\])?: )"
)
_KERNEL_NOISE = (
    b"usb 1-3: new high-speed USB device number 7 using xhci_hcd",
    b"IPv6: ADDRCONF(NETDEV_CHANGE): eno2: link becomes ready",
    b'audit: type=1400 audit(1700000000.000:61): apparmor="STATUS" operation="profile_load" name="snap.lxd.hook"',
)
_SYSLOG_NOISE = (
    b"systemd[1]: Started Session 4127 of user ops.",
    b"CRON[30411]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
    b"sshd[30512]: Accepted publickey for ops from 10.0.0.9 port 50122 ssh2: ED25519 SHA256:abc",
)
_PLAIN_NOISE = (
    b"Loading checkpoint shards: done",
    b"INFO: configuration read from config.yaml",
    b"Using seed 1234 for all random number generators",
)


def _noise_before(line: bytes, last: bytes, number: int) -> bytes | None:
    """A harmless line for the gap between two records of a dated log, or None where there may be no gap."""
    here, there = _KERNEL_HEAD.match(line), _KERNEL_HEAD.match(last)
    if here and there:
        return there[0] + _KERNEL_NOISE[number % 3] if int(here[1]) - int(there[1]) >= 2 else None
    head, before = _SYSLOG_HEAD.match(line), _SYSLOG_HEAD.match(last)
    if head and before and not here and head[1] != before[1]:
        return before[1] + _SYSLOG_NOISE[number % 3]
    return None


def _with_noise(data: bytes) -> bytes:
    eol = b"\r\n" if b"\r\n" in data[:4096] else b"\n"
    lines = data.split(eol)
    first = next((line for line in lines if line.strip()), b"")
    dated = _KERNEL_HEAD.match(first) or _SYSLOG_HEAD.match(first)
    out: list[bytes] = []
    if not dated:
        is_data = first.lstrip()[:1] in (b"{", b"[", b"<", b"") or first.count(b",") > 3 or b"," in first.split(b" ")[0]
        return data if is_data else eol.join([*_PLAIN_NOISE, *lines])
    for number, line in enumerate(lines):
        noise = _noise_before(line, lines[number - 1], number) if number else None
        out.extend([noise, line] if noise else [line])
    return eol.join(out)


def noise(files: Files) -> Files:
    """Harmless lines between records: in dated logs where the clock moves on, else before the first line.

    Never after the last line: a line that follows a crash would say that the job went on.
    """
    return {name: _with_noise(data) if _is_text(data) else data for name, data in files.items()}


REWRITES: dict[str, Callable[[Files], Files]] = {
    "pids": pids,
    "addresses": addresses,
    "versions": versions,
    "hosts": hosts,
    "noise": noise,
}
