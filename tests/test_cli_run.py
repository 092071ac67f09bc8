"""One analysis without the parser of options: status and the forms of the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from triage import Options, load_library
from triage.cli.run import exit_status, run, run_plain
from triage.model import Report, Source, no_blocks

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
READ, BROKEN = Source("a.log", no_blocks), Source("b.log", no_blocks, readable=False)


@pytest.mark.parametrize(
    ("verdict", "sources", "status"),
    [
        ("healthy", [READ], 0), ("fault", [READ], 1), ("fault", [READ, BROKEN], 1), ("suspect", [READ], 3), ("nothing-understood", [READ], 3),
        ("nothing-understood", [BROKEN], 2), ("healthy", [], 0),
    ],
)  # fmt: skip
def test_status(verdict, sources, status):
    assert exit_status(Report(verdict, "", sources=sources)) == status


def test_forms(capsys):
    library, inputs = load_library(), [FIXTURES / "py-oom-plain"]
    shown = {}
    for form in ("terminal", "json", "md", "html", "csv", "sarif"):
        assert run(inputs, library, Options(), form) == 1
        shown[form] = capsys.readouterr().out
    assert shown["terminal"].startswith("FAULT")
    assert json.loads(shown["json"])["findings"][0]["id"] == "cuda-oom-too-large"
    assert shown["md"].startswith("## FAULT")
    assert shown["html"].startswith("<!DOCTYPE html>")
    assert shown["csv"].splitlines()[1].startswith("fault,current,1,cuda-oom-too-large,")
    assert json.loads(shown["sarif"])["runs"][0]["results"][0]["ruleId"] == "cuda-oom-too-large"
    assert run(inputs, library, Options(), lang="zh") == 1
    assert capsys.readouterr().out.startswith("故障")


def test_the_plain_run_shows_the_same(capsys):
    path = str(FIXTURES / "py-oom-plain")
    run([path], load_library(), Options())
    want = capsys.readouterr().out
    assert run_plain([path]) == 1
    seconds = want.rindex(" in ")
    assert capsys.readouterr().out[:seconds] == want[:seconds]
