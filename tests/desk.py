"""A desk with real worker processes for the tests of the doors, and logs for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from triage.serve.desk import Desk, open_desk
from triage.serve.workers import Bounds

XID = "[ 1234.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus."
HEALTHY = "[    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP\n" * 3


@contextmanager
def desk(folder: Path) -> Iterator[Desk]:
    """One worker, history in a new file."""
    made = open_desk(folder / "history.db", workers=1, bounds=Bounds(seconds=20.0))
    try:
        yield made
    finally:
        made.close()
