from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

pytest.importorskip("sqlalchemy")

from triage.serve.desk import Answer
from triage.serve.jobs import Jobs
from triage.serve.workers import AnalysisError, TooSlow

ANSWER = Answer({}, None, None)


def test_a_job_tells_its_progress_and_then_its_answer() -> None:
    jobs, go, cleaned = Jobs(), threading.Event(), threading.Event()

    def work(step: Callable[[int, int], None]) -> Answer:
        step(5, 10)
        go.wait(10)
        return ANSWER

    job = jobs.start(work, cleaned.set)
    assert jobs.get(job.id) is job
    go.set()
    assert job.done.wait(10)
    assert (job.read, job.size, job.answer, job.error) == (5, 10, ANSWER, None)
    assert cleaned.wait(10)


@pytest.mark.parametrize(("raised", "says"), [(TooSlow("too slow"), "too slow"), (ValueError("a secret"), "internal error")])
def test_what_went_wrong_is_kept_for_the_sender(raised: Exception, says: str) -> None:
    def work(_step: Callable[[int, int], None]) -> Answer:
        raise raised

    job = Jobs().start(work, lambda: None)
    assert job.done.wait(10)
    assert isinstance(job.error, AnalysisError)
    assert says in str(job.error)
    assert "secret" not in str(job.error)


def test_nobody_guesses_a_job() -> None:
    jobs = Jobs()
    ids = {jobs.start(lambda _step: ANSWER, lambda: None).id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(id) >= 22 for id in ids)
    assert jobs.get("nothing") is None
