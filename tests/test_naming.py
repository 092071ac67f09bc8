"""Names of files that tell node, pod and rank once other files prove it."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage.model import Finding
from triage.pipeline import analyze

ERROR = (
    "Traceback (most recent call last):\n"
    '  File "/w/data.py", line 12, in __next__\n'
    "    return self.shards[i]\n"
    "IndexError: list index out of range\n"
)
DESCRIBED = """\
Name:             llama-worker-2
Namespace:        research
Node:             gpu-07/10.4.0.17
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Finished:     Mon, 05 May 2031 12:01:58 +0000
"""


def joined(rank: int, host: str = "node05") -> str:
    return (
        f"{host}:400{rank}:400{rank} [0] NCCL INFO ncclCommInitRankConfig comm 0x55d rank {rank} nranks 8 cudaDev 0 nvmlDev 0"
        f" busId {rank + 1}8000 commId 0x1f2e - Init COMPLETE\n"
    )


def cause(folder: Path, files: dict[str, str]) -> Finding:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return analyze([folder]).findings[0]


@pytest.mark.parametrize(
    ("pattern", "shift"), [("log-9123-node05-{}.out", 0), ("out/{}.txt", 0), ("train_{}.err", 1), ("{}/stderr", 0)]
)
def test_a_number_that_is_the_rank_of_others_is_the_rank(tmp_path: Path, pattern: str, shift: int) -> None:
    files = {pattern.format(n + shift): joined(n) for n in (0, 1, 3)} | {pattern.format(2 + shift): ERROR}
    found = cause(tmp_path, files)
    assert (found.id, found.entities.get("rank")) == ("python-exception", 2)


@pytest.mark.parametrize(
    "ranks",
    [
        {"a-0.out": 0},  # one file proves nothing
        {"a-0.out": 3, "a-1.out": 1},  # they contradict
        {"a-0.out": 5, "a-1.out": 5},  # the number is not what differs
        {"a-0.out": 0, "a-1.out": 8},  # nodes of eight ranks
    ],
)
def test_a_number_that_nobody_proves_is_none(tmp_path: Path, ranks: dict[str, int]) -> None:
    found = cause(tmp_path, {name: joined(rank) for name, rank in ranks.items()} | {"a-2.out": ERROR})
    assert "rank" not in found.entities


def test_a_log_of_many_ranks_is_not_that_of_one(tmp_path: Path) -> None:
    files = {"a-0.out": joined(0) + joined(1), "a-1.out": joined(1), "a-2.out": ERROR, "a-3.out": joined(3)}
    assert "rank" not in cause(tmp_path, files).entities


def test_a_host_of_another_log_is_that_of_the_file_named_like_it(tmp_path: Path) -> None:
    files = {"rank0.log": joined(0, "gpu-07") + joined(1, "gpu-08"), "job.gpu-08.err": ERROR}
    assert cause(tmp_path, files).entities["host"] == "gpu-08"


def test_a_host_name_inside_of_a_longer_word_is_none(tmp_path: Path) -> None:
    files = {"rank0.log": joined(0, "gpu-07"), "job.gpu-071.err": ERROR, "xgpu-07.err": ""}
    assert "host" not in cause(tmp_path, files).entities


def test_lines_that_name_their_host_win(tmp_path: Path) -> None:
    files = {"rank0.log": joined(0, "gpu-07"), "gpu-07.err": f"srun: error: gpu-08: task 3: Exited with exit code 1\n{ERROR}"}
    assert cause(tmp_path, files).entities.get("host") != "gpu-07"


def test_the_file_hostname_names_its_machine(tmp_path: Path) -> None:
    xid = "[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"
    files = {"sosreport-a17-2031-05-05-abc/hostname": "a17\n", "sosreport-a17-2031-05-05-abc/sos_commands/kernel/dmesg": xid}
    assert cause(tmp_path, files).entities["host"] == "a17"


def test_what_is_told_of_a_pod_joins_what_its_node_tells(tmp_path: Path) -> None:
    killed = "2031-05-05T12:01:57+00:00 gpu-07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"
    job = (
        "2031-05-05T12:01:58.900000001Z llama-worker-2:31:90 [3] NCCL WARN Cuda failure 'unspecified launch failure'\n"
    )
    files = {"pod.txt": DESCRIBED, "llama-worker-2.log": job, "kern.log": killed}
    found = cause(tmp_path, files)
    assert (found.id, found.entities["host"]) == ("xid-79", "gpu-07")
    assert "cuda-launch-failure" in found.explains or "nccl-unhandled-cuda" in found.explains


def test_a_log_named_like_its_pod_is_of_that_node(tmp_path: Path) -> None:
    found = cause(tmp_path, {"pod.txt": DESCRIBED, "llama-worker-2.log": ERROR})
    assert (found.entities["pod"], found.entities["host"]) == ("llama-worker-2", "gpu-07")


RING = "[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"


@pytest.mark.parametrize(
    ("names", "hosts"),
    [
        (("g07/dmesg.txt", "g08/dmesg.txt"), ["g07", "g08"]),
        (("gpu-07.dmesg", "gpu-08.dmesg"), ["gpu-07", "gpu-08"]),
        (("dmesg-cn12.txt", "dmesg-cn13.txt"), ["cn12", "cn13"]),
        (("run1/dmesg.txt", "run2/dmesg.txt"), []),
        (("dmesg.1", "dmesg.2"), []),
        (("dmesg1.txt", "dmesg2.txt"), []),
        (("g07/boot1.txt", "g08/boot2.txt"), []),  # two numbers differ
        (("nvidia-bug-report-1.log", "nvidia-bug-report-2.log"), []),
    ],
)
def test_kernel_rings_of_numbered_machines_are_of_different_hosts(tmp_path: Path, names: tuple[str, str], hosts: list[str]) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(RING)
    found = analyze([tmp_path])
    assert sorted(str(f.entities["host"]) for f in [*found.findings, *found.earlier] if "host" in f.entities) == hosts
