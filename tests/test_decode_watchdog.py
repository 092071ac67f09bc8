"""What the watchdog of PyTorch says of a collective."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import watchdog

NEW = (
    "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6, OpType=ALLREDUCE, NumelIn=1048576, "
    "NumelOut=1048576, Timeout(ms)=25000) ran for 25054 milliseconds before timing out."
)
OLD = (
    "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, TensorShape=[1], "
    "Timeout(ms)=1800000) ran for 1804406 milliseconds before timing out."
)
STATE = "failure detected by watchdog at work sequence id: 6 PG status: last enqueued work: {}, last completed work: {}"


def test_a_collective_in_words() -> None:
    assert watchdog.explain([NEW], {}) == [
        "An all-reduce of 1,048,576 values, number 6 of its process group, was given 25 seconds and had run for 25 seconds."
    ]
    assert watchdog.explain([OLD], {}) == ["An all-reduce was given 30 minutes and had run for 1804 seconds."]


def test_a_barrier_is_no_matter_of_bandwidth() -> None:
    told = watchdog.explain([NEW.replace("NumelIn=1048576", "NumelIn=1")], {})
    assert "single value" in told[1]


@pytest.mark.parametrize(
    ("enqueued", "completed", "words"),
    [
        (6, 5, "completed number 5 and started number 6: one waits."),
        (532341, 532338, "started number 532341: 3 wait."),
        (12, 12, "up to number 12: it waits for none."),
        (1, -1, "up to number 1 and completed none of it."),
    ],
)
def test_how_far_the_rank_came(enqueued: int, completed: int, words: str) -> None:
    assert watchdog.explain([STATE.format(enqueued, completed)], {})[0].endswith(words)


def test_an_unknown_operation_is_named() -> None:
    told = watchdog.explain([NEW.replace("ALLREDUCE", "ALLMAGIC")], {})[0]
    assert told.startswith("The operation ALLMAGIC (not in the table) of")


@given(st.integers(0, 10**12))
def test_durations_keep_their_size(milliseconds: int) -> None:
    number, unit = watchdog.lasting(milliseconds).split()
    size = {"ms": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000}[
        unit.removesuffix("s") if unit != "ms" else unit
    ]
    assert abs(int(number) * size - milliseconds) <= 500


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.text(max_size=80))
def test_never_raises(seq: int, limit: int, ran: int, noise: str) -> None:
    text = f"{noise} WorkNCCL(SeqNum={seq}, OpType=BROADCAST, NumelIn=4, NumelOut=4, Timeout(ms)={limit}) ran for {ran} milliseconds"
    assert len(watchdog.explain([noise, text], {})) >= 1
