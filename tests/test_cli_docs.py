"""`triage docs build`: where it writes, and where it refuses to."""

from __future__ import annotations

from typer.testing import CliRunner

from triage.cli.app import app


def build(folder):
    return CliRunner().invoke(app, ["docs", "build", str(folder)])


def test_it_writes_and_says_where(tmp_path):
    done = build(tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert "pages: " in done.stderr
    assert "xid-79" in (tmp_path / "site/index.html").read_text(encoding="utf-8")


def test_it_refuses_a_folder_of_somebody_else(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    done = build(tmp_path)
    assert done.exit_code == 2
    assert "DIR" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_a_command_it_shows_its_help():
    assert "build" in CliRunner().invoke(app, ["docs"]).output
