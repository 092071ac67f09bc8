"""`triage recheck` and `analyze --live` as real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKER = "RuntimeError: DataLoader worker (pid 812) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.\n"


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "triage", *arguments], input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=120,
        check=False,
    )  # fmt: skip


def test_one_probe() -> None:
    done = run("recheck", "disk")
    assert done.returncode in (0, 1)
    assert done.stdout.startswith("disk  ")
    assert done.stderr == "triage: probe disk ...\n"


def test_an_id_as_people_write_it_runs_its_probes() -> None:
    done = run("recheck", "xid", "79")
    assert done.returncode == 2  # one name
    done = run("recheck", "xid 79", "-q", "--format", "json")
    data = json.loads(done.stdout)
    assert [one["probe"] for one in data["results"]] == ["gpu-present", "pcie-link"]
    assert done.stderr == ""
    outcomes = {one["outcome"] for one in data["results"]}
    assert done.returncode == (3 if outcomes == {"not-applicable"} else 1 if "confirmed" in outcomes else done.returncode)


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["kernl"], "Did you mean 'kernel'?"), (["xdi-79"], "Did you mean"), (["python-exception"], "no probe can check"), (["quux"], "--list shows all"),
        (["--list", "quux"], "--list shows all"),
        (["alloc", "--set", "requested=x"], "20GiB"), (["shm", "--python", "/no/such"], "/no/such is not a program"),
        (["--list", "kernl"], "Did you mean 'kernel'?"), (["--compare", "/no/a", "/no/b"], "/no/a"),
    ],
)  # fmt: skip
def test_typing_errors_are_told(arguments: list[str], want: str) -> None:
    done = run("recheck", *arguments)
    assert done.returncode == 2
    assert want in done.stderr
    assert "Traceback" not in done.stderr


def test_lists() -> None:
    text = run("recheck", "--list").stdout
    assert "gpu-present" in text
    assert "Is every GPU there" in text
    data = json.loads(run("recheck", "--list", "shm", "--format", "json").stdout)
    assert [one["probe"] for one in data] == ["shm"]
    assert "shm-exhausted" in data[0]["ids"]


def test_two_runs_are_compared(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(run("recheck", "tdr-registry", "-q", "--format", "json").stdout)
    done = run("recheck", "--compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert (done.returncode, done.stdout) == (0, "no difference\n")


def test_live(tmp_path: Path) -> None:
    done = run("analyze", "--live", "--format", "json", stdin=WORKER)
    cause = json.loads(done.stdout)["findings"][0]
    assert [one["probe"] for one in cause["recheck"]] == ["shm"]
    assert cause["recheck"][0]["outcome"]
    assert "RECHECK shm" in run("analyze", "--live", stdin=WORKER).stdout


def test_nagios() -> None:
    done = run("analyze", "--nagios", stdin=WORKER)
    assert done.returncode == 2
    assert done.stdout.startswith("TRIAGE CRITICAL - ")
    assert done.stdout.count("\n") == 1
