"""`triage plan` as a whole: loaded late, complete help, and called by playbooks with the values of a log."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.planned import CONFIG, run
from triage.advise import fill_command
from triage.cli.plan import COMMANDS
from triage.library.loader import load_library
from triage.pipeline import analyze

ROOT = Path(__file__).resolve().parent.parent


def test_the_commands_are_loaded_only_when_one_is_named():
    code = "import sys, typer; from triage.cli.app import app; typer.main.get_command(app); print([m for m in sys.modules if 'plan_' in m or 'estimate' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_command():
    shown = run("--help").stdout
    for name in COMMANDS:
        assert re.search(rf"^  {name}  +\S", shown, re.MULTILINE), name
        assert run([name, "--help"]).exit_code == 0
    assert run("nothing").exit_code == 2


def _plans():
    for book in load_library().playbooks.values():
        for step, _ in book.steps():
            if step.command and step.command[:2] == ["triage", "plan"]:
                yield book.id, step.command


@pytest.mark.parametrize(("book", "command"), list(_plans()), ids=lambda value: value if isinstance(value, str) else "")
def test_commands_of_playbooks_run(book, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text(CONFIG)
    known = {"requested": "4.00 GiB", "free": "989.12 MiB", "total": "139.80 GiB", "allocated": "137.07 GiB", "gpu": 0}
    words = ["4" if word.startswith("<") else word for word in fill_command(command, known)]
    done = run(words[2:])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("line", re.findall(r"^(?:\$ )?triage plan (.*)$", (ROOT / "README.md").read_text(), re.MULTILINE))
def test_commands_of_the_readme_run(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text(CONFIG)
    Path("fixtures").symlink_to(ROOT / "fixtures")
    done = run(shlex.split(line, comments=True))
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("case", ["py-oom-training", "py-oom-other-process", "py-oom-plain"])
def test_the_report_of_an_oom_holds_the_plan_with_its_numbers(case):
    report = analyze([ROOT / "fixtures" / case])
    playbook = report.findings[0].playbook
    assert playbook is not None
    (command,) = (step.command for step in playbook.steps if step.command and step.command[:2] == ["triage", "plan"])
    assert not any("<" in word for word in command)
    done = run(command[2:])
    assert done.exit_code == 0, done.output
    assert "GiB" in done.stdout
