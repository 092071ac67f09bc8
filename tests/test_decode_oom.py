"""Who held the memory: reports of the kernel's killer, and the arithmetic of PyTorch's message."""

from __future__ import annotations

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


@given(*[st.sampled_from(["0 bytes", "1024.00 KiB", "3.50 GiB", "999999999999 EiB", "1.2.3 GiB", "139.80 GiB"])] * 6)
def test_no_number_is_too_strange(asked: str, total: str, free: str, live: str, idle: str, allowed: str) -> None:
    text = (
        f"CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of {total} of which {free} is free. {allowed} "
        f"allowed; Of the allocated memory {live} is allocated by PyTorch, and {idle} is reserved by PyTorch but unallocated."
    )
    assert all(torch_oom.explain([text], {}))
