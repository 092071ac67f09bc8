"""Runs a probe in a child process: a reading, or the reason why there is none."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from triage.recheck import child
from triage.recheck.child import Limits

_REASON = 300  # characters of a reason
# Set for every probe: nothing is imported from its working folder, a crash tells where.
_ALWAYS = {"PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8", "PYTHONFAULTHANDLER": "1"}


@dataclass(slots=True)
class Run:
    """What came of a run: a reading, or the reason why there is none. `absent`: a module or library is not here."""

    reading: dict[str, Any] | None
    seconds: float
    reason: str = ""
    absent: bool = False
    processes: list[int] = field(default_factory=list)  # that had to be ended after it


def run(
    path: Path, wanted: Mapping[str, Any], python: str, limits: Limits, env: Mapping[str, str] | None = None
) -> Run:
    """Runs the probe in `path` by the interpreter `python` and waits for the one JSON object that it prints last.

    `env` is added to our own environment. Never raises for what the child does.
    """
    began = time.monotonic()
    try:
        told = {**_ALWAYS, **_lending(), **(env or {})}
        done = child.run([python, str(path), json.dumps(dict(wanted))], limits, told)
    except OSError as error:
        return Run(None, time.monotonic() - began, f"{python} could not be started: {error.strerror or error}")
    if done.over:
        return Run(None, done.seconds, done.over, processes=done.processes)
    if done.status:
        return Run(None, done.seconds, *_failure(done.status, done.err.decode("utf-8", "replace")), done.processes)
    text = done.out.decode("utf-8", "replace")
    reading = _reading(text)
    if reading is None:
        said = text.strip().splitlines()[-1:] or ["nothing"]
        return Run(None, done.seconds, f"the probe printed no reading but {said[0][:80]!r}", processes=done.processes)
    return Run(reading, done.seconds, processes=done.processes)


def _lending() -> dict[str, str]:
    """Our own `pynvml`, one pure Python file, is lent to an interpreter that has none."""
    folder = _lent()
    return {"PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), folder)))} if folder else {}


@cache
def _lent() -> str:
    """A folder that holds nothing but our `pynvml`; empty without one."""
    spec = find_spec("pynvml")
    if spec is None or not spec.origin or not spec.origin.endswith("pynvml.py"):
        return ""
    folder = tempfile.mkdtemp(prefix="triage-nvml-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copy(spec.origin, folder)
    return folder


def _reading(text: str) -> dict[str, Any] | None:
    """The JSON object on the last line that is not empty."""
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _failure(status: int, errors: str) -> tuple[str, bool]:
    """Why the child failed, and whether it is only that something is not installed."""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"the probe was ended by {name}", False
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    last = lines[-1].strip()[:_REASON] if lines else f"exit status {status}"
    for module, package in (("torch", "PyTorch"), ("pynvml", "pynvml (package nvidia-ml-py)")):
        if last == f"ModuleNotFoundError: No module named '{module}'":
            return f"{package} is not in this interpreter", True
    if "NVMLError_LibraryNotFound" in last or "NVML Shared Library Not Found" in last:
        return "no NVIDIA driver: its library NVML is not on this machine", True
    return f"the probe failed: {last}", False
