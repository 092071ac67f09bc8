"""`triage explain`, `list` and `formats` as they are typed."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from triage.cli.app import app


def run(*words: str):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "100"})


def test_a_message_is_explained_and_named():
    done = run("explain", "RuntimeError: CUDA error: an illegal memory access was encountered")
    assert "cuda-illegal-address" in done.stdout
    assert "the message is cuda-illegal-address" in done.stderr


def test_a_playbook_is_shown_as_a_page():
    shown = run("explain", "gpu-off-the-bus").stdout
    assert shown.startswith("A GPU no longer answers on the bus\n")
    assert "xid-79" in shown.split("Signatures that lead here")[1]
    data = json.loads(run("explain", "gpu-off-the-bus", "--format", "json").stdout)
    assert data["steps"][0]["command"][0] == "lspci"


def test_explain_in_chinese():
    assert "显存" in run("explain", "cuda-oom", "--lang", "zh").stdout


def test_a_family_that_nobody_knows_lists_all():
    done = run("list", "--family", "zzz")
    assert done.exit_code == 2
    assert "Known: " in done.output
    assert "nvidia" in done.output


def test_formats_of_a_file_that_is_none(tmp_path):
    path = tmp_path / "image.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    done = run("formats", str(path))
    assert done.exit_code == 2
    assert "image.png" in done.stderr


def test_formats_as_data():
    names = [one["format"] for one in json.loads(run("formats", "--format", "json").stdout)]
    assert {"kernel", "nccl", "smi-topo", "windows-event"} <= set(names)


def test_a_code_of_reports_is_explained_within_the_screen():
    done = CliRunner().invoke(app, ["explain", "TRI001"], env={"COLUMNS": "60"})
    assert done.stdout.startswith("TRI001 cause-not-in-log")
    assert "write `signature: unknown` when no log tells." in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 60
