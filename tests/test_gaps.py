"""What is not there and should be, and when that is told."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from bug_report import sections, write

from triage.model import Report
from triage.pipeline import analyze, analyze_text

NOON = datetime(2031, 5, 2, 12, 0, 0)
KILLED = "E0502 12:01:58.880000 17 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -9) local_rank: 3 (pid: 34) of binary: /usr/bin/python3\n"
NODE = "Name:   trainer-3\nNode:   gpu-07/10.4.0.17\n    Last State:  Terminated\n      Reason:    Error\n      Exit Code: 137\n      Finished:  Fri, 02 May 2031 12:01:58 +0000\n"


def joined(rank: int, size: int) -> str:
    return (
        f"node05:400{rank}:400{rank} [0] NCCL INFO ncclCommInitRankConfig comm 0x55d rank {rank} nranks {size} cudaDev 0 nvmlDev 0"
        f" busId {rank + 1}8000 commId 0x1f2e - Init COMPLETE\n"
    )


def steps(count: int, every: int = 2) -> str:
    return "".join(f"{NOON + timedelta(seconds=n * every)} step {n} loss 2.1{n} lr 0.001\n" for n in range(count))


def later(count: int) -> str:
    return "".join(steps(count).splitlines(keepends=True)[150:])


def waited(rank: int) -> str:
    return (
        f"[rank{rank}]:[E502 12:12:00.123456789 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=1277, OpType=ALLREDUCE, NumelIn=256, NumelOut=256, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n"
    )


def report(folder: Path, files: dict[str, str]) -> Report:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return analyze([folder])


def asked(folder: Path, files: dict[str, str]) -> list[str]:
    return [one.what for one in report(folder, files).missing]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("out-{}.log", "out-2.log"), ("rank_{}/stderr.log", "rank_2/stderr.log"), ("log-91-node05-{:03}.err", "log-91-node05-002.err")],
)
def test_the_log_of_a_rank_is_missed_where_each_other_has_one(tmp_path: Path, pattern: str, path: str) -> None:
    found = report(tmp_path, {pattern.format(n): joined(n, 4) + steps(300) + waited(n) for n in (0, 1, 3)})
    first = found.missing[0]
    assert first.what == f"log of rank 2 ({path})"
    assert "3 of 4" in first.why
    assert first.command.startswith("find . -path")
    assert path in first.command


def test_the_log_of_a_pod_is_asked_from_kubernetes(tmp_path: Path) -> None:
    pods = {f"containers/trainer-{n}_ml_main-{'9f' * 32}.log": joined(n, 4) + steps(300) + waited(n) for n in (0, 1, 3)}
    assert report(tmp_path, pods).missing[0].command == "kubectl logs trainer-2 --previous"


@pytest.mark.parametrize(
    "files",
    [
        {f"rank{n}.log": joined(n, 16) + waited(n) for n in (0, 3)},  # somebody gave two of sixteen
        {f"rank{n}.log": joined(n, 3) + waited(n) for n in (0, 1)} | {"all.log": "".join(joined(n, 3) for n in range(3))},
        {f"rank{n}.log": joined(n, 2) + waited(n) for n in (0, 1)},
        {"job.log": "".join(joined(n, 4) + waited(n) for n in (0, 1, 3))},  # one file of all ranks
        {f"rank{n}.log": joined(n, 4) + steps(300) for n in (0, 1, 3)},  # nothing went wrong
    ],
)
def test_no_rank_is_missed_where_a_part_was_given_or_all_are_heard(tmp_path: Path, files: dict[str, str]) -> None:
    assert not [what for what in asked(tmp_path, files) if "of rank" in what]


@pytest.mark.parametrize(("cut", "words"), [(0, "T12:03:18,"), (9, "in the middle of a line")])
def test_a_log_that_fell_silent_while_the_others_went_on(tmp_path: Path, cut: int, words: str) -> None:
    files = {f"rank{n}.log": joined(n, 4) + steps(400) for n in (0, 1, 3)}
    whole = joined(2, 4) + steps(100)
    found = report(tmp_path, files | {"rank2.log": whole[: len(whole) - cut]})
    assert found.verdict == "healthy"
    assert [one.what for one in found.missing] == ["what ended rank2.log on node05"]
    assert words in found.missing[0].why
    assert "600 s before" in found.missing[0].why
    assert found.missing[0].command == 'journalctl _TRANSPORT=kernel --since "2031-05-02 11:58:18"'


@pytest.mark.parametrize(
    "files",
    [
        {f"rank{n}.log": steps(100 if n else 400) + ("" if n == 0 else "training finished\n") for n in range(4)},
        {f"rank{n}.log": steps(5 if n else 400) for n in range(4)},  # only rank 0 logs its steps
        {f"rank{n}.log": steps(400 - n) for n in range(4)},
        {f"rank{n}.log": steps(50) + later(400 if n else 200) for n in range(4)},  # pauses are usual here
        {"rank0.log.1": steps(100), "rank0.log.2": steps(400), "rank1.log.1": steps(100), "rank1.log.2": steps(400)},
    ],
)
def test_a_log_that_ends_as_logs_do_is_whole(tmp_path: Path, files: dict[str, str]) -> None:
    assert asked(tmp_path, files) == []


def test_a_cut_last_line_is_told_unless_it_is_a_line_like_others(tmp_path: Path) -> None:
    assert asked(tmp_path, {"train.log": steps(50)[:-9]}) == ["the end of train.log"]
    assert asked(tmp_path, {"train.log": steps(50).removesuffix("\n")}) == []
    assert asked(tmp_path, {"train.log": steps(50) + "ready"}) == []
    assert analyze_text(steps(50)[:-9]).missing == []


def test_an_empty_answer_of_nvidia_smi(tmp_path: Path) -> None:
    files = {"sosreport-a1/sos_commands/nvidia/nvidia-smi_-q": "", "sosreport-a1/sos_commands/kernel/dmesg": "[    1.000000] usb 1-9: new device\n"}
    found = report(tmp_path, files)
    assert [one.command for one in found.missing] == ["timeout 60 nvidia-smi -q"]
    assert asked(tmp_path, {"sosreport-a1/sos_commands/nvidia/nvidia-smi_-q": "No devices were found\n"}) == []


def test_a_bug_report_whose_script_hung(tmp_path: Path) -> None:
    path = write(tmp_path / "nvidia-bug-report.log.gz", sections(end=False, more=["nvidia-smi --query\n"]))
    whole = write(tmp_path / "whole.log.gz", sections())
    assert "inside of 'nvidia-smi --query'" in analyze([path]).missing[0].why
    assert not [one for one in analyze([whole]).missing if "bug-report" in one.what]


def test_a_kernel_ring_without_its_beginning(tmp_path: Path) -> None:
    line = "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)\n"
    assert "begins 812,345 s after boot" in report(tmp_path, {"dmesg.txt": f"[812345.100000] {line}"}).missing[0].why
    early = "[    0.000000] Linux version 6.8.0\n"
    assert "the earlier kernel lines of this boot" not in asked(tmp_path, {"dmesg.txt": f"{early}[812345.100000] {line}"})


@pytest.mark.parametrize(
    ("kernel", "covered"),
    [
        ("", False),
        ("2031-05-02T12:01:50+00:00 gpu-07 kernel: usb 1-9: new device", True),
        ("2031-05-02T12:01:50+00:00 gpu-08 kernel: usb 1-9: new device", False),
        ("[   12.000000] usb 1-9: new device", True),
        ("[812345.000000] usb 1-9: new device", False),  # the ring has lost what stood there
    ],
)
def test_a_kernel_log_proves_only_for_its_host_and_its_time(tmp_path: Path, kernel: str, covered: bool) -> None:
    what = asked(tmp_path, {"pod.txt": NODE, "kern.log": kernel + "\n"})
    assert ("kernel log of gpu-07" in what) is not covered


def test_without_a_host_the_kernel_log_of_any_is_asked_for(tmp_path: Path) -> None:
    assert asked(tmp_path, {"job.log": KILLED}) == ["kernel log of the host"]


def test_a_job_and_a_kernel_of_different_hosts_are_not_joined_in_silence(tmp_path: Path) -> None:
    xid = "2031-05-02T12:01:57+00:00 {} kernel: NVRM: Xid (PCI:0000:18:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"
    job = {"job.log": joined(0, 2)}
    found = report(tmp_path, job | {"kern.log": xid.format("gpu-07")}).missing
    assert [(one.what, one.command) for one in found] == [("the node on which node05 ran", "kubectl get pods -o wide")]
    assert asked(tmp_path, job | {"kern.log": xid.format("node05.cluster.local")}) == []
