"""A time series is written line by line, and its analysis names what deviated first."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from triage import analyze
from triage.collect import watch as module
from triage.collect.deviation import Watcher
from triage.collect.watch import rows, watch
from triage.formats.watch import GPU_COLUMNS, HEAD, HOST_COLUMNS, Watch
from triage.model import Line
from triage.recheck.runner import Run

GPU = dict.fromkeys(GPU_COLUMNS, 0) | {
    "index": 0, "temperature": 62, "power": 690, "power_limit": 700, "clock": 1600, "utilization": 100, "reasons": 4,
    "link_gen": 5, "link_width": 16,
}  # fmt: skip
HOST = {"memory_free": 121_394, "load": 31.2, "temperature": None, "xids": 0}


def series(path: Path, *changes: dict[int, dict[str, Any]], count: int = 200) -> Path:
    """A file as `watch` writes it, of two GPUs; `changes` give new values of a GPU from a sample on."""
    watcher, lines = Watcher(), [HEAD]
    gpus = [{**GPU, "pci": "0000:3b:00"}, {**GPU, "index": 1, "pci": "0000:5e:00"}]
    for n in range(count):
        for gpu, change in zip(gpus, changes, strict=False):
            gpu.update(change.get(n, {}))
        sample = {"gpus": [dict(gpu) for gpu in gpus], "host": HOST}
        lines += rows(sample, watcher.take(sample), f"2026-03-{14 + n // 1440}T{n // 60 % 24:02d}:{n % 60:02d}:11Z")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_quiet_series_is_healthy(tmp_path: Path) -> None:
    report = analyze([series(tmp_path / "watch.csv")])
    assert report.verdict == "healthy"
    assert report.sources[0].format == "watch"
    assert report.sources[0].understood == report.sources[0].lines


def test_a_quiet_series_of_days_is_healthy(tmp_path: Path) -> None:
    path = series(tmp_path / "watch.csv", count=4320)
    assert path.stat().st_size > 512 << 10
    report = analyze([path])
    assert report.verdict == "healthy", [f.id for f in report.findings]


@pytest.mark.parametrize("count", [200, 4320])
def test_the_first_deviation_is_named_first(tmp_path: Path, count: int) -> None:
    first = {80: {"replays": 7}, 120: {"temperature": 81}}
    second = {60: {"temperature": 80}, 150: {"clock": 1100}}
    report = analyze([series(tmp_path / "watch.csv", first, second, count=count)])
    assert report.findings[0].id == "watch-temperature"
    assert report.findings[0].entities["pci"] == "0000:5e:00"
    assert report.findings[0].first is not None
    assert report.findings[0].first.time.startswith("2026-03-14T01:02:11")
    assert "80 C, before 62 C" in report.findings[0].evidence[0].text
    assert {f.id for f in report.findings} >= {"watch-temperature", "watch-pcie-replays", "watch-clock"}


def test_rows_are_what_the_format_takes() -> None:
    sample = {"gpus": [{**GPU, "pci": "0000:3b:00"}, {"index": 1, "error": "GPU is lost"}], "host": HOST}
    lines = [HEAD, *rows(sample, Watcher().take(sample), "2026-03-14T10:02:11Z")]
    assert len(lines) == 4  # the head, the host, the GPU that could be read, and what could not
    assert lines[-1] == "2026-03-14T10:02:11Z watch: GPU 1 gpu-unreadable: GPU is lost, before readable"
    assert lines[1].count(",") == len(HOST_COLUMNS) + 1
    assert lines[2].count(",") == len(GPU_COLUMNS) + 1
    assert Watch().sniff([Line(n, text, text) for n, text in enumerate(lines)]) == 1.0


def test_samples_come_at_their_times_and_are_on_disk_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([
        {"gpus": [{**GPU, "pci": "0000:3b:00"}], "host": HOST}, {"gpus": [{**GPU, "pci": "0000:3b:00", "link_width": 8}], "host": HOST},
        None, None,
    ])  # fmt: skip
    monkeypatch.setattr(module.runner, "run", lambda *_: Run(one, 0.1) if (one := next(readings, None)) else Run(None, 0.1, "no answer within 30 s"))
    said: list[str] = []
    count = watch(tmp_path / "w.csv", sys.executable, 0.35, 0.1, lambda one: said.append(one.what))
    text = (tmp_path / "w.csv").read_text()
    assert count == 4
    assert said == ["pcie-width", "no-sample"]
    assert text.startswith(HEAD)
    assert len(re.findall(r",host,", text)) == 4
    assert "watch: host no-sample: no answer within 30 s, before answered" in text


def test_where_nothing_can_be_sampled_no_watch_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "pynvml (package nvidia-ml-py) is not in this interpreter"
    monkeypatch.setattr(module.runner, "run", lambda *_: Run(None, 0.1, reason, absent=True))
    said: list[object] = []
    with pytest.raises(LookupError, match="nvidia-ml-py"):  # that it "gave no answer any more" would be a false alarm
        watch(tmp_path / "w.csv", sys.executable, 0.2, 10, said.append)
    assert said == []
    assert not (tmp_path / "w.csv").exists()


def test_a_driver_that_goes_away_is_a_deviation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter([Run({"gpus": [], "host": HOST}, 0.1), Run(None, 0.1, "no NVIDIA driver", absent=True)])
    monkeypatch.setattr(module.runner, "run", lambda *_: next(runs))
    said: list[str] = []
    assert watch(tmp_path / "w.csv", sys.executable, 0.15, 0.1, lambda one: said.append(one.what)) == 2
    assert said == ["no-sample"]
