"""Who held the memory: reports of the kernel's killer, and the arithmetic of PyTorch's message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import oom, torch_oom

KILLED = (
    "Memory cgroup out of memory: Killed process 1924 (python3) total-vm:327730488kB, anon-rss:2747084kB, file-rss:330520kB, "
    "shmem-rss:20480000kB, UID:0 pgtables:7204kB oom_score_adj:0"
)
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


def test_the_victim_and_its_shared_memory() -> None:
    told = oom.explain([KILLED, "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=python3,pid=1924,uid=0"], {})
    assert told[0] == "The victim python3 (pid 1924) held 2.62 GiB of its own and 19.53 GiB of shared memory."
    assert told[1].startswith("Most of it is shared memory")
    assert told[2].startswith("CONSTRAINT_MEMCG means: the limit of a control group")


def test_old_lines_and_limits() -> None:
    old = "Killed process 4182 (java) total-vm:4kB, anon-rss:2048kB, file-rss:0kB"
    assert oom.explain([old], {}) == ["The victim java (pid 4182) held 2.00 MiB of its own."]
    told = oom.explain(["memory: usage 67108864kB, limit 67108864kB, failcnt 1200"], {})
    assert told == ["The group used 64.00 GiB of its limit of 64.00 GiB."]


@given(st.integers(0, 2**49), st.integers(0, 2**49), st.integers(0, 2**40))
def test_sizes_come_back_whole(anonymous: int, shared: int, pid: int) -> None:
    line = (
        f"Killed process {pid % 2**31} (a b) total-vm:1kB, anon-rss:{anonymous}kB, file-rss:0kB, shmem-rss:{shared}kB"
    )
    found = oom.victim(line)
    assert found is not None
    assert (found.anonymous, found.shared, found.name) == (1024 * anonymous, 1024 * shared, "a b")


@given(st.text())
def test_never_raises(text: str) -> None:
    oom.explain([text, KILLED + text, text + KILLED], {})
    torch_oom.explain([text, NEW + text, NEW.replace("8.00", text), OLD.replace("GiB free", text)], {})


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


@given(*[st.sampled_from(["0 bytes", "1024.00 KiB", "3.50 GiB", "999999999999 EiB", "1.2.3 GiB", "139.80 GiB"])] * 6)
def test_no_number_is_too_strange(asked: str, total: str, free: str, live: str, idle: str, allowed: str) -> None:
    text = (
        f"CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of {total} of which {free} is free. {allowed} "
        f"allowed; Of the allocated memory {live} is allocated by PyTorch, and {idle} is reserved by PyTorch but unallocated."
    )
    assert all(torch_oom.explain([text], {}))
