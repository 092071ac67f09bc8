"""Analyses that a page waits for: started at once, asked for while they work."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from triage.serve.desk import Answer
from triage.serve.workers import AnalysisError, Busy

_FORGOTTEN = 600.0  # seconds after its end
_MOST = 500


@dataclass(slots=True)
class Running:
    """One analysis: `answer` or `error` when it is `done`; `read` of `size` bytes until then."""

    id: str
    read: int = 0
    size: int = 0
    answer: Answer | None = None
    error: AnalysisError | None = None
    ended: float = 0.0
    done: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """Analyses by an unguessable id; one that nobody asked for is forgotten some minutes after its end."""

    def __init__(self) -> None:
        self._running: dict[str, Running] = {}
        self._lock = threading.Lock()

    def start(self, work: Callable[[Callable[[int, int], None]], Answer], last: Callable[[], Any]) -> Running:
        """Runs `work` in a thread of its own and then `last`, whatever happened."""
        job = Running(secrets.token_urlsafe(18))
        with self._lock:
            now = time.monotonic()
            self._running = {
                id: one for id, one in self._running.items() if not one.ended or now - one.ended < _FORGOTTEN
            }
            if len(self._running) >= _MOST:
                raise Busy("too many logs are being analysed: try again in a minute")
            self._running[job.id] = job

        def step(read: int, size: int) -> None:
            job.read, job.size = read, size

        def run() -> None:
            try:
                job.answer = work(step)
            except AnalysisError as error:
                job.error = error
            except Exception as error:
                job.error = AnalysisError(f"internal error ({type(error).__name__}); please report it")
            finally:
                job.ended = time.monotonic()
                job.done.set()
                last()

        threading.Thread(target=run, daemon=True, name=f"job-{job.id[:6]}").start()
        return job

    def get(self, id: str) -> Running | None:
        """The job, while it is known."""
        return self._running.get(id)
