from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.work import work
from triage.serve.workers import AnalysisError, Bounds, Busy, Job, TooLarge, TooSlow, Workers


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers(work, 1, Bounds(seconds=3.0, memory=700 << 20, waiting=1, logs=3))
    made.run(Job(text="warm"))
    yield made
    made.close()


def test_many_logs_share_one_process_until_it_is_replaced(workers: Workers) -> None:
    pids = [workers.run(Job(text="pid")) for _ in range(3)]
    assert pids[0] == pids[1] != pids[2]


def test_progress_is_told_while_it_works(workers: Workers) -> None:
    seen: list[tuple[int, int]] = []
    assert workers.run(Job(text="steps"), lambda done, size: seen.append((done, size))) == "done"
    assert seen == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("said", ["hang", "spin"])
def test_what_takes_too_long_is_stopped(workers: Workers, said: str) -> None:
    began = time.monotonic()
    with pytest.raises(TooSlow, match="longer than 3 s: send the part"):
        workers.run(Job(text=said))
    assert time.monotonic() - began < 15
    assert workers.run(Job(text="still here")) == "still here"


@pytest.mark.parametrize("said", ["eat", "die"])
def test_a_dead_worker_is_the_answer_for_its_log_alone(workers: Workers, said: str) -> None:
    with pytest.raises(TooLarge, match="died"):
        workers.run(Job(text=said))
    assert workers.run(Job(text="still here")) == "still here"


def test_an_internal_error_tells_nothing_of_the_log(workers: Workers) -> None:
    with pytest.raises(AnalysisError, match=r"internal error in the analysis \(ValueError\)") as told:
        workers.run(Job(text="raise"))
    assert "secret" not in str(told.value)
    assert workers.run(Job(text="still here")) == "still here"


def test_a_full_waiting_room_says_so_at_once(workers: Workers) -> None:
    started = threading.Barrier(3)

    def hang() -> None:
        started.wait()
        with pytest.raises(TooSlow):
            workers.run(Job(text="hang"))

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(hang) for _ in range(2)]
        started.wait()
        time.sleep(0.5)
        with pytest.raises(Busy, match="try again"):
            workers.run(Job(text="x"))
        for job in jobs:
            job.result(60)
    assert workers.pending == 0
