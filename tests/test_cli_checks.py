"""`triage report check` as hooks call it: without the parser of options, with the same result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from triage.cli.app import app
from triage.cli.checks import run, straight

REPORTS = Path(__file__).resolve().parent.parent / "fixtures" / "incidents"
WRONG, RIGHT = REPORTS / "2026-11-30-wrong-cause.md", REPORTS / "2026-11-30-rank1-memory.md"


@pytest.mark.parametrize(("words", "told"), [
    ("a.md b", {"paths": ["a.md", "b"]}), ("--fix a", {"paths": ["a"], "fix": True}),
    ("--format github -- a -b", {"paths": ["a", "-b"], "form": "github"}),
    ("-f json --exit-zero a", {"paths": ["a"], "form": "json", "exit_zero": True}), ("--format=sarif a", {"paths": ["a"], "form": "sarif"}),
])  # fmt: skip
def test_what_hooks_call_needs_no_parser(words: str, told: dict[str, Any]) -> None:
    paths = [Path(path) for path in told["paths"]]
    assert straight(words.split()) == {"form": "text", **told, "paths": paths}


@pytest.mark.parametrize("words", ["", "--fix", "--help", "a --format xml", "a --format", "--baseline b a", "--update-baseline a", "-o x a"])
def test_anything_else_goes_to_the_parser(words: str) -> None:
    assert straight(words.split()) is None


@pytest.mark.parametrize("words", [[], ["--format", "json"], ["-f", "github", "--exit-zero"], ["--format=sarif"]], ids=" ".join)
@pytest.mark.parametrize("paths", [[WRONG], [RIGHT], [WRONG, RIGHT, REPORTS / "none.md"]], ids=["wrong", "right", "unreadable"])
def test_both_ways_show_the_same(words: list[str], paths: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    words = [*words, *map(str, paths)]
    found = CliRunner().invoke(app, ["report", "check", *words], env={"GITHUB_STEP_SUMMARY": ""})
    told = straight(words)
    assert told is not None
    status = run(**told)
    assert (status, capsys.readouterr().out) == (found.exit_code, found.stdout)


def test_the_parser_is_not_loaded(tmp_path: Path) -> None:
    code = "import sys, triage.cli\ntry: triage.cli.main(sys.argv[1:])\nfinally: print([m for m in ('typer', 'pydantic', 'doctest') if m in sys.modules], file=sys.stderr)"
    command = [sys.executable, "-c", code, "report", "check", str(WRONG)]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):  # the first run reads the files of the library, which needs pydantic
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "[]")
