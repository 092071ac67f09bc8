"""`triage templates` and `score` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from triage.cli.app import app

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def run(*words: str, stdin: str = ""):
    return CliRunner().invoke(app, list(words), input=stdin, env={"COLUMNS": "100"})


def kinds(count: int) -> str:
    """Lines of that many kinds: no two share a word."""
    return "".join(f"w{n:03}x a{n:03}y b{n:03}z happened\n".translate(str.maketrans("0123456789", "abcdefghij")) for n in range(count))


def test_standard_input_and_the_sum_of_the_counts():
    found = json.loads(run("templates", "-", "--format", "json", stdin=kinds(3) * 4).stdout)
    assert sum(one["count"] for one in found) == 12
    assert len(found) == 3


def test_the_many_kinds_are_cut_unless_all_are_wanted():
    shown = run("templates", "-", stdin=kinds(80)).stdout
    assert "(20 more kinds: --all)" in shown
    assert "more kinds" not in run("templates", "-", "--all", stdin=kinds(80)).stdout


def test_what_cannot_be_read_is_told_and_the_rest_is_counted(tmp_path):
    log = FIXTURES / "py-oom-plain/py-oom_plain.log"
    done = run("templates", str(log), str(tmp_path / "none.log"))
    assert done.exit_code == 0
    assert "none.log" in done.stderr
    assert "[cuda-oom" in done.stdout
    assert run("templates", str(tmp_path / "none.log")).exit_code == 2


def test_score_names_what_is_not_right(tmp_path):
    case = tmp_path / "cases/wrong"
    case.mkdir(parents=True)
    (case / "out.log").write_text((FIXTURES / "py-oom-plain/py-oom_plain.log").read_text())
    (case / "expect.yaml").write_text("id: wrong\nroot_cause: xid-79\n")
    shown = run("score", "--show", str(tmp_path / "cases"), "--json", str(tmp_path / "rows.json")).stdout
    assert "wrong" in shown
    assert "cuda-oom-too-large" in shown
    assert json.loads((tmp_path / "rows.json").read_text())[0]["status"] not in ("exact", "accepted")
