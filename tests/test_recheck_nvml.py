"""The probes of NVML and the sample of a time series as they run, in child processes, against a stand-in for NVML."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from triage.collect.watch import rows, watch
from triage.formats.watch import GPU_COLUMNS, HOST_COLUMNS, Watch
from triage.model import Line
from triage.preflight import code, preflight
from triage.recheck import runner
from triage.recheck.check import Settings, check
from triage.recheck.child import Limits
from triage.recheck.registry import probes

SAMPLE = Path(rows.__code__.co_filename).with_name("sample.py")
# These ask the kernel of the machine, too, which has no GPU here.
NVML = [one.name for one in probes().values() if one.group == "nvml" and one.name not in ("driver-match", "gpu-present")]


@pytest.fixture(autouse=True)
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("fake_nvml")))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.mark.parametrize("name", NVML)
def test_each_reads_two_gpus(name: str) -> None:
    found = check([name], {}, Settings(sys.executable))[0]
    assert found.outcome == "refuted", found.detail
    assert found.reading is not None
    assert [one["pci"] for one in found.reading["gpus"]] == ["0000:00:06", "0000:00:07"]


@pytest.mark.parametrize("name", [name for name in NVML if name != "bar1"])
def test_a_lost_gpu_does_not_hide_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOST", "1")
    found = check([name], {}, Settings(sys.executable))[0]
    assert found.outcome == "refuted"
    assert found.detail.endswith("GPU 1: GPU is lost")
    lost = check(["gpu-present"], {"gpus": 2}, Settings(sys.executable))[0]
    assert lost.outcome == "confirmed"
    assert "GPU 1: GPU is lost; " in lost.detail + "; "


def test_one_gpu_is_chosen_by_its_address() -> None:
    found = check(["pcie-link"], {}, Settings(sys.executable, gpu="0000:00:07"))[0]
    assert found.detail == "0000:00:07 Gen5 x16 of Gen5 x16"
    with pytest.raises(LookupError, match="0000:00:06"):
        check(["pcie-link"], {}, Settings(sys.executable, gpu="7"))


def test_a_preflight_of_the_machine() -> None:
    left = {"driver-match", "cuda-init", "cuda-arch", "cgroup-memory", "disk", "memlock", "shm"}
    assert code(preflight(Settings(sys.executable), None, left | {"gpu-present"})) == 0
    found = preflight(Settings(sys.executable), 3, left)
    assert code(found) == 2
    assert "2 of 3 expected GPUs answer" in next(one for one in found if one.word == "fail").result.detail


def test_a_sample_holds_every_column() -> None:
    done = runner.run(SAMPLE, {}, sys.executable, Limits())
    assert done.reading is not None, done.reason
    assert all(set(GPU_COLUMNS) <= set(gpu) for gpu in done.reading["gpus"])
    assert set(HOST_COLUMNS) <= set(done.reading["host"])
    gpu = done.reading["gpus"][1]
    assert (gpu["pci"], gpu["temperature"], gpu["power"], gpu["link_width"], gpu["remapped"]) == ("0000:00:07", 34, 77, 16, 0)


def test_a_series_of_samples(tmp_path: Path) -> None:
    said: list[str] = []
    assert watch(tmp_path / "w.csv", sys.executable, 1.2, 0.5, lambda one: said.append(one.what)) >= 2
    lines = (tmp_path / "w.csv").read_text().splitlines()
    assert Watch().sniff([Line(n, text, text) for n, text in enumerate(lines)]) == 1.0
    assert said == []
