"""Recorded readings of real GPUs are judged as they were there, and recorded logs are diagnosed as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from triage import analyze
from triage.recheck.judging import judge
from triage.recheck.registry import probes

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "recheck"
RESULTS = sorted(path for path in FOLDER.glob("h200-*/*.json") if path.name != "provoked.json")
PROVOKED = sorted(FOLDER.rglob("provoked.json"))
# Made by the probe runner, not by a judgement.
_UNREAD = ("it puts load on the GPU", "refused: ", "is not in this interpreter")


def results(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    data = json.loads(path.read_text())
    return [(one, data["expectation"]) for one in data["results"]]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_readings_are_judged_as_they_were(path: Path) -> None:
    judged = 0
    for one, expectation in results(path):
        if one["reading"] is None:
            assert any(words in one["detail"] for words in _UNREAD)
            continue
        found = judge(probes()[one["probe"]], one["reading"], expectation)
        assert (found.outcome, found.detail, found.warning) == (one["outcome"], one["detail"], one["warning"])
        judged += 1
    assert judged


def test_every_probe_was_run_on_a_real_gpu() -> None:
    seen = {one["probe"] for path in RESULTS for one, _ in results(path)}
    assert seen == set(probes())


@pytest.mark.parametrize("path", PROVOKED, ids=lambda path: path.parent.name)
def test_provoked_faults_are_diagnosed_as_they_were(path: Path) -> None:
    for case in json.loads(path.read_text()):
        logs = [one for one in path.parent.glob(f"{case['name']}*") if one.suffix in (".log", ".txt", ".csv")]
        if not logs:
            continue
        report = analyze(sorted(logs))
        assert report.findings[0].id == case["cause"], case["name"]
