from pathlib import Path

import pytest
from small import library, signature

from triage.model import Finding
from triage.pipeline import analyze, analyze_text

FILES = {
    "lost.yaml": signature("lost", r"GPU (?P<pci>[0-9a-f:.]+) lost, driver (?P<driver>[0-9.]+)", types="{pci: pci, driver: version}", title="'GPU {pci} is gone'", readings="[{when: 'driver < 500', text: Old.}, {when: 'rank > 5', text: High.}]"),
    "failed.yaml": signature("failed", r"launch failure on (?P<pci>[0-9a-f:.]+)", types="{pci: pci}", role="symptom"),
    "draft.yaml": signature("draft", "strange", status="draft"),
    "died.yaml": signature("died", "it died", role="carrier"),
    "causality.yaml": "- {cause: lost, effect: failed, join: [host, pci], window: [0, 60], strength: sure}",
}  # fmt: skip


def findings(tmp_path: Path, text: str) -> list[Finding]:
    return analyze_text(text, library=library(tmp_path, FILES)).findings


def test_a_finding_carries_its_effects(tmp_path: Path) -> None:
    cause, effect = findings(tmp_path, "launch failure on 0000:3b:00.0\nGPU 0000:3b:00.0 lost, driver 470.1")
    assert (cause.id, cause.title, cause.role, cause.confidence) == ("lost", "GPU 0000:3b:00 is gone", "cause", "confirmed")
    assert cause.explains == ["failed"]
    assert effect.explained_by == ["lost"]
    assert cause.why == "nothing in the input explains it, and it explains 1 other finding"
    assert effect.why == "explained by lost (sure)"
    assert [e.line for e in cause.evidence] == [2, 1]
    assert cause.playbook is not None


def test_readings_that_may_hold_are_shown(tmp_path: Path) -> None:
    (cause,) = findings(tmp_path, "GPU 0000:3b:00.0 lost, driver 470.1")
    assert cause.means == "It failed.\nOld.\nIf rank > 5: High."
    (cause,) = findings(tmp_path / "new", "GPU 0000:3b:00.0 lost, driver 580.1")
    assert "Old." not in cause.means


@pytest.mark.parametrize(
    ("text", "role", "confidence"),
    [
        ("GPU 0000:3b:00.0 lost, driver 470.1", "cause", "likely"),
        ("launch failure on 0000:3b:00.0", "cause", "possible"),
        ("strange", "cause", "possible"),
        ("it died", "unknown", "possible"),
    ],
)
def test_confidence_is_honest(tmp_path: Path, text: str, role: str, confidence: str) -> None:
    (one,) = findings(tmp_path, text)
    assert (one.role, one.confidence) == (role, confidence)


def test_evidence_shows_what_was_matched(tmp_path: Path) -> None:
    (one,) = findings(tmp_path, "it is said: strange things")
    (line,) = one.evidence
    assert line.text[line.span[0] : line.span[1]] == "strange"


def test_repeats_are_counted(tmp_path: Path) -> None:
    (one,) = findings(tmp_path, "strange\nfine\nstrange\nstrange")
    assert one.count == 3
    assert one.first is not None
    assert one.last is not None
    assert (one.first.line, one.last.line) == (1, 4)


def test_an_unknown_exception_is_named(tmp_path: Path) -> None:
    files = {
        "other.yaml": signature("other", "x", title="It ended", match="[{formats: [traceback], where: frames > 0}]", fallback="true")
    }  # fmt: skip
    text = 'Traceback (most recent call last):\n  File "/job/a.py", line 1, in f\n    g()\nValueError: batch 5: got {rank}'
    report = analyze_text(text, library=library(tmp_path, files))
    assert report.summary == "It ended: ValueError: batch 5: got {rank}"
    report = analyze_text(text[:-17] + "x" * 500, library=library(tmp_path / "2", files))
    assert len(report.findings[0].title) < 200


def test_blanks_are_filled_from_what_all_effects_say(tmp_path: Path) -> None:
    files = {
        "port.yaml": signature("port", "port down"), "lost.yaml": FILES["lost.yaml"],
        "causality.yaml": "- {cause: port, effect: lost, join: [host], strength: sure}",
    }  # fmt: skip
    lib = library(tmp_path, files)
    lib.playbooks["find-the-cause"].sections["Confirm"][0].command = ["lspci", "-s", "{pci}"]

    def command(text: str) -> list[str] | None:
        playbook = analyze_text(text, library=lib).findings[0].playbook
        assert playbook is not None
        return playbook.steps[0].command

    one = "port down\nGPU 0000:3b:00.0 lost, driver 470.1\n"
    assert command(one) == ["lspci", "-s", "0000:3b:00"]
    assert command(one + "GPU 0000:5e:00.0 lost, driver 470.1") == ["lspci", "-s", "<pci>"]


def test_blanks_are_not_filled_from_another_rank_or_a_farther_effect(tmp_path: Path) -> None:
    files = {
        "late.yaml": signature("late", r"rank (?P<rank>\d+) is late", types="{rank: int}"),
        "wait.yaml": signature("wait", r"rank (?P<rank>\d+) pid (?P<pid>\d+) waited", types="{rank: int, pid: int}", role="symptom"),
        "end.yaml": signature("end", r"pid (?P<pid>\d+) ended", types="{pid: int}", role="symptom"),
        "causality.yaml": "- {cause: late, effect: wait, join: [], strength: sure}\n- {cause: wait, effect: end, join: [], strength: sure}",
    }  # fmt: skip
    lib = library(tmp_path, files)
    lib.playbooks["find-the-cause"].sections["Confirm"][0].command = ["py-spy", "dump", "--pid", "{pid}"]

    def command(text: str) -> list[str] | None:
        playbook = analyze_text(text, library=lib).findings[0].playbook
        assert playbook is not None
        return playbook.steps[0].command

    assert command("rank 1 is late\nrank 0 pid 70 waited") == ["py-spy", "dump", "--pid", "<pid>"]
    assert command("rank 1 is late\nrank 1 pid 71 waited\npid 99 ended") == ["py-spy", "dump", "--pid", "71"]


def test_first_and_last_are_those_in_time(tmp_path: Path) -> None:
    rows = [f"2025-03-11 10:0{n}:00 GPU 0000:3b:00.0 lost, driver 470.1" for n in (2, 1, 3, 2)]
    (one,) = findings(tmp_path, "\n".join(rows))
    assert one.first is not None
    assert one.last is not None
    assert (one.first.time, one.first.line) == ("2025-03-11T10:01:00", 2)
    assert (one.last.time, one.last.line) == ("2025-03-11T10:03:00", 3)


def test_an_order_that_no_clock_proves_is_said_to_be_open(tmp_path: Path) -> None:
    kernel = "[ 4711.500000] NVRM: Xid (PCI:0000:3b:00): 79, pid=5, name=python3, GPU has fallen off the bus.\n"
    job = "2031-05-02 14:01:58 step 4 loss 2.1\nTraceback (most recent call last):\n  File \"t.py\", line 1, in <module>\ntorch.AcceleratorError: CUDA error: unspecified launch failure\n"
    why = {}
    for name, ring in (("open", kernel), ("tied", "[    1.000000] rtc_cmos 00:04: setting system clock to 2031-05-02T10:43:28 UTC (1935485008)\n" + kernel)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dmesg").write_text(ring)
        (tmp_path / name / "rank3.log").write_text(job)
        why[name] = analyze([tmp_path / name]).findings[0].why
    assert "not proven" in why["open"]
    assert "not proven" not in why["tied"]


FAULT_OF_A_JOB = "RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered (pid=57733)\n"
FAULT_OF_ITS_GPU = (
    "[99004.998127] NVRM: Xid (PCI:0000:5e:00): 31, pid=57733, name=VLLM, channel 0x00000002, intr 00000000. "
    "MMU Fault: ENGINE GRAPHICS GPC5 GPCCLIENT_T1_11 faulted @ 0x7d02_300c0000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n"
)


@pytest.mark.parametrize(("kernel", "places"), [("", {"linux", "windows"}), (FAULT_OF_ITS_GPU, set())])
def test_the_kernel_log_of_the_same_fault_tells_the_system(tmp_path: Path, kernel: str, places: set[str]) -> None:
    (tmp_path / "engine.log").write_text(FAULT_OF_A_JOB)
    (tmp_path / "dmesg.txt").write_text(kernel)
    root = analyze([str(tmp_path)]).findings[0]
    assert root.id == "cuda-illegal-address"
    assert root.playbook is not None
    assert {step.where for step in root.playbook.steps} & {"linux", "windows"} == places


def test_when_it_was_seen_is_told_by_lines_with_a_stamp(tmp_path: Path) -> None:
    log = tmp_path / "rank.log"
    log.write_text(
        "node07:897:918 [1] NCCL INFO ncclCommInitRankConfig comm 0x188bc5b0 rank 1 nranks 2 cudaDev 1 nvmlDev 1 "
        "busId 70 commId 0x7a5c3b3e2c5d6f01 - Init COMPLETE\n"
        "[2026-11-30 14:09:10] node07:897:918 [1] misc/strongstream.cc:402 NCCL WARN Cuda failure "
        "'an illegal memory access was encountered'\n"
        "W1130 14:09:04.706000 856 torch/distributed/run.py:851] Setting OMP_NUM_THREADS\n"
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/home/ml/job/faults.py", line 32, in kernel\n'
        "[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered\n"
    )
    top = analyze([log]).findings[0]
    assert (top.first.time, top.last.time) == ("2026-11-30T14:09:10", "2026-11-30T14:09:10")


def test_the_timeline_tells_the_same_time_as_the_finding() -> None:
    folder = Path(__file__).parents[1] / "fixtures" / "fr-late-rank"
    report = analyze([*sorted(folder.glob("attempt_0/*/*.log")), *sorted(folder.glob("nccl_trace_*"))])
    top = report.findings[0]
    assert top.first.time == "2026-11-30T10:23:51.562"
    assert [row["time"] for row in report.timeline if row["finding"] == top.id] == [top.first.time]


def test_commands_for_a_port_name_the_first_of_the_gpus_behind_it() -> None:
    root = analyze([str(Path(__file__).parents[1] / "fixtures" / "dpc-two-gpus-behind")]).findings[0]
    assert root.entities["pci"] == ["0000:17:00", "0000:18:00"]
    assert root.playbook is not None
    commands = [step.command for step in root.playbook.steps if step.command]
    assert ["lspci", "-s", "0000:17:00", "-vvv"] in commands
    assert not any("<pci>" in word for command in commands for word in command)
