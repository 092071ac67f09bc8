"""Work for worker processes that goes wrong in each way a hostile log can make it go."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from triage.serve.workers import Job, Progress


def work(job: Job, progress: Progress) -> Any:
    said = job.text or ""
    if said == "pid":
        return os.getpid()
    if said == "steps":
        for at in range(3):
            progress(at, 2)
        return "done"
    if said == "hang":
        time.sleep(60)
    if said == "spin":
        while True:
            pass
    if said == "raise":
        raise ValueError("a secret of the log")
    if said == "eat":
        bytearray(4 << 30)
    if said == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    return said
