"""Probes in a row on this machine, most of them real; what must not be touched is not."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from triage import analyze_text
from triage.model import Finding, Report
from triage.recheck import check as module
from triage.recheck.check import Machine, Settings, check, live, names_of
from triage.recheck.registry import probes
from triage.recheck.runner import Run

GIB = 1 << 30


class Known(Machine):
    """A machine whose GPUs are told instead of read."""

    def __init__(self, settings: Settings, gpus: list[dict[str, Any]]) -> None:
        super().__init__(settings)
        self._gpus = gpus


def gpu(index: int, *pids: int, used: int = 0) -> dict[str, Any]:
    return {
        "index": index, "pci": f"0000:0{index}:00", "uuid": f"GPU-{index}{index}{index}{index}-x",
        "memory": {"total": 80 * GIB, "used": used, "free": 80 * GIB - used},
        "processes": [{"pid": pid, "bytes": used, "kind": "compute", "seen": None} for pid in pids],
    }  # fmt: skip


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """What would be started: probe, what it is told, environment."""
    calls: list[tuple[str, dict[str, Any], dict[str, str]]] = []

    def run(path: Any, told: Mapping[str, Any], python: str, limits: Any, env: Mapping[str, str]) -> Run:
        calls.append((path.stem, dict(told), dict(env)))
        return Run(None, 0.1, "only told")

    monkeypatch.setattr(module.runner, "run", run)
    return calls


def test_probes_of_the_host_really_run() -> None:
    found = check(["shm", "cgroup-memory", "disk", "port"], {"port": 1}, Settings(sys.executable))
    assert [one.probe for one in found] == ["shm", "cgroup-memory", "disk", "port"]
    assert all(one.seconds > 0 and one.detail for one in found)


def test_a_port_that_is_taken_is_confirmed() -> None:
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = check(["port"], {"port": port}, Settings(sys.executable))[0]
        assert found.outcome == "confirmed"
        assert f"port {port} cannot be bound" in found.detail
    assert check(["port"], {"port": port}, Settings(sys.executable))[0].outcome == "refuted"


def test_without_stress_nothing_that_loads_is_started(started: list[Any]) -> None:
    settings = Settings(sys.executable)
    for name in [one.name for one in probes().values() if one.load == "needed"]:
        found = check([name], {}, settings)[0]
        assert (found.outcome, found.detail) == ("inconclusive", "it puts load on the GPU: --stress runs it")
    assert started == []
    check(["throttle"], {}, settings)
    assert [told["stress"] for _, told, _ in started] == [False]


def test_a_gpu_with_other_processes_is_refused_without_force(started: list[Any]) -> None:
    settings = Settings(sys.executable, stress=True)
    machine = Known(settings, [gpu(0), gpu(1, 4711, used=GIB)])
    found = check(["kernel", "throttle"], {}, settings, machine)
    assert found[0].outcome == "inconclusive"
    assert found[0].detail.startswith("refused: 0000:01:00 is in use by pid 4711")
    assert [(name, told["stress"]) for name, told, _ in started] == [("throttle", False)]  # it still reads
    assert "without load: 0000:01:00 is in use" in found[1].detail
    settings.force = True
    check(["kernel"], {}, settings, machine)
    assert (started[-1][0], started[-1][1]["share"]) == ("kernel", 1.0)


def test_load_goes_to_the_meant_gpu_alone(started: list[Any]) -> None:
    settings = Settings(sys.executable, stress=True, gpu="0")
    machine = Known(settings, [gpu(0), gpu(1, 4711, used=GIB)])
    check(["kernel"], {}, settings, machine)
    name, told, env = started[-1]
    assert (name, told["gpu"], told["share"], env) == ("kernel", 0, 0.8, {"CUDA_VISIBLE_DEVICES": "GPU-0000-x"})
    settings.gpu = None
    check(["kernel"], {"pci": "0000:00:00"}, settings, machine)
    assert started[-1][2] == {"CUDA_VISIBLE_DEVICES": "GPU-0000-x"}


def test_gpus_that_are_not_visible_are_left_alone(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(sys.executable, stress=True)
    machine = Known(settings, [gpu(0, 4711, used=GIB), gpu(1)])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    check(["kernel"], {}, settings, machine)
    assert started[-1][0] == "kernel"
    settings.gpu = "1"
    with pytest.raises(LookupError, match="no visible GPU '1'; there are: 0"):
        check(["kernel"], {}, settings, machine)


def test_where_nobody_knows_who_works_there_load_is_refused(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(sys.executable, stress=True)
    machine = Known(settings, [])
    machine.unknown = "pynvml (package nvidia-ml-py) is not in this interpreter"
    monkeypatch.setattr(module, "_has_driver", lambda: True)
    assert check(["kernel"], {}, settings, machine)[0].detail.startswith("refused: pynvml")
    monkeypatch.setattr(module, "_has_driver", lambda: False)
    check(["kernel"], {}, settings, machine)
    assert [name for name, _, _ in started] == ["kernel"]  # it says itself that there is no GPU


def test_names() -> None:
    assert names_of("disk", {}) == ["disk"]
    assert names_of("xid-79", {"xid-79": ["gpu-present", "pcie-link"]}) == ["gpu-present", "pcie-link"]
    assert "kernel" not in names_of(None, {})
    assert names_of(None, {}, stress=True) == list(probes())
    assert {"gpu-present", "throttle", "shm"} <= set(names_of(None, {}))
    with pytest.raises(LookupError):
        names_of("no-such", {})


def test_a_report_gets_its_outcomes() -> None:
    report = analyze_text("RuntimeError: DataLoader worker (pid 812) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.")
    assert report.findings[0].recheck == [{"probe": "shm"}]
    live(report, Settings(sys.executable))
    found = report.findings[0].recheck[0]
    assert found["outcome"] in ("refuted", "confirmed", "not-applicable")
    assert "/dev/shm" in str(found["detail"])
    assert float(found["seconds"]) > 0


def test_a_log_of_another_machine_is_not_checked_here(started: list[Any]) -> None:
    finding = Finding("cgroup-oom-kill", "X", "cause", "fatal", "likely", entities={"host": "node07"}, recheck=[{"probe": "disk"}])
    live(Report("fault", "x", [finding]), Settings(sys.executable))
    assert finding.recheck[0]["outcome"] == "not-applicable"
    assert "the log is of host node07, this is" in str(finding.recheck[0]["detail"])
    finding.entities["host"] = socket.gethostname() + ".cluster.example"
    finding.recheck = [{"probe": "disk"}]
    live(Report("fault", "x", [finding]), Settings(sys.executable))
    assert started[-1][0] == "disk"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "localhost.localdomain"])
def test_a_host_without_a_name_of_its_own_is_this_one(host: str, started: list[Any]) -> None:
    finding = Finding("cgroup-oom-kill", "X", "cause", "fatal", "likely", entities={"host": host}, recheck=[{"probe": "disk"}])
    live(Report("fault", "x", [finding]), Settings(sys.executable))
    assert [name for name, _, _ in started] == ["disk"]


def test_what_needs_all_gpus_gets_them(started: list[Any]) -> None:
    settings = Settings(sys.executable, stress=True)
    machine = Known(settings, [gpu(0), gpu(1)])
    check(["allreduce", "kernel"], {"id": "rank-lagging", "pci": "0000:01:00"}, settings, machine)
    assert [(name, env) for name, _, env in started] == [
        ("allreduce", {}), ("kernel", {"CUDA_VISIBLE_DEVICES": "GPU-1111-x"}),
    ]  # fmt: skip
    assert "pci" not in started[0][1]


def test_symptoms_are_not_checked(started: list[Any]) -> None:
    finding = Finding("x", "X", "symptom", "fatal", "likely", recheck=[{"probe": "disk"}])
    live(Report("fault", "x", [finding]), Settings(sys.executable))
    assert started == []
    assert finding.recheck == [{"probe": "disk"}]
