"""Runs a command within limits. Whatever it does is told, and nothing of it is left running."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_STEP = 0.01  # seconds between two looks at the child at first, more later
_SLOWEST = 0.2
_GRACE = 2.0  # seconds that a killed process may take to end; one that is stuck in a driver never does
_TOKEN = "TRIAGE_CHILD"  # marks the processes of one run, those that left its process group too


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` of wall time; bytes of `memory` that all processes may hold together (on Linux); bytes of `output`."""

    seconds: float = 30.0
    memory: int = 8 << 30
    output: int = 4 << 20


@dataclass(slots=True)
class Ended:
    """How a command ended: its exit `status` (negative: a signal), or beyond which limit it was (`over`).

    `out` and `err` hold the last bytes of what it printed; `processes` those that had to be ended after it.
    """

    status: int
    out: bytes
    err: bytes
    seconds: float
    over: str = ""
    processes: list[int] = field(default_factory=list)


def run(command: Sequence[str], limits: Limits, env: Mapping[str, str] | None = None) -> Ended:
    """Runs a command in an empty folder of its own, with `env` on top of our environment, and waits for its end.

    Raises OSError when it cannot be started, and nothing for what it does.
    """
    began = time.monotonic()
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="triage-", ignore_cleanup_errors=True) as folder:
        files = (Path(folder, "stdout"), Path(folder, "stderr"))
        with files[0].open("wb") as out, files[1].open("wb") as err:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder,
                env={**os.environ, **(env or {}), _TOKEN: token}, **_GROUP,
            )  # fmt: skip
        over = "interrupted"
        try:
            over = _watch(child, limits, files)
        finally:
            left = _end(child, token)
        if child.returncode is None:
            over = f"{over}, and it cannot be ended: it is stuck in the kernel"
        texts = [_tail(file, limits.output) for file in files]
    status = -9 if child.returncode is None else child.returncode
    return Ended(status, texts[0], texts[1], time.monotonic() - began, over, left)


# The child leads a process group (on Windows: can be ended with all its children).
_GROUP: dict[str, Any] = (
    {"start_new_session": True} if os.name == "posix" else {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}
)


def _watch(child: subprocess.Popen[bytes], limits: Limits, files: tuple[Path, Path]) -> str:
    """Waits until the child ends or is beyond a limit, which is then told."""
    until, step = time.monotonic() + limits.seconds, _STEP
    _no_core(child.pid)
    while not _exited(child):
        if time.monotonic() >= until:
            return f"no answer within {limits.seconds:g} s"
        held = sum(size for _, size in _members(child.pid))
        if held > limits.memory:
            return f"it used {held / 2**30:.1f} GiB of memory, more than {limits.memory / 2**30:g} GiB"
        if any(file.stat().st_size > limits.output for file in files):
            return f"it printed more than {limits.output >> 20} MiB"
        time.sleep(min(step, max(0.0, until - time.monotonic())))
        step = min(step * 1.5, _SLOWEST)
    return ""


def _exited(child: subprocess.Popen[bytes]) -> bool:
    """Whether the child has ended. It is not reaped yet, so that nobody else can get its number."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return child.poll() is not None


def _end(child: subprocess.Popen[bytes], token: str) -> list[int]:
    """Ends all that is left of the child: its group, and what left the group. Gives the numbers of those that lived."""
    left = [pid for pid, _ in _members(child.pid) if pid != child.pid]
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):  # nothing is left; macOS says so with EPERM
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
    for _ in range(10):  # one that forks while it is being looked for is found by the next look
        escaped = [pid for pid in _marked(token) if pid != child.pid]
        for pid in escaped:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not escaped:
            break
        left += escaped
        time.sleep(_STEP)
    with suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    return sorted(set(left))


def _numbers() -> Iterator[int]:
    try:
        yield from (int(name) for name in os.listdir("/proc") if name.isdecimal())
    except OSError:
        return


def _members(group: int) -> Iterator[tuple[int, int]]:
    """The processes of a group with the bytes of memory that each holds; none where there is no /proc."""
    for pid in _numbers():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(stat[2]) == group and stat[0] != "Z":
                yield pid, int(stat[21]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            continue


def _marked(token: str) -> Iterator[int]:
    """The processes that inherited the mark of this run."""
    mark = f"{_TOKEN}={token}".encode()
    for pid in _numbers():
        try:
            if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                yield pid
        except OSError:
            continue


def _no_core(pid: int) -> None:
    """A probe that dies on purpose must leave no core file."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


def _tail(file: Path, size: int) -> bytes:
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - size))
        return stream.read(size)
