"""`triage preflight`, `collect` and `ticket` as real processes, and the examples that use them."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SKIP = [word for name in ("cuda-init", "cuda-arch", "fabric", "persistence", "throttle", "bar1", "eventlog") for word in ("--skip", name)]
XID = "[88213.557916] NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "triage", *arguments], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, **env},
    )  # fmt: skip


def test_preflight_codes() -> None:
    done = run("preflight", "--expect-gpus", "64", *SKIP)
    assert done.returncode == 2
    assert done.stdout.startswith("TRIAGE CRITICAL - gpu-present")
    line = run("preflight", "--nagios", "--expect-gpus", "64", *SKIP).stdout
    assert line.count("\n") == 1
    assert json.loads(run("preflight", "--format", "json", *SKIP).stdout)["state"] in ("OK", "WARNING", "CRITICAL", "UNKNOWN")


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["preflight", "--skip", "gpu-presnt"], "Did you mean 'gpu-present'?"), (["preflight", "--skip", "quux"], "--list shows all"), (["preflight", "--expect-gpus", "-1"], "--expect-gpus"),
        (["collect", "/no/such/log"], "/no/such/log does not exist"), (["collect", "--watch", "long"], "72h"),
        (["collect", "-o", "/no/such/folder/a.tar.gz"], "/no/such/folder/a.tar.gz"), (["ticket", "/no/such"], "/no/such: does not exist; check the path"),
        (["ticket", "fixtures/smi-nodevice", "--gpu", "0000:43:00"], "no fault of GPU 0000:43:00; GPUs with faults: "),
    ],
)  # fmt: skip
def test_errors_are_told_in_a_line(arguments: list[str], want: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert want in done.stderr
    assert "Traceback" not in done.stderr


def test_collect_writes_where_it_is_told(tmp_path: Path) -> None:
    log = tmp_path / "dmesg.txt"
    log.write_text(XID)
    target = tmp_path / "c.tar.gz"
    done = run("collect", str(log), "-o", str(target))
    assert done.returncode == 0
    assert done.stdout == f"{target}\n"
    assert "not read: " in done.stderr
    assert run("analyze", "--format", "json", str(target)).returncode == 1


def test_watch(tmp_path: Path) -> None:
    target = tmp_path / "w.csv"
    done = run("collect", "--watch", "1s", "--every", "0.4s", "-o", str(target))
    if done.returncode == 2:  # no driver: hours of empty samples would be no help
        assert "nothing can be sampled here: " in done.stderr
        assert not target.exists()
        return
    assert done.returncode == 0
    assert target.read_text().startswith("# triage watch 1")


def test_ticket(tmp_path: Path) -> None:
    log = tmp_path / "dmesg.txt"
    log.write_text(XID)
    done = run("ticket", str(log))
    assert done.returncode == 0
    assert "PCI address: 0000:43:00" in done.stdout
    assert "read it before you send it" in done.stderr


@pytest.fixture
def node(tmp_path: Path) -> dict[str, str]:
    """A node of Slurm as the examples see it: `triage`, `scontrol` that keeps what it is told, `journalctl`."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, text in {
        "triage": f'exec "{sys.executable}" -m triage "$@"', "scontrol": f'printf "%s\\n" "$@" >"{tmp_path}/told"',
        "journalctl": f"cat '{tmp_path}/kernel'", "python3": f'exec "{sys.executable}" "$@"',
    }.items():  # fmt: skip
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    (tmp_path / "gpus").write_text("64\n")
    return {
        "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "SLURMD_NODENAME": "node07", "TRIAGE": str(tools / "triage"),
        "TRIAGE_GPUS": str(tmp_path / "gpus"), "SLURM_JOB_START_TIME": "1764460800",
    }  # fmt: skip


def script(name: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(EXAMPLES / "slurm" / name)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, timeout=120, check=False)


def test_the_prolog_drains_a_node_that_lacks_gpus(node: dict[str, str], tmp_path: Path) -> None:
    done = script("prolog.sh", node)
    assert done.returncode == 1
    told = (tmp_path / "told").read_text().splitlines()
    assert told[:3] == ["update", "nodename=node07", "state=drain"]
    assert told[3].startswith("reason=TRIAGE CRITICAL - gpu-present: ")
    assert len(told[3]) <= 190


def test_the_epilog_drains_only_for_a_fault_of_the_machine(node: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "kernel").write_text("2026-11-30T01:00:00+00:00 node07 kernel: NVRM: Xid (PCI:0000:43:00): 31, pid=7, name=python3, Ch 00000008, MMU Fault\n")
    assert script("epilog.sh", node).returncode == 0
    assert not (tmp_path / "told").exists()
    (tmp_path / "kernel").write_text(f"2026-11-30T01:00:00+00:00 node07 kernel: {XID.split('] ')[1]}")
    assert script("epilog.sh", node).returncode == 0
    assert "state=drain" in (tmp_path / "told").read_text()


def test_units_of_systemd() -> None:
    for path in (EXAMPLES / "systemd").iterdir():
        unit = configparser.ConfigParser(strict=True, interpolation=None)
        unit.optionxform = str  # type: ignore[method-assign,assignment]
        unit.read(path)
        assert "Description" in unit["Unit"]
    service = configparser.ConfigParser(interpolation=None)
    service.read(EXAMPLES / "systemd" / "triage-preflight.service")
    words = service["Service"]["ExecStart"].split()[1:]
    assert run(*words, "--help").returncode == 0
    assert service["Service"]["SuccessExitStatus"] == "1 3"


def test_the_cronjob_of_kubernetes() -> None:
    job = yaml.safe_load((EXAMPLES / "kubernetes" / "preflight-cronjob.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "CronJob")
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    command = pod["containers"][0]["args"][0]
    for status, want in ((0, 0), (1, 0), (2, 1), (3, 0)):
        shell = f"triage() {{ return {status}; }}; {command}"
        assert subprocess.run(["sh", "-c", shell], check=False).returncode == want
