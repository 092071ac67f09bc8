from pathlib import Path

import pytest
from small import library, signature

from triage.pipeline import analyze, analyze_text

RECOVERY = "taken-back: ['(?P<who>eth[0-9]) down => (?P<who>eth[0-9]) up']\n"
RECOVERY += "caught: ['will retry']\nprogress: ['step [0-9]+ loss']\nsuccess: ['finished with exit code 0']\n"
TRACE = 'Traceback (most recent call last):\n  File "/app/t.py", line 3, in f\n    g()\nRuntimeError: out of memory'
OK = "step 8 loss 0.2\nstep 9 loss 0.1\nfinished with exit code 0"


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (TRACE, ["cause"]),
        (f"WARNING trainer: caught it, will retry\n{TRACE}\n{OK}", []),
        (f"step 1 loss 1\n{TRACE}\nstep 2 loss 1\n{OK}", []),
        (f"step 1 loss 1\nstep 2 loss 1\n{TRACE}", ["cause"]),
        (f"{OK}\n{TRACE}", ["cause"]),
        (f"{TRACE}\nstep 2 loss 1", ["cause"]),
        (f"{TRACE}\nstep 2 loss 1\nfatal crash\nfinished with exit code 0", ["cause"]),
        (f"[rank0]: {TRACE}\n[rank1]: step 2 loss 1\n[rank1]: finished with exit code 0".replace("\n  ", "\n[rank0]:   ").replace("\nRun", "\n[rank0]: Run"), ["cause"]),
        (f"[rank0]: {TRACE}\n{OK}".replace("\n  ", "\n[rank0]:   ").replace("\nRun", "\n[rank0]: Run"), []),
        (f"Exception ignored in: <function D.__del__ at 0x7f>\n{TRACE}", []),
    ],
)  # fmt: skip
def test_handled_errors_are_context(tmp_path: Path, text: str, roles: list[str]) -> None:
    lib = library(tmp_path, {
        "recovery.yaml": RECOVERY, "oom.yaml": signature("oom", "out of memory"), "crash.yaml": signature("crash", "fatal crash"),
    })  # fmt: skip
    assert [f.role for f in analyze_text(text, library=lib).findings] == roles


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("WARN out of memory, will retry\nstep 2 loss 1", []),
        ("WARN out of memory, will retry", ["cause"]),
        ("WARN out of memory, will retry\nstep 2 loss 1\nfatal crash", ["cause", "cause"]),
        (f"{TRACE}\nERROR will retry\nstep 2 loss 1", []),
        (f"{OK}\nslow exit", []),
        ("slow exit", ["cause"]),
        ("eth0 down\neth0 up", []),
        ("eth0 down\neth1 up", ["cause"]),
        ("eth0 down\nout of memory\neth0 up", ["cause", "symptom"]),
    ],
)
def test_what_a_run_survived_is_context(tmp_path: Path, text: str, roles: list[str]) -> None:
    lib = library(tmp_path, {
        "recovery.yaml": RECOVERY, "oom.yaml": signature("oom", "out of memory"), "crash.yaml": signature("crash", "fatal crash"),
        "exit.yaml": signature("exit", "slow exit", severity="warning"),
        "down.yaml": signature("down", "eth[0-9] down", role="symptom"),
        "causality.yaml": "- {cause: down, effect: oom, join: [], strength: usual}",
    })  # fmt: skip
    assert [f.role for f in analyze_text(text, library=lib).findings] == roles


def job(day: int) -> str:
    return "".join(f"2025-03-{day:02} 10:00:0{i} {line}\n" for i, line in enumerate(OK.split("\n")))


@pytest.mark.parametrize(("day", "verdict"), [(9, "healthy"), (4, "fault"), (1, "fault")])
def test_a_job_that_ends_well_outlives_old_faults(tmp_path: Path, day: int, verdict: str) -> None:
    lib = library(tmp_path / "lib", {
        "recovery.yaml": RECOVERY, "lost.yaml": signature("lost", "GPU lost", severity="fatal", match="[{regex: 'GPU lost', formats: [kernel]}]"),
    })  # fmt: skip
    (tmp_path / "dmesg.txt").write_text("[Tue Mar  4 10:00:30 2025] GPU lost\n")
    (tmp_path / "job.log").write_text(job(day))
    found = analyze([tmp_path / "dmesg.txt", tmp_path / "job.log"], library=lib)
    assert found.verdict == verdict
    assert [f.id for f in found.earlier] == (["lost"] if verdict == "healthy" else [])


@pytest.mark.parametrize(
    ("kernel", "jobs", "verdict"),
    [
        ("Killed chrome", [OK], "healthy"),
        ("Killed chrome", [OK, OK.replace("finished", "step 9")], "fault"),  # one of the jobs just stops
        ("GPU lost", [OK], "fault"),  # and it may still be lost
    ],
)
def test_a_kill_on_a_clock_of_its_own_did_not_harm_jobs_that_ended_well(tmp_path: Path, kernel: str, jobs: list[str], verdict: str) -> None:
    more = {"severity": "fatal", "action": "debug-app"}
    lib = library(tmp_path / "lib", {
        "recovery.yaml": RECOVERY, "host/killed.yaml": signature("killed", "Killed", match="[{regex: 'Killed', formats: [kernel]}]", **more),
        "nvidia/lost.yaml": signature("lost", "GPU lost", match="[{regex: 'GPU lost', formats: [kernel]}]", **more),
    })  # fmt: skip
    (tmp_path / "dmesg.txt").write_text(f"[ 8123.000001] {kernel}\n")
    for number, text in enumerate(jobs):
        (tmp_path / f"job{number}.log").write_text("".join(f"2025-03-04 10:00:0{i} {line}\n" for i, line in enumerate(text.split("\n"))))
    assert analyze([*tmp_path.glob("*.*")], library=lib).verdict == verdict
