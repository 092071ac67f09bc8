"""The command line: short forms, exit status, streams, typing errors. Mostly as a real process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from triage.cli import COMMANDS, with_command
from triage.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
FAULT = (
    "[88213.557816] NVRM: GPU at PCI:0000:43:00: GPU-8a2b6f0e-7c1d-4c7e-9d0a-1f2e3d4c5b6a\n"
    "[88213.557916] NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)
HEALTHY = (
    "[    4.101] nvidia: loading out-of-tree module taints kernel.\n"
    "[    4.203] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24 22:55:15 UTC 2024\n"
    "[    4.311] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  535.161.08\n"
)


def run(*arguments: str, stdin: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TRIAGE_DEBUG")}
    return subprocess.run(
        [sys.executable, "-m", "triage", *arguments],
        input=data, capture_output=True, env={**clean, "PYTHONPATH": str(ROOT), **env}, timeout=300, check=False,
    )  # fmt: skip


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


def test_explain_reads_like_a_manual():
    shown = CliRunner().invoke(app, ["explain", "xid-79", "--all"]).stdout
    for part in ("xid-79", "Role", "What it means", "How it is recognised", "What to do", "Sources"):
        assert part in shown, part
    data = json.loads(CliRunner().invoke(app, ["explain", "xid-79", "--format", "json"]).stdout)
    assert data["id"] == "xid-79"
    assert data["patterns"]


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("79", "xid-79"), ("xid 79", "xid-79"), ("XID-79", "xid-79"), ("Xid: 79", "xid-79"), ("sxid 20034", "sxid-20034"),
        ("20034", "sxid-20034"), ("code 43", "win-code-43"), ("cuda 700", "cuda-illegal-address"), ("CUDA error 710", "cuda-assert"),
    ],
)  # fmt: skip
def test_explain_takes_a_code_as_people_write_it(words, want):
    assert json.loads(CliRunner().invoke(app, ["explain", *words.split(), "--format", "json"]).stdout)["id"] == want


def test_explain_numbers_steps_and_keeps_patterns_whole():
    shown = CliRunner().invoke(app, ["explain", "xid-79", "--all"]).stdout
    numbers = [int(n) for n in re.findall(r"^ +(\d+)\. ", shown, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    for pattern in json.loads(CliRunner().invoke(app, ["explain", "xid-79", "--format", "json"]).stdout)["patterns"]:
        assert pattern["regex"] in shown


def test_formats():
    shown = CliRunner().invoke(app, ["formats"]).stdout
    assert re.search(r"^kernel  ", shown, re.MULTILINE)
    scores = json.loads(CliRunner().invoke(app, ["formats", str(ROOT / "fixtures/x4-illegal/dmesg-x4-illegal.txt"), "-f", "json"]).stdout)
    assert scores[0]["format"] == "kernel"


def test_list():
    shown = CliRunner().invoke(app, ["list"])
    assert shown.exit_code == 0
    assert re.search(r"^  xid-79 +fatal +cause", shown.stdout, re.MULTILINE)
    data = json.loads(CliRunner().invoke(app, ["list", "--family", "nvidia", "--format", "json"]).stdout)
    assert {row["family"] for row in data} == {"nvidia"}


def test_list_stats():
    shown = CliRunner().invoke(app, ["list", "--stats"])
    assert shown.exit_code == 0
    assert re.search(r"^all +1,\d{3} ", shown.stdout, re.MULTILINE)
    data = json.loads(CliRunner().invoke(app, ["list", "--stats", "--format", "json"]).stdout)
    assert sum(row["signatures"] for row in data["families"]) == data["signatures"] == sum(data["roles"].values())
    assert sum(row["match"] for row in data["families"]) == data["match"]
    one = json.loads(CliRunner().invoke(app, ["list", "--stats", "--family", "pcie", "--format", "json"]).stdout)
    assert [row["family"] for row in one["families"]] == ["pcie"]
    assert one["ignore"] > 0


def test_templates(fault):
    shown = CliRunner().invoke(app, ["templates", fault])
    assert shown.exit_code == 0
    assert "[xid-79]" in shown.stdout
    data = json.loads(CliRunner().invoke(app, ["templates", fault, "--format", "json"]).stdout)
    assert sum(row["count"] for row in data) >= 1


def test_lint_names_file_and_line(tmp_path):
    (tmp_path / "broken.yaml").write_text("id: broken\ntitel: x\n")
    done = run("lint", str(tmp_path))
    assert done.returncode == 1
    assert re.search(r"broken\.yaml:\d+: ", done.stdout.decode())


def test_score(tmp_path):
    case = tmp_path / "cases" / "one"
    case.mkdir(parents=True)
    (case / "dmesg.txt").write_text(FAULT)
    (case / "expect.yaml").write_text("id: one\nroot_cause: xid-79\nentities: {pci: '0000:43:00'}\n")
    out = tmp_path / "rows.json"
    done = run("score", str(tmp_path / "cases"), "--show", "--json", str(out))
    assert done.returncode == 0, done.stderr
    assert "exact 1" in done.stdout.decode()
    assert json.loads(out.read_text())[0]["status"] == "exact"


def test_completion_is_offered():
    done = run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0
    assert b"_TRIAGE_COMPLETE=complete_bash" in done.stdout


@pytest.mark.parametrize(
    ("line", "want"),
    [("triage expl", "explain"), ("triage explain xid-7", "xid-79"), ("triage list --family nvid", "nvidia"), ("triage analyze --ignore xid-9", "xid-94")],
)
def test_completion_knows_commands_ids_and_families(line, want):
    words = line.split()
    done = run(_TRIAGE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    found = done.stdout.decode().split()
    assert want in found
    assert all(one.startswith(words[-1]) for one in found)
