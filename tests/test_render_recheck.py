"""Results of re-checks as tables, as data, and compared."""

from __future__ import annotations

import pytest

from triage.recheck.judging import Result
from triage.recheck.registry import probes
from triage.render import recheck
from triage.render.page import plain

FOUND = [
    Result("pcie-link", "confirmed", "0000:3b:00 runs at Gen5 x8 of Gen5 x16: lanes are missing", 0.42, reading={"gpus": [{"width": 8}]}),
    Result("shm", "refuted", "24,106 of 24,106 MiB free in /dev/shm " * 4, 0.06),
    Result("persistence", "confirmed", "persistence mode is off on 0000:3b:00", 0.3, warning=True),
]  # fmt: skip


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_table_keeps_to_the_width(width: int) -> None:
    text = plain(recheck.results(FOUND, width))
    assert all(len(line) <= width for line in text.splitlines())
    assert "pcie-link    confirmed  0.4 s" in text
    assert "persistence  confirmed (warning)" in text
    assert "lanes are missing" in text.replace("\n    ", " ")


@pytest.mark.parametrize("width", [60, 100])
def test_the_list_of_probes_keeps_to_the_width(width: int) -> None:
    text = plain(recheck.probes(probes(), width))
    assert all(len(line) <= width for line in text.splitlines())
    assert all(name in text for name in probes())
    one = plain(recheck.probe(probes()["alloc"], ["cuda-oom"], width))
    assert "CONFIRMS" in one
    assert "cuda-oom" in one


def test_the_data_holds_the_readings() -> None:
    data = recheck.results_dict(FOUND, "/usr/bin/python3", {"id": "x"})
    assert data["schema_version"] == 1
    assert data["results"][0]["reading"] == {"gpus": [{"width": 8}]}
    assert {entry["probe"] for entry in recheck.probes_dict(probes(), {"alloc": ["b", "a"]})} == set(probes())
    assert next(e for e in recheck.probes_dict(probes(), {"alloc": ["b", "a"]}) if e["probe"] == "alloc")["ids"] == ["a", "b"]


def test_two_results_are_compared() -> None:
    before = recheck.results_dict(FOUND, "python3", {})
    cured = Result("pcie-link", "refuted", "x", 0.4, reading={"gpus": [{"width": 16, "name": "H200", "temperature": 100}]})
    other = Result("pcie-link", "refuted", "x", 0.4, reading={"gpus": [{"width": 16, "name": "H200", "temperature": 97}]})
    rows = recheck.differences(before, recheck.results_dict([cured, *FOUND[1:]], "python3", {}))
    assert {(row["probe"], row["what"], row["before"], row["after"]) for row in rows} == {
        ("pcie-link", "outcome", "confirmed", "refuted"), ("pcie-link", "gpus.0.width", 8, 16),
        ("pcie-link", "gpus.0.name", None, "H200"), ("pcie-link", "gpus.0.temperature", None, 100),
    }  # fmt: skip
    assert recheck.differences(recheck.results_dict([cured], "a", {}), recheck.results_dict([other], "b", {})) == []  # 3 %
    assert plain(recheck.comparison(rows)).startswith("pcie-link  outcome: confirmed → refuted")
    assert plain(recheck.comparison([])) == "no difference\n"


@pytest.mark.parametrize("data", [{}, {"results": [{}]}, [], {"results": 3}])
def test_what_is_no_result_is_told(data: object) -> None:
    with pytest.raises(ValueError, match="triage recheck"):
        recheck.differences(data, data)  # type: ignore[arg-type]
