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


README = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("## The re-checks on real GPUs") : README.index("## What it reads")]


def test_the_table_of_the_readme_is_what_was_measured() -> None:
    one, two = ({r["probe"]: r for r, _ in results(FOLDER / name / "all.json")} for name in ("h200-x1", "h200-x2"))
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in SECTION.splitlines() if row.startswith("| ")][1:]
    assert rows == [
        [name, one[name]["outcome"], f"{one[name]['seconds']:.1f}", two[name]["outcome"], f"{two[name]['seconds']:.1f}"]
        for name in probes()
    ]


def test_the_walks_of_the_readme_are_what_was_recorded() -> None:
    said = []
    for path in PROVOKED:
        for case in json.loads(path.read_text()):
            said += [f"{one['probe']} {one['outcome']}: {one['detail']}" for one in case["recheck"] or () if "outcome" in one]
            said.append(case["summary"])
    for path in RESULTS:
        said += [f"{one['probe']} {one['outcome']}: {one['detail']}" for one, _ in results(path)]
    lines = [line.strip() for block in SECTION.split("```text\n")[1:] for line in block.split("```")[0].splitlines()]
    told = [line.removeprefix("RECHECK  ").removeprefix("FAULT    ") for line in lines if not line.startswith(("triage ", "NCCL_", "unset", "kill", "mount"))]
    assert len(told) == 13
    for line in told:
        parts = [part.strip() for part in line.replace("(...)", "...").split("...")]
        assert any(all(part in one for part in parts) for one in said), line
