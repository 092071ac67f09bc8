"""The arithmetic of PyTorch's message: who held the memory of the GPU."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import torch_oom

NEW = (
    "CUDA out of memory. Tried to allocate 8.00 GiB. GPU 1 has a total capacity of 139.80 GiB of which 2.37 GiB is free. "
    "Including non-PyTorch memory, this process has 137.42 GiB memory in use. Of the allocated memory 136.00 GiB is allocated "
    "by PyTorch, and 1024.00 KiB is reserved by PyTorch but unallocated."
)
OLD = (
    "CUDA out of memory. Tried to allocate 2.93 GiB (GPU 5; 23.80 GiB total capacity; 12.04 GiB already allocated; "
    "2.82 GiB free; 19.69 GiB reserved in total by PyTorch)"
)
GIB = 2**30


def test_new_messages_name_every_holder() -> None:
    assert torch_oom.explain([NEW], {}) == [
        "It asked for 8.00 GiB; 2.37 GiB of 139.8 GiB are free, 5.63 GiB too little.",
        "Held: 136.0 GiB in live tensors of this process; 1.00 MiB cached by it without use; "
        "1.42 GiB of it outside PyTorch (CUDA context, libraries).",
        "If the batch is what grew, at most 96 % of it would have fitted; weights of at most 129.3 GiB (max_memory) leave "
        "room for this request.",
    ]


def test_old_messages_do_not_tell_others_from_the_context() -> None:
    told = torch_oom.explain([OLD], {})
    assert "1.29 GiB by its CUDA context and libraries or by other processes (not told apart)" in told[1]
    assert told[2].startswith("Free and cached memory together would be enough")


def test_a_lone_process_is_this_one_where_two_have_no_room() -> None:
    text = (
        "CUDA out of memory. Tried to allocate 9.28 GiB. GPU 1 has a total capacity of 79.10 GiB of which 6.02 GiB is free. "
        "Process 3388211 has 73.07 GiB memory in use. Of the allocated memory 69.80 GiB is allocated by PyTorch, and 512.31 MiB "
        "is reserved by PyTorch but unallocated."
    )
    found = torch_oom.read(text)
    assert found is not None
    assert found.own == pytest.approx(73.07 * GIB)
    assert found.others == pytest.approx(0, abs=0.02 * GIB)
    other = torch_oom.read(text.replace("69.80 GiB is allocated", "1.00 GiB is allocated").replace("73.07", "60.00"))
    assert other is not None
    assert other.own is None
    assert other.others == pytest.approx(60 * GIB)


def test_requests_beyond_the_device_and_limits() -> None:
    assert "more than the whole GPU has" in torch_oom.explain([NEW.replace("8.00 GiB.", "300.00 GiB.")], {})[0]
    limited = NEW.replace("in use. Of", "in use. 6.99 GiB allowed; Of")
    assert torch_oom.explain([limited], {})[0].startswith("The process may use 6.99 GiB of 139.8 GiB")


@given(st.floats(0.01, 400), st.floats(0.01, 400), st.floats(0, 400))
def test_the_lack_is_the_difference(asked: float, free: float, total: float) -> None:
    text = (
        f"CUDA out of memory. Tried to allocate {asked:.2f} GiB. GPU 0 has a total capacity of {total:.2f} GiB of which "
        f"{free:.2f} GiB is free."
    )
    found = torch_oom.read(text)
    assert found is not None
    assert found.asked == pytest.approx(asked * GIB, abs=0.006 * GIB)
    assert found.free == pytest.approx(free * GIB, abs=0.006 * GIB)
    assert found.own is None
    assert torch_oom.explain([text], {})
