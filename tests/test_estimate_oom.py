"""What would have fitted, from the numbers of real messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import torch_oom
from triage.estimate.oom import Failure, max_memory, room
from triage.estimate.quantities import GIB, Unsuitable

# A provoked message of a training step on an H200 (fixtures/py-oom-training), in GiB.
STEP = Failure(4 * GIB, 989.12 * 2**20, 139.80 * GIB, 137.07 * GIB, 1.03 * GIB)


def test_what_this_process_can_have_is_all_but_context_and_others():
    text = (
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 989.12 MiB is free. "
        "Including non-PyTorch memory, this process has 138.83 GiB memory in use. Of the allocated memory 137.07 GiB is allocated "
        "by PyTorch, and 1.03 GiB is reserved by PyTorch but unallocated."
    )
    known = torch_oom.read(text)
    assert known is not None
    assert room(STEP).usable_bytes == pytest.approx(known.total - known.outside - known.others, abs=0.02 * GIB)


def test_the_batch_that_fits_at_most():
    found = room(Failure(4 * GIB, 989.12 * 2**20, 139.80 * GIB, 137.07 * GIB, 1.03 * GIB, batch=65536))
    assert found.lacking_bytes / GIB == pytest.approx(2.004, abs=0.01)
    assert found.batch_percent == pytest.approx(98.58, abs=0.01)
    assert found.largest_batch == 64604
    assert "at most 64604" in found.answer


def test_what_does_not_grow_leaves_less_for_the_batch():
    free, fixed = room(STEP), room(Failure(4 * GIB, 989.12 * 2**20, 139.80 * GIB, 137.07 * GIB, 1.03 * GIB, fixed_bytes=100 * GIB))
    assert fixed.batch_percent == pytest.approx(100 * 39.07 / 41.07, abs=0.1)
    assert fixed.batch_percent < free.batch_percent
    with pytest.raises(Unsuitable, match="number of parameters"):
        Failure(GIB, GIB, 24 * GIB, 2 * GIB, fixed_bytes=3 * GIB)


def test_one_request_above_the_card_is_not_a_matter_of_the_batch():
    found = room(Failure(300 * GIB, 139.29 * GIB, 139.80 * GIB))
    assert (found.batch_percent, found.max_memory) == (None, "")
    assert found.request_percent == pytest.approx(46.4, abs=0.1)
    assert "must shrink first" in found.answer


def test_fragments_are_no_matter_of_the_batch_either():
    found = room(Failure(20 * GIB, 9.29 * GIB, 139.80 * GIB, 5.20 * GIB, 124.8 * GIB))
    assert found.batch_percent is None
    assert "fragmentation" in found.answer


def test_a_limit_of_the_process_counts():
    found = room(Failure(4 * GIB, 135.29 * GIB, 139.80 * GIB, 4 * GIB, allowed_bytes=6.99 * GIB))
    assert found.usable_bytes == 6.99 * GIB
    assert found.batch_percent == pytest.approx(100 * 6.99 / 8)


def test_max_memory():
    assert max_memory(24 * GIB - 2.5 * GIB) == '{0: "21GiB"}'
    assert max_memory(21.1 * GIB, 3) == '{0: "21GiB", 1: "21GiB", 2: "21GiB"}'
    assert max_memory(0.4 * GIB) == ""
    assert room(STEP).max_memory == '{0: "133GiB"}'  # 139.8 - 2.5 - the request


@given(*[st.floats(0.01, 200) for _ in range(3)], st.floats(0, 200), st.integers(1, 10**6))
def test_the_answer_is_an_upper_bound_that_fits(requested, free, allocated, idle, batch):
    total = free + allocated + idle + 1
    found = room(Failure(*(x * GIB for x in (requested, free, total, allocated, idle)), batch=batch))
    assert found.answer
    if found.batch_percent is not None:
        assert 0 <= found.batch_percent <= 100
        assert 0 <= found.largest_batch <= batch
        needed = found.needed_bytes * found.largest_batch / batch
        assert needed <= found.usable_bytes * (1 + 1e-9)
