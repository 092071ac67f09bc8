"""The list of commands is the list that the command line has, and light enough for every module to import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from triage.cli.app import app
from triage.commands import COMMANDS


def test_the_names_are_those_of_the_command_line():
    assert sorted(typer.main.get_command(app).commands) == sorted(COMMANDS)
    assert len(set(COMMANDS)) == len(COMMANDS)


def test_it_imports_nothing():
    code = "import sys; before = set(sys.modules); import triage.commands; print(sorted(set(sys.modules) - before))"
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert not any(name in done.stdout for name in ("typer", "click", "rich", "triage.library"))
