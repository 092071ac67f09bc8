"""Writes the state of GPUs and host as a compact time series (format: triage/formats/watch.py).

The stability protocol: start it, run the load for days, analyse the file. Each line is on the disk at once, so that it
is there after a crash.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from triage.collect.deviation import Deviation, Watcher
from triage.formats.watch import GPU_COLUMNS, HEAD, HOST_COLUMNS
from triage.recheck import runner
from triage.recheck.child import Limits

_SAMPLE = Path(__file__).with_name("sample.py")
_SLOWEST = 30.0  # seconds for one sample


def rows(sample: Mapping[str, Any], found: list[Deviation], now: str) -> list[str]:
    """The lines of one sample: one for each GPU, one for the host, one for each deviation."""
    lines = [_row(now, "host", sample.get("host") or {}, HOST_COLUMNS)]
    for gpu in sample.get("gpus", ()):
        if "error" not in gpu:
            lines.append(_row(now, str(gpu["pci"]), gpu, GPU_COLUMNS))
    lines += [f"{now} watch: {one.where} {one.what}: {one.now}, before {one.before}" for one in found]
    return lines


def _row(now: str, where: str, values: Mapping[str, Any], columns: tuple[str, ...]) -> str:
    return ",".join([now, where, *("" if values.get(name) is None else str(values[name]) for name in columns)])


def watch(target: Path, python: str, seconds: float, every: float, say: Callable[[Deviation], None]) -> int:
    """Samples for `seconds`, one sample each `every` seconds, into `target` (appended to); gives how many.

    `say` gets each deviation at once. A sample that cannot be taken is itself a deviation, but not where what it needs
    was never here: raises LookupError. Raises OSError when the file cannot be written.
    """
    watcher, count = Watcher(), 0
    due = time.monotonic()
    until = due + seconds
    done = runner.run(_SAMPLE, {}, python, Limits(_SLOWEST))
    if done.reading is None and done.absent:
        raise LookupError(done.reason)
    with target.open("a", encoding="utf-8") as file:
        _write(file, [f"{HEAD} gpu:{','.join(GPU_COLUMNS)} host:{','.join(HOST_COLUMNS)}"])
        while True:
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if done.reading is None:
                found = watcher.miss(done.reason)
                _write(file, rows({}, found, now))
            else:
                found = watcher.take(done.reading)
                _write(file, rows(done.reading, found, now))
            count += 1
            for one in found:
                say(one)
            due += every
            if due >= until:
                return count
            time.sleep(max(0.0, due - time.monotonic()))
            done = runner.run(_SAMPLE, {}, python, Limits(_SLOWEST))


def _write(file: TextIO, lines: list[str]) -> None:
    file.write("\n".join(lines) + "\n")
    file.flush()
    os.fsync(file.fileno())
