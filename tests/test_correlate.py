from pathlib import Path

import pytest
from small import library, signature, write

from triage.library.loader import load_library
from triage.model import Report
from triage.pipeline import analyze, analyze_text

KERNEL = {
    "link-down.yaml": signature("link-down", r"port (?P<root_port>[0-9a-f:.]+): link down(?: of (?P<pci>[0-9a-f:.]+))?", types="{pci: pci, root_port: bdf}", severity="fatal"),
    "gpu-lost.yaml": signature("gpu-lost", r"GPU (?P<pci>[0-9a-f:.]+): lost", types="{pci: pci}", severity="fatal"),
    "oom-kill.yaml": signature("oom-kill", r"Killed process (?P<pid>[0-9]+) \((?P<process>[^)]+)\)", types="{pid: int}", severity="fatal"),
    "died.yaml": signature("died", r"rank (?P<rank>[0-9]+) pid (?P<pid>[0-9]+) \((?P<process>\w+)\) exit (?P<exit_code>-?[0-9]+)", types="{rank: int, pid: int, exit_code: int}", role="carrier", severity="fatal"),
    "cuda-failure.yaml": signature("cuda-failure", "launch failure", role="symptom", severity="fatal"),
    "app-error.yaml": signature("app-error", "bad input", severity="fatal"),
    "corrected.yaml": signature("corrected", "corrected error", role="context", severity="info", promote="[{when: 'rate(60) >= 3', role: cause, severity: warning}]"),
}  # fmt: skip
LINKS = """
- {cause: link-down, effect: gpu-lost, join: [host, port], window: [0, 60], strength: sure}
- {cause: gpu-lost, effect: [cuda-failure, {id: died, where: 'exit_code == -6'}], join: [host], window: [0, 60], strength: usual}
- cause: oom-kill
  effect: {id: died, where: 'exit_code == -9'}
  join: [host, {any: [pid, [process, time]]}]
  window: [-5, 30]
  strength: {pid: sure, process: usual}
  otherwise:
    covered: {by: kernel, say: 'not the OOM killer'}
    uncovered: {missing: kernel log of the host, command: 'journalctl -k --since {time-5m}'}
- {cause: [cuda-failure, app-error], effect: died, join: [], strength: usual}
"""


def report(tmp_path: Path, *lines: str) -> Report:
    lib = library(tmp_path, {**KERNEL, "causality.yaml": LINKS})
    assert lib.problems == []
    return analyze_text("\n".join(lines), library=lib)


def roles(found: Report) -> list[tuple[str, str]]:
    return [(f.id, f.role) for f in found.findings]


def test_a_chain_has_one_root(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "[   10.000000] port 0000:3a:01.0: link down of 0000:3b:00.0",
        "[   10.100000] GPU 0000:3b:00.0: lost",
        "RuntimeError: launch failure",
        "rank 3 pid 77 (python) exit -6",
    )
    assert roles(found) == [("link-down", "cause"), ("gpu-lost", "symptom"), ("cuda-failure", "symptom"), ("died", "carrier")]
    assert found.findings[0].confidence == "confirmed"
    assert found.findings[0].explains == ["gpu-lost", "cuda-failure", "died"]
    assert found.verdict == "fault"


def test_another_device_is_not_explained(tmp_path: Path) -> None:
    found = report(tmp_path, "[   10.000000] port 0000:3a:01.0: link down of 0000:3b:00.0", "[   10.100000] GPU 0000:5e:00.0: lost")
    assert roles(found) == [("link-down", "cause"), ("gpu-lost", "cause")]


@pytest.mark.parametrize(("seconds", "linked"), [(10.5, True), (59.0, True), (75.0, False), (5.0, False)])
def test_the_window_holds_on_one_clock(tmp_path: Path, seconds: float, linked: bool) -> None:
    found = report(tmp_path, "[   10.000000] port 0000:3a:01.0: link down of 0000:3b:00.0", f"[{seconds:12.6f}] GPU 0000:3b:00.0: lost")
    assert (("gpu-lost", "symptom") in roles(found)) == linked


def test_an_unexplained_symptom_stands_as_a_possible_cause(tmp_path: Path) -> None:
    found = report(tmp_path, "RuntimeError: launch failure")
    assert roles(found) == [("cuda-failure", "cause")]
    assert found.findings[0].confidence == "possible"


def test_an_unexplained_carrier_is_unknown_and_asks(tmp_path: Path) -> None:
    found = report(tmp_path, "2025-03-11T10:02:11Z rank 1 pid 77 (python) exit -9")
    assert roles(found) == [("died", "unknown")]
    assert found.verdict == "suspect"
    assert found.missing[0].what == "kernel log of the host"
    assert "2025-03-11" in found.missing[0].command


def test_a_container_pid_is_joined_by_process_and_time(tmp_path: Path) -> None:
    found = report(tmp_path, "[   10.000000] Killed process 41877 (python3)", "rank 1 pid 77 (python) exit -9")
    assert roles(found)[0] == ("oom-kill", "cause")
    assert ("died", "carrier") in roles(found)


def test_another_process_is_not_the_victim(tmp_path: Path) -> None:
    found = report(tmp_path, "[   10.000000] Killed process 41877 (chrome)", "rank 1 pid 77 (python) exit -9")
    assert found.findings[0].explains == []


def test_the_launcher_lends_its_rank_to_a_nameless_traceback(tmp_path: Path) -> None:
    found = report(tmp_path, "ValueError: bad input", "rank 4 pid 77 (python) exit 1")
    assert found.findings[0].id == "app-error"
    assert found.findings[0].entities["rank"] == 4


def test_a_rate_promotes(tmp_path: Path) -> None:
    few = report(tmp_path / "few", *(f"[{s:12.6f}] corrected error" for s in (10, 400, 900)))
    many = report(tmp_path / "many", *(f"[{s:12.6f}] corrected error" for s in (10, 20, 30)))
    assert roles(few) == []
    assert roles(many) == [("corrected", "cause")]
    assert many.verdict == "suspect"


def test_an_older_fault_of_the_same_clock_is_earlier(tmp_path: Path) -> None:
    found = report(tmp_path, "[   10.000000] GPU 0000:5e:00.0: lost", "[ 9000.000000] GPU 0000:3b:00.0: lost")
    assert [f.entities["pci"] for f in found.findings] == ["0000:3b:00"]
    assert [f.entities["pci"] for f in found.earlier] == ["0000:5e:00"]


def test_sources_are_one_input(tmp_path: Path) -> None:
    folder = write(tmp_path / "lib", {**KERNEL, "causality.yaml": LINKS})
    lib = load_library([folder], builtin=False, cached=False)
    (tmp_path / "dmesg.txt").write_text("[   10.000000] GPU 0000:3b:00.0: lost\n")
    (tmp_path / "job.log").write_text("RuntimeError: launch failure\n")
    found = analyze([tmp_path / "job.log", tmp_path / "dmesg.txt"], library=lib)
    assert roles(found)[0] == ("gpu-lost", "cause")
    assert {e.source.rsplit("/", 1)[-1] for e in found.findings[0].evidence} == {"dmesg.txt", "job.log"}


FACTS = {
    "reload.yaml": signature("reload", "Reloading", role="context", severity="info", match="[{regex: Reloading}]"),
    "lost.yaml": signature("lost", "container lost"),
    "causality.yaml": "- {cause: reload, effect: lost, join: [host], window: [-5, 600], strength: usual}",
}  # fmt: skip


def test_a_fact_that_set_the_root_off_is_told_with_it(tmp_path: Path) -> None:
    known = library(tmp_path, FACTS)
    assert known.problems == []
    text = "2025-03-11 10:00:00 Reloading\n2025-03-11 10:05:00 Reloading\n2025-03-11 10:05:51 container lost"
    root, fact = analyze_text(text, library=known).findings
    assert (root.id, root.role, root.explained_by) == ("lost", "cause", ["reload"])
    assert root.why == "no other fault in the input explains it; it came 51 s after reload"
    assert (fact.role, fact.explains) == ("context", ["lost"])
    assert [e.line for e in root.evidence] == [3, 2]


@pytest.mark.parametrize("text", ["Reloading\ncontainer lost", "container lost\nReloading"])
def test_without_times_a_fact_is_not_said_to_come_before(tmp_path: Path, text: str) -> None:
    root = analyze_text(text, library=library(tmp_path, FACTS)).findings[0]
    assert root.why == "no other fault in the input explains it; it was seen with reload"


@pytest.mark.parametrize("text", ["2025-03-11 10:00:00 Reloading\n2025-03-11 11:05:51 container lost", "container lost"])
def test_a_fact_out_of_time_is_not_told(tmp_path: Path, text: str) -> None:
    (root,) = analyze_text(text, library=library(tmp_path, FACTS)).findings
    assert root.explained_by == []


NEAR = {
    "shm.yaml": signature("shm", r"rank (?P<rank>[0-9]+) no room", types="{rank: int}"),
    "closed.yaml": signature("closed", r"rank (?P<rank>[0-9]+) peer closed", types="{rank: int}", role="symptom"),
    "system.yaml": signature("system", r"rank (?P<rank>[0-9]+) system error", types="{rank: int}", role="carrier"),
    "causality.yaml": """
- {cause: shm, effect: closed, join: [other-rank], strength: usual}
- {cause: shm, effect: system, join: [job], strength: usual}
- {cause: closed, effect: system, join: [job], strength: sure}
""",
}  # fmt: skip


def test_the_cause_on_the_same_rank_comes_first(tmp_path: Path) -> None:
    text = "rank 0 no room\nrank 2 peer closed\nrank 0 system error\nrank 2 system error"
    found = analyze_text(text, library=library(tmp_path, NEAR)).findings
    by = {(f.id, f.entities["rank"]): f.explained_by for f in found}
    assert by["system", 0] == ["shm", "closed"]
    assert by["system", 2] == ["closed", "shm"]


def interrupted(tmp_path: Path, *lines: str) -> list[tuple[str, str]]:
    lib = library(tmp_path, {
        "interrupt.yaml": signature("interrupt", "^Interrupted", role="symptom", severity="warning"),
        "torn-down.yaml": signature("torn-down", r"NVRM: channel gone", role="carrier"),
        "peer-lost.yaml": signature("peer-lost", "^peer lost", role="symptom", severity="fatal"),
        "causality.yaml": "- {cause: interrupt, effect: [torn-down, peer-lost], join: [], strength: usual}\n",
    })  # fmt: skip
    return [(f.id, f.role) for f in analyze_text("\n".join(lines), library=lib).findings]


def test_an_interrupt_that_led_to_nothing_is_no_fault(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "Interrupted") == []


def test_what_the_driver_tidies_up_after_it_is_nothing(tmp_path: Path) -> None:
    found = interrupted(tmp_path, "[  10.000000] NVRM: channel gone", "Interrupted")
    assert not [one for one in found if one[1] in ("cause", "unknown")]


def test_an_interrupt_that_others_suffer_from_is_the_cause(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "Interrupted", "peer lost")[0] == ("interrupt", "cause")


@pytest.mark.parametrize(
    ("driver", "alone"), [("nvme", True), ("mlx5_core", True), ("nvidia", True), ("pcieport", False), (None, False)]
)
def test_the_error_of_another_end_device_explains_nothing_by_its_time(driver: str | None, alone: bool) -> None:
    log = "[ 9000.1] pcieport 0000:20:01.0: AER: Uncorrectable (Fatal) error message received from 0000:21:00.0\n"
    if driver:
        log += f"[ 9000.1] {driver} 0000:21:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Data Link Layer\n"
    found = analyze_text(log + "[ 9003.0] NVRM: Xid (PCI:0000:e3:00): 79, GPU has fallen off the bus.\n").findings
    assert ("xid-79" in [f.id for f in found if f.role == "cause"]) == alone


def test_a_job_of_many_ranks_takes_time_in_proportion_to_them() -> None:
    def links(ranks: int) -> int:
        report = analyze_text(
            "".join(
                f"[rank{n}]:[E1130 00:48:47.{n:06} ProcessGroupNCCL.cpp:689] [Rank {n}] Watchdog caught collective operation "
                "timeout: WorkNCCL(SeqNum=6, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=25000) ran for 25054 "
                "milliseconds before timing out.\n"
                f"[rank{n}]:[E1130 00:48:48.{n:06} ProcessGroupNCCL.cpp:764] [Rank {n}] To avoid data inconsistency, we are "
                "taking the entire process down.\n"
                for n in range(ranks)
            )
        )
        assert report.findings[0].id == "pg-watchdog-timeout"
        assert report.findings[0].entities["rank"] == list(range(ranks))
        return sum(len(f.explained_by) for f in report.findings)

    assert links(200) == 200
