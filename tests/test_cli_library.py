"""Commands that ask the library, and completion, as a person types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typed import FAULT, ROOT, run
from typer.testing import CliRunner

from triage.cli.app import app


@pytest.fixture
def fault(tmp_path: Path) -> str:
    path = tmp_path / "dmesg.txt"
    path.write_text(FAULT)
    return str(path)


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
