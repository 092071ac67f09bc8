"""The command line: short forms, exit status, streams, typing errors. Mostly as a real process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typed import FAULT, HEALTHY, ROOT, run
from typer.testing import CliRunner

from triage.cli import COMMANDS, with_command
from triage.cli.app import app


@pytest.fixture
def fault(tmp_path: Path) -> str:
    path = tmp_path / "dmesg.txt"
    path.write_text(FAULT)
    return str(path)


@pytest.fixture
def healthy(tmp_path: Path) -> str:
    path = tmp_path / "healthy.txt"
    path.write_text(HEALTHY)
    return str(path)


def test_help_is_fast_and_shows_examples():
    began = os.times()
    done = run("--help")
    ended = os.times()
    seconds = ended.children_user + ended.children_system - began.children_user - began.children_system
    assert done.returncode == 0
    for word in (*COMMANDS, "journalctl -k -b | triage", "Exit status"):
        assert word in done.stdout.decode()
    assert seconds < 1.0  # of processor time, whatever else the machine does; 0.2 s


def test_help_imports_nothing_heavy():
    code = "import sys; from triage.cli.app import app; print([m for m in ('rich', 'pydantic', 'yaml', 're2', 'drain3', 'hyperscan') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_analyze_to_a_pipe_does_not_import_rich(fault):
    code = f"import sys; from triage.cli import main\ntry: main([{fault!r}])\nexcept SystemExit: pass\nprint('rich' in sys.modules, 'pydantic' in sys.modules)"
    run(fault)  # fills the cache of the library
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip().endswith("False False")


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["dmesg.txt"], ["analyze", "dmesg.txt"]),
        (["--format", "json", "x"], ["analyze", "--format", "json", "x"]),
        (["-"], ["analyze", "-"]),
        (["explain", "xid-79"], ["explain", "xid-79"]),
        (["--help"], ["--help"]),
        (["-h"], ["-h"]),
        (["anlyze", "x"], ["anlyze", "x"]),
    ],
)
def test_short_form(arguments, want):
    assert with_command(arguments) == want


def test_a_file_named_like_a_mistyped_command_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lists").write_text("x")
    assert with_command(["lists"]) == ["analyze", "lists"]


def test_exit_status(fault, healthy, tmp_path):
    assert run(fault).returncode == 1
    assert run(healthy).returncode == 0
    assert run(fault, "--exit-zero").returncode == 0
    assert run(str(tmp_path / "none.log")).returncode == 2
    assert run(str(tmp_path / "none.log"), "--exit-zero").returncode == 2
    assert run("analyze", "--no-such-option").returncode == 2


def test_what_nobody_knows_is_3():
    assert run(stdin="lorem ipsum dolor sit amet\n" * 3).returncode == 3


def test_json_is_the_contract_and_stdout_holds_nothing_else(fault):
    done = run("analyze", "--format", "json", fault)
    data = json.loads(done.stdout)
    assert data["schema_version"] == 1
    assert data["verdict"] == "fault"
    assert data["findings"][0]["id"] == "xid-79"
    assert data["findings"][0]["entities"]["pci"] == "0000:43:00"


def test_stdin_alone_is_analysed():
    for arguments in ((), ("-",), ("analyze",), ("analyze", "-")):
        done = run(*arguments, stdin=FAULT)
        assert done.returncode == 1, done.stderr
        assert "xid-79" in done.stdout.decode()


def test_markdown(fault):
    assert run("--format", "md", fault).stdout.decode().startswith("## FAULT: ")


def test_one_unreadable_input_does_not_stop_the_run(fault, tmp_path):
    done = run(fault, str(tmp_path / "none.log"))
    assert done.returncode == 1
    assert "none.log" in done.stdout.decode()


def test_colour_only_where_wanted(fault):
    assert b"\x1b" not in run(fault).stdout
    assert b"\x1b[" in run(fault, "--color", "always").stdout
    assert b"\x1b[" in run(fault, FORCE_COLOR="1").stdout
    assert b"\x1b" not in run(fault, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert b"\x1b" not in run(fault, FORCE_COLOR="1", TERM="dumb").stdout


@pytest.mark.parametrize("columns", ["80", "120"])
def test_it_keeps_to_the_width(fault, columns):
    for line in run(fault, COLUMNS=columns).stdout.decode().splitlines():
        assert len(line) <= int(columns)


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "cp437", "utf-8"])
def test_any_console(tmp_path, encoding):
    chinese = tmp_path / "设备.log"
    chinese.write_text(FAULT + "显卡 🙂 ошибка\n", encoding="utf-8")
    for form in ("terminal", "json", "md"):
        done = run("analyze", "--format", form, str(chinese), "--all", PYTHONIOENCODING=encoding)
        assert done.returncode == 1, done.stderr
        done.stdout.decode(encoding)


@pytest.mark.parametrize(("encoding", "chinese"), [("ascii", False), ("gbk", True), ("utf-8", True)])
def test_chinese_only_where_it_can_be_shown(fault, encoding, chinese):
    done = run(fault, "--lang", "zh", PYTHONIOENCODING=encoding)
    assert ("根因" in done.stdout.decode(encoding)) == chinese
    assert ("no Chinese characters" in done.stderr.decode()) != chinese
    assert "?" not in done.stdout.decode(encoding).splitlines()[0]
    assert run(fault, "--lang", "zh", "-q", PYTHONIOENCODING=encoding).stderr == b""


def test_a_closed_pipe_is_silent(fault):
    command = f"{sys.executable} -m triage {fault} --all --color always | head -c 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["anlyze", "x.log"], "Did you mean 'analyze'"),
        (["explain", "xdi-79"], "Did you mean 'xid-"),
        (["explain", "xid", "99999"], "no signature 'xid 99999'"),
        (["templates", "/no/such"], "/no/such: does not exist"),
        (["formats", "/no/such"], "/no/such: does not exist"),
        (["list", "--family", "nvidai"], "Did you mean 'nvidia'"),
        (["analyze", "--tz", "Mars/Olympus", "x"], "not a known time zone"),
        (["analyze", "--signatures", "/no/such", "x"], "does not exist"),
        (["lint", "/no/such"], "does not exist"),
        (["list", "--format", "yaml"], "': 'yaml' is not one of"),
        (["score", "/no/such"], "/no/such"),
    ],
)
def test_typing_errors_are_told_in_a_line(arguments, want):
    done = run(*arguments)
    assert done.returncode == 2
    assert want in done.stderr.decode()
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


def test_an_unknown_id_to_ignore_is_a_note(fault):
    done = run(fault, "--ignore", "xid-799")
    assert done.returncode == 1
    assert "Did you mean" in done.stderr.decode()
    assert run(fault, "--ignore", "xid-799", "--quiet").stderr == b""


def test_ignore(fault):
    data = json.loads(run("analyze", "--format", "json", fault, "--ignore", "xid-79").stdout)
    assert "xid-79" not in [f["id"] for f in data["findings"]]


@pytest.mark.parametrize("zone", ["+02:00", "-0530", "UTC", "Europe/Berlin"])
def test_time_zones(fault, zone):
    assert run(fault, "--tz", zone).returncode == 1


def test_an_internal_error_is_one_clear_line():
    code = (
        "from triage import cli\n"
        "from triage.cli.app import app\n"
        "@app.command('broken')\n"
        "def broken() -> None:\n    raise RuntimeError('two\\nlines')\n"
        "cli.COMMANDS += ('broken',)\n"
        "cli.main(['broken'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "triage: internal error: RuntimeError: two lines"
    assert "report" in done.stderr
    assert "Traceback" not in done.stderr
    env = {**os.environ, "TRIAGE_DEBUG": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    assert "Traceback" in done.stderr


def test_version():
    runner = CliRunner()
    for arguments in (["version"], ["--version"]):
        shown = runner.invoke(app, arguments)
        assert shown.exit_code == 0
        assert re.fullmatch(r"triage \d+\.\d+\.\d+\S*\n", shown.stdout)
