"""Processes that analyse, so that one hostile log cannot stop the service.

Each holds a loaded library, works on one log at a time within limits of time and memory, and is replaced after a
number of logs. A worker that is killed, hangs or runs out of memory is an answer for that log alone.
(The standard library's pool breaks as a whole when one of its processes dies.)
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

_SPAWN = multiprocessing.get_context("spawn")  # a forked server would hand its sockets and locks to the analysis
_POLL = 0.5  # seconds between looks at a silent worker
_START = 60.0  # seconds for a worker to load the library

Progress = Callable[[int, int], None]
Work = Callable[["Job", Progress], Any]


class AnalysisError(Exception):
    """A log could not be analysed; the message is for the person who sent it. `status` is that of HTTP."""

    status = 500


class Unusable(AnalysisError):
    status = 422


class TooSlow(AnalysisError):
    status = 422


class TooLarge(AnalysisError):
    status = 422


class Busy(AnalysisError):
    status = 503


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker gets: a text, or paths of files with the names that people gave them."""

    text: str | None = None
    paths: tuple[str, ...] = ()
    zone: float | None = None
    salt: str = ""  # of the pseudonyms; empty: nothing is redacted


@dataclass(frozen=True, slots=True)
class Bounds:
    """`seconds` and `memory` (bytes, 0: not limited) for one log, `waiting` logs at most before the door is shut."""

    seconds: float = 60.0
    memory: int = 2 << 30
    waiting: int = 100
    logs: int = 200  # of one process before it is replaced


class Workers:
    """`count` processes, each of which calls `warm` before its first log. `run` may be called from any thread."""

    def __init__(
        self, work: Work, count: int, bounds: Bounds | None = None, warm: Callable[[], object] | None = None
    ) -> None:
        self.bounds = bounds or Bounds()
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._all = [_Worker(work, warm, self.bounds) for _ in range(count)]
        for worker in self._all:
            self._idle.put(worker)
        self._lock = threading.Lock()
        self._pending = 0

    @property
    def most(self) -> int:
        """How many callers of `run` there can be at once; one more is told to come back."""
        return self.bounds.waiting + len(self._all)

    @property
    def pending(self) -> int:
        """How many logs are waited for."""
        return self._pending

    def run(self, job: Job, progress: Progress | None = None) -> Any:
        """What `work` gives for a job. Raises `AnalysisError` with a message for the sender."""
        with self._lock:
            if self._pending >= self.most:
                raise Busy("too many logs are being analysed: try again in a minute")
            self._pending += 1
        try:
            worker = self._idle.get()
            try:
                return worker.run(job, progress)
            finally:
                self._idle.put(worker)
        finally:
            with self._lock:
                self._pending -= 1

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._all:
            worker.end()


class _Worker:
    """One process and the pipe to it; started at once, restarted when it is gone."""

    def __init__(self, work: Work, warm: Callable[[], object] | None, bounds: Bounds) -> None:
        self._life, self._bounds = (work, warm, bounds.memory), bounds
        self._start()

    def _start(self) -> None:
        self._logs = 0
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(
            target=_serve, args=(theirs, *self._life), daemon=True, name="triage-worker"
        )
        self._process.start()
        theirs.close()

    def run(self, job: Job, progress: Progress | None) -> Any:
        if self._logs >= self._bounds.logs or not self._process.is_alive():
            self.end()
            self._start()
        self._logs += 1
        try:
            if self._logs == 1:
                self._answer(None, _START)
            self._pipe.send(job)
            return self._answer(progress, self._bounds.seconds)
        except (EOFError, OSError) as error:
            self._process.join(1.0)
            code = self._process.exitcode
            self.end()
            self._start()
            raise TooLarge(
                f"the analysis of this log died (exit code {code}), most likely at its memory limit of "
                f"{self._bounds.memory >> 20} MiB: send the part around the failure"
            ) from error

    def _answer(self, progress: Progress | None, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while True:
            if not self._pipe.poll(min(_POLL, max(0.0, until - time.monotonic()))):
                if time.monotonic() < until:
                    continue
                self.end()
                self._start()
                raise TooSlow(
                    f"the analysis took longer than {seconds:.0f} s: send the part around the failure"
                )
            kind, value = self._pipe.recv()
            if kind == "progress":
                if progress is not None:
                    progress(*value)
            elif kind == "done":
                return value
            else:
                raise AnalysisError(f"internal error in the analysis ({value}); please report it")

    def end(self) -> None:
        self._process.kill()
        self._process.join(5.0)
        self._pipe.close()


def _serve(pipe: Connection, work: Work, warm: Callable[[], object] | None, memory: int) -> None:
    """The life of a worker process."""
    _limit(memory)
    if warm is not None:
        warm()
    pipe.send(("done", None))

    def progress(done: int, size: int) -> None:
        pipe.send(("progress", (done, size)))

    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            job = pipe.recv()
            try:
                answer = ("done", work(job, progress))
            except MemoryError:
                return  # the process may hold anything now; the parent reads a closed pipe
            except Exception as error:
                answer = ("failed", f"{type(error).__name__}")
            pipe.send(answer)


def _limit(memory: int) -> None:
    """Address space of this process, where the system can limit it."""
    if not memory:
        return
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
