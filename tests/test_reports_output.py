"""What is found, in each form: text, JSON, SARIF (against the official schema), annotations of GitHub."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from triage.reports import output, sarif
from triage.reports.check import Checked, Checker
from triage.reports.problem import Edit, Problem

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
HOSTILE = Problem(
    "a,b: ü\u202e.md", 3, 7, "TRI012", "address-quoted", "warning", "100% \x1b[31mred\nnext | <b>", "line\r\n2", "do `x`", (Edit(0, 1, ""),)
)  # fmt: skip


def checked(*problems: Problem) -> Checked:
    return Checked("a.md", "a.md", list(problems), [("a.md", p.code, str(n)) for n, p in enumerate(problems)])


@pytest.fixture(scope="module")
def real() -> list[Checked]:
    folder = ROOT / "fixtures" / "incidents"
    return [Checker(key=b"k").check(folder / f"2026-11-30-{name}.md") for name in ("wrong-cause", "secret-in-log", "rank1-memory")]


def test_sarif_is_valid(real: list[Checked]) -> None:
    for found in (real, [], [checked(HOSTILE)]):
        data = json.loads(sarif.render(found))
        jsonschema.Draft4Validator(SCHEMA).validate(data)
        run = data["runs"][0]
        for result in run["results"]:
            assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    data = json.loads(sarif.render(real))
    assert {r["ruleId"] for r in data["runs"][0]["results"]} == {"TRI001", "TRI010"}
    place = data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("wrong-cause.md")
    assert place["region"]["startLine"] == 6


def test_sarif_keeps_within_the_limits_of_code_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sarif.RESULTS_MOST <= 25_000
    monkeypatch.setattr(sarif, "RESULTS_MOST", 5)
    broken = Problem("a.md", 0, 0, "TRI001", "cause-not-in-log", "error", "x")
    data = json.loads(sarif.render([checked(*[broken] * 6)]))
    assert len(data["runs"][0]["results"]) == sarif.RESULTS_MOST
    assert data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}


def test_text_is_for_people_and_silent_when_all_is_well(real: list[Checked]) -> None:
    assert output.text([real[2]]) == ""
    lines = output.text(real).splitlines()
    assert lines[0].endswith(":6:1: TRI001 the stated root cause is xid-79, but the log shows cuda-oom-fragmented: Out of GPU memory although enough is reserved, in pieces")
    assert lines[1].startswith("    because: line ")
    assert lines[-1] == "2 errors, 0 warnings in 2 of 3 files; --fix mends 1"
    hostile = output.text([checked(HOSTILE)])
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile
    assert "(warning)" in hostile


def test_lines_are_broken_for_a_terminal(real: list[Checked]) -> None:
    from triage.render.text import cells

    text = output.text(real, 72)
    assert max(cells(line) for line in text.splitlines()) <= 72
    assert " ".join(text.split()) == " ".join(output.text(real).split())


def test_json_is_whole(real: list[Checked]) -> None:
    data = json.loads(output.as_json(real))
    assert data["schema_version"] == 1
    assert [p["code"] for p in data["problems"]] == ["TRI001", "TRI010"]
    assert [p["fixable"] for p in data["problems"]] == [False, True]


def test_annotations_are_one_line_each() -> None:
    lines = output.as_github([checked(*[HOSTILE] * 12)]).splitlines()
    assert len(lines) == 12
    assert lines[0].startswith("::warning file=a%2Cb%3A ü\u202e.md,line=3,col=7,title=TRI012 address-quoted::100%25 red next")
    assert lines[10] == "2 more of level warning are in the summary of the step"


def test_the_summary_shows_markup_as_text() -> None:
    text = output.summary([checked(HOSTILE)])
    assert "\\<b\\>" in text
    assert "next \\|" in text
    text = output.summary([checked(replace(HOSTILE, text="see ![x](https://x.example/a.png) @all <img src=x>", because="", remedy=""))])
    assert "!\\[x\\](https" in text
    assert "@\u200ball \\<img" in text
    assert "nothing wrong" in output.summary([checked()])
