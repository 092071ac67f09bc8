"""Which operating system a finding was met on, as far as its own lines tell; it decides which steps fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from triage import lazy
from triage.model import Record

System = Literal["linux", "windows", ""]

_LINUX_FORMATS = frozenset({"kernel", "syslog", "nccl", "lspci"})  # NCCL exists for Linux alone
_WINDOWS = lazy.pattern(r"(?:^|[\s\"'(=])[A-Za-z]:[\\/](?![\\/])|\bWinError\b|\(os error 1455\)|(?i:\.(?:dll|sys)\b)")
_LINUX = lazy.pattern(
    r"File \"/|(?:^|[\s\"'(=:])/(?:usr|opt|home|root|lib|lib64|var|tmp|dev|proc|sys|etc)/|\.so(?:\.[0-9]+)*\b"
    r"|\bSIG(?:KILL|BUS|SEGV|ABRT|TERM)\b"
)
_WSL = lazy.pattern(r"(?i)\bWSL[ 2]?|microsoft-standard|/dev/dxg|\bdxgk?\b")
_LENGTH = 20_000  # characters of a record that are looked at


def system_of(records: Iterable[Record]) -> System:
    """The system that these records name; empty where they name none or both, as inside WSL."""
    seen: set[System] = set()
    for record in records:
        text = record.text[:_LENGTH]
        if _WSL.search(text):
            return ""
        if record.format.startswith("windows"):
            seen.add("windows")
        elif record.format in _LINUX_FORMATS:
            seen.add("linux")
        else:
            seen.update(_named(text))
    return seen.pop() if len(seen) == 1 else ""


def _named(text: str) -> list[System]:
    named: list[System] = []
    if _WINDOWS.search(text):
        named.append("windows")
    if _LINUX.search(text):
        named.append("linux")
    return named
