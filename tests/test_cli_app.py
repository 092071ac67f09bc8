"""The command line as a whole: every command is there, each with help that fits a terminal."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from triage import __version__
from triage.cli.app import app
from triage.commands import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command):
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert f"Usage: root {command}" in shown.stdout or f"triage {command}" in shown.stdout
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())


def test_the_version_in_two_ways():
    for words in (["--version"], ["version"]):
        assert CliRunner().invoke(app, words).stdout == f"triage {__version__}\n"
