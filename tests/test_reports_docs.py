"""docs/reports.md names every code as it is, every setting, and works as printed; the Action calls what exists."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from triage.cli.app import app
from triage.reports import config
from triage.reports.checks import CHECKS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")


def test_the_table_of_codes_is_complete() -> None:
    wanted = [
        f"| {c.code} | `{c.slug}` | {c.level} | {'yes' if c.fixes else ''} | {c.title} |"
        for c in sorted(CHECKS, key=lambda check: check.code)
    ]
    assert [line for line in PAGE.splitlines() if line.startswith("| TRI")] == wanted


def test_every_setting_is_shown_and_can_be_read(tmp_path: Path) -> None:
    (text,) = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "facts:" in text]
    (tmp_path / "incident.md.j2").write_text("x")
    (tmp_path / ".triage.yaml").write_text(text)
    found = config.read(tmp_path / ".triage.yaml")
    assert found is not None
    assert set(yaml.safe_load(text)) == set(config._READERS)
    assert (found.fields, found.sections, found.facts) == (config.FIELDS, config.SECTIONS, config.FACTS)


@pytest.mark.parametrize("line", [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines() if line
])  # fmt: skip
def test_commands_parse(line: str) -> None:
    import typer

    words = shlex.split(line, comments=True)[1:]
    group = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
    group.commands[words[1]].make_context(words[1], words[2:])


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_the_action_runs(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "triage"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m triage "$@"\n')
    command.chmod(0o755)
    reports = tmp_path / "in cidents"
    reports.mkdir()
    (reports / "$(touch pwned).md").write_bytes((ROOT / "fixtures/incidents/2026-11-30-wrong-cause.md").read_bytes())
    env = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "TRIAGE_PATHS": "in cidents\n\n", "TRIAGE_ARGS": "", "TRIAGE_SARIF": "out.sarif", "GITHUB_STEP_SUMMARY": str(tmp_path / "s.md"),
    }  # fmt: skip
    script = action["runs"]["steps"][-1]["run"]
    done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=in cidents/$(touch pwned).md,line=6,")
    assert "TRI001" in (tmp_path / "out.sarif").read_text()
    assert "TRI001" in (tmp_path / "s.md").read_text()
    assert not (tmp_path / "pwned").exists()


def test_the_action_and_the_example_call_what_exists() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    run = action["runs"]["steps"][-1]["run"]
    assert "triage report check --format github" in run
    assert "${{" not in "".join(step.get("run", "") for step in action["runs"]["steps"])
    example = ROOT / "examples" / "incidents"
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    used = yaml.safe_load((example / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert {hook["id"] for hook in used[0]["hooks"]} == hooks
    named = re.findall(r"^(\S+?)/? {2,}", (example / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(named) > 6
    for name in named:
        assert (example / name).exists(), name
