"""A report that is right, for tests that break one thing of it."""

from __future__ import annotations

from pathlib import Path

from triage.library.loader import load_library
from triage.redact import Redactor
from triage.reports.check import Checker
from triage.reports.checks.base import KEPT, Subject
from triage.reports.config import Config
from triage.reports.document import parse
from triage.reports.problem import Problem

RIGHT = """---
id: 2026-03-14-xid-79
date: 2026-03-14
status: reviewed
severity: fatal
signature: xid-79
playbook: gpu-off-the-bus
hosts: [node07]
versions: {driver: 580.159.04}
recheck: gpu-present confirmed that it is back
started: 2026-03-14T09:57:00+01:00
ended: 2026-03-14T11:30:00+01:00
timezone: "+01:00"
---

# node07 lost a GPU

## Summary

The first error was an Xid 79.

## Impact

One job.

## Timeline

- 09:57 first error

## Root cause

The card left the bus.

```log title="dmesg.txt"
Mar 14 09:57:01 node07 kernel: NVRM: GPU at PCI:0000:3b:00: GPU-8e6f9a52-1234-5678-9abc-def012345678
Mar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.
```

## Resolution

The node was powered off and on.

## Actions

- [x] Alert on the first corrected error
"""
LOG_LINE = next(n for n, line in enumerate(RIGHT.split("\n"), 1) if "Xid (PCI" in line)


def problems(text: str, folder: Path, name: str = "incidents/report.md") -> list[Problem]:
    """All problems of a report with this text, checked as a file below `folder`."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return Checker(key=b"k").check(path).problems


def codes(text: str, folder: Path) -> list[str]:
    """The codes found, without the hint that an analysis block could be inserted."""
    return [problem.code for problem in problems(text, folder) if problem.code != "TRI061"]


def subject(text: str, folder: Path) -> Subject:
    """What a check sees."""
    return Subject(parse(text, "report.md"), Config(folder), load_library(), Redactor(b"k", KEPT), folder)
