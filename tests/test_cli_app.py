"""The command line as a whole: every command is there, each with help that fits a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

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


@pytest.mark.parametrize("words", [[], ["plan"], ["plan", "memory"], ["history"], ["report"], ["docs"]])
def test_lists_of_commands_cut_no_sentence(words):
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "78"})
    commands = shown.stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert commands
    assert [line for line in commands if "..." in line] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_arguments_are_named_once_and_plainly(command):
    usage = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80"}).stdout.splitlines()[0]
    assert not any(twice in usage for twice in ("[[", "...}", "]..]", "......"))


def test_the_version_in_two_ways():
    for words in (["--version"], ["version"]):
        assert CliRunner().invoke(app, words).stdout == f"triage {__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_analysis_leaves_without_a_traceback():
    command = [sys.executable, "-m", "triage", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"a line of a log\n" * (1 << 16))  # more than a pipe holds: it is being read now
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b""
