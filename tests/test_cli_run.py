"""One analysis without the parser of options: status and the forms of the report."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from triage import Options, load_library
from triage.cli.app import app
from triage.cli.run import exit_status, run, run_straight, straight
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


OPTIONS = {"form": "terminal", "quiet": False, "everything": False, "exit_zero": False}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a.log b", {"paths": ["a.log", "b"]}),
        ("--format json -", {"paths": ["-"], "form": "json"}),
        ("a --format=md -q -a", {"paths": ["a"], "form": "md", "quiet": True, "everything": True}),
        ("-f json -f terminal --exit-zero --quiet --all a", {"paths": ["a"], "quiet": True, "everything": True, "exit_zero": True}),
    ],
)  # fmt: skip
def test_what_is_typed_most_needs_no_parser(words, told):
    assert straight(words.split()) == OPTIONS | told


@pytest.mark.parametrize("words", ["--lang zh a", "a --tz=UTC", "--help", "a --format xml", "a --format", "-qa x", "-- a", "--colour a"])
def test_anything_else_goes_to_the_parser(words):
    assert straight(words.split()) is None


@pytest.mark.parametrize("words", [[], ["--format", "json"], ["-f", "md", "--all"], ["--exit-zero", "-q"]], ids=" ".join)
def test_both_ways_show_the_same(words, capsys):
    words = [*words, str(FIXTURES / "py-oom-plain")]
    found = CliRunner().invoke(app, ["analyze", *words])
    status = run_straight(**straight(words))
    shown = [re.sub(r'in [0-9.]+ s|"seconds": [0-9.]+', "", text) for text in (capsys.readouterr().out, found.stdout)]
    assert (status, shown[0]) == (found.exit_code, shown[1])


@pytest.mark.parametrize("words", [[], ["--format", "json"]], ids=["terminal", "json"])
def test_the_parser_is_not_loaded(words):
    code = "import sys, triage.cli\ntry: triage.cli.main(sys.argv[1:])\nfinally: print([m for m in ('typer', 'pydantic') if m in sys.modules], file=sys.stderr)"
    path = str(FIXTURES / "py-oom-plain")
    done = subprocess.run([sys.executable, "-c", code, "analyze", *words, path], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "[]")
