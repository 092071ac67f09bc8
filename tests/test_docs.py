"""The documentation is tested: every command is in the README, its commands parse, its outputs are real."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from triage import clock
from triage.cli import COMMANDS, with_command
from triage.cli.app import app
from triage.formats.samples import sample_of
from triage.model import Line

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
THREATS = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def shell_lines() -> list[str]:
    """All lines of the README that run `triage`, comments and what is piped in taken off."""
    lines = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    lines += [line[2:] for kind, text in BLOCKS if kind == "console" for line in text.splitlines() if line[:2] == "$ "]
    parts = [part.strip() for line in lines for part in re.split(r"&&|\|", line)]
    return [part for part in parts if re.match(r"(?:\S*/)?triage\b", part)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_heading_and_an_example(command: str) -> None:
    assert re.search(rf"^### `triage {command}`", README, re.MULTILINE), f"README does not describe triage {command}"
    assert any(shlex.split(line, comments=True)[1:2] == [command] for line in shell_lines())


@pytest.mark.parametrize("line", shell_lines())
def test_commands_of_the_readme_parse(line: str) -> None:
    arguments = with_command(shlex.split(line, comments=True)[1:] or ["-"])
    group = typer.main.get_command(app)
    command = group.commands[arguments[0]]  # type: ignore[attr-defined]
    command.make_context(arguments[0], arguments[1:])
    for word in arguments[1:]:
        if word.startswith(("fixtures", "docs/", "signatures/")):
            assert (ROOT / word).exists(), f"{word} does not exist"


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "console"], ids=lambda t: t.split("\n")[0])
def test_outputs_of_the_readme_are_real(text: str) -> None:
    first, *wanted = text.splitlines()
    arguments = shlex.split(first.removeprefix("$ "))[1:]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-m", "triage", *arguments], cwd=ROOT, env=environment, capture_output=True)
    shown = run.stdout.decode("utf-8").splitlines()
    for line in wanted:
        if line != "...":
            assert line in shown, f"{first}: {line!r} is not in the output"


def test_set_up_is_two_commands_of_one_line() -> None:
    section = README[README.index("## Set up") : README.index("## Use")]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert [len(block.splitlines()) for block in blocks] == [1, 1]
    assert all(block.startswith("python3 -m venv .venv && source .venv/bin/activate && pip install") for block in blocks)


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/library.md", "docs/architecture.md", "docs/formats.md", "docs/serve.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"


def test_the_format_of_the_guide_works_as_it_is_printed() -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs/formats.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (log,) = (text for kind, text in blocks if kind == "text")
    (code,) = (text for kind, text in blocks if kind == "python")
    assert len(code.splitlines()) < 60
    names: dict[str, Any] = {"__name__": "fanctl"}
    exec(compile(code, "docs/formats.md", "exec"), names)
    made = names["Fanctl"]()
    lines = [Line(number, text, text) for number, text in enumerate(log.splitlines(), 1)]
    assert made.sniff(lines) == 1.0
    first = made.take(lines, 0)
    assert (first.text, len(first.lines), first.fields) == (
        "\nfan 2 stopped\nduty 100 %, 0 rpm", 3, {"host": "node07", "level": "error", "gpu": 3},
    )  # fmt: skip
    assert clock.iso(first.time) == "2025-03-11T10:02:11Z"
    assert made.take(lines, 1) is None
    assert made.take(lines, 3).text == "\nretrying"
    assert made.sniff([Line(1, text, text) for text in sample_of(made)]) > 0


def test_exit_statuses_are_documented() -> None:
    assert re.findall(r"^\| (\d) \|", README, re.MULTILINE) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`(tests/\w+\.py(?:::\w+)?)`", THREATS))))
def test_each_defence_names_a_test_that_there_is(named: str) -> None:
    path, _, test = named.partition("::")
    assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8") or not test
