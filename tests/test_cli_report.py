"""`triage report` and `triage explain TRI001` as a person types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from incident import RIGHT
from typer.testing import CliRunner, Result

from triage.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "fixtures" / "incidents"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"GITHUB_STEP_SUMMARY": ""})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("wrong-cause", "person-in-log", "rank1-memory"):
        shutil.copy(REPORTS / f"2026-11-30-{name}.md", tmp_path)
    return tmp_path


def test_exit_status_and_output(folder: Path) -> None:
    done = run("report", "check", folder)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "2 errors, 0 warnings in 2 of 3 files; --fix mends 1"
    assert run("report", "check", "--exit-zero", folder).exit_code == 0
    right = run("report", "check", folder / "2026-11-30-rank1-memory.md")
    assert (right.exit_code, right.stdout) == (0, "")
    assert run("report", "check", folder / "none.md").exit_code == 2


def test_mending_writes_and_stops_once(folder: Path) -> None:
    path = folder / "2026-11-30-person-in-log.md"
    first, second = run("report", "check", "--fix", path), run("report", "check", "--fix", path)
    assert (first.exit_code, first.stdout.splitlines()[-1]) == (1, "1 problem mended")
    assert f"{path}:50:15: TRI011 'jsmith' names a person -- mended" in first.stdout
    assert (second.exit_code, second.stdout) == (0, "")
    assert "jsmith" not in path.read_text()


def test_a_file_that_cannot_be_read_or_written_does_not_stop_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.md").write_bytes(RIGHT.encode("utf-16"))
    done = run("report", "check", folder)
    assert done.exit_code == 2
    assert "a.md: is UTF-16, not UTF-8; save it as UTF-8" in done.stderr
    assert "TRI001" in done.stdout
    (folder / "a.md").unlink()
    monkeypatch.setattr("os.access", lambda path, mode: "person" not in str(path))
    done = run("report", "check", "--fix", "--exit-zero", folder)
    assert done.exit_code == 2, "not done is told whatever is wished"
    assert "2026-11-30-person-in-log.md: not mended: may not be written" in done.stderr
    assert "jsmith" in (folder / "2026-11-30-person-in-log.md").read_text()


def test_outputs_go_into_new_folders(folder: Path) -> None:
    for command in (("check", "-f", "sarif", folder), ("index", folder), ("new", ROOT / "fixtures/dist-oom/dist-oom.log")):
        output = folder / command[0] / "new" / "out.md"
        assert run("report", *command, "-o", output).exit_code < 2
        assert output.stat().st_size > 100
        done = run("report", *command, "-o", folder / "2026-11-30-rank1-memory.md" / "x.md")
        assert (done.exit_code, "cannot be written" in done.stderr) == (2, True)


def test_a_folder_without_reports_is_told(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# x\n")
    done = run("report", "check", tmp_path)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"triage: no report in {tmp_path}\n")


def test_a_secret_does_not_become_known_in_silence(folder: Path) -> None:
    shutil.copy(REPORTS / "2026-11-30-secret-in-log.md", folder)
    assert "1 of them quote secrets: revoke these" in run("report", "check", "--update-baseline", folder).stderr


def test_a_baseline_silences_what_was_there(folder: Path) -> None:
    assert run("report", "check", "--update-baseline", folder).exit_code == 0
    assert run("report", "check", folder).exit_code == 0
    assert (folder / ".triage-baseline.json").exists()
    (folder / ".triage-baseline.json").write_text("x")
    assert run("report", "check", folder).exit_code == 2


def test_a_wrong_configuration_stops_everything(folder: Path) -> None:
    (folder / "c.yaml").write_text("felds: [id]\n")
    done = run("report", "check", "--config", folder / "c.yaml", folder)
    assert done.exit_code == 2
    assert "c.yaml:1: unknown setting 'felds'; did you mean 'fields'?" in done.output


def test_forms(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert len(json.loads(run("report", "check", "-f", "json", folder).stdout)["problems"]) == 2
    sarif = tmp_path / "x.sarif"
    done = run("report", "check", "-f", "sarif", "-o", sarif, folder)
    assert "2 errors" in done.stdout
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == 2
    step = tmp_path / "summary.md"
    done = CliRunner().invoke(app, ["report", "check", "-f", "github", str(folder)], env={"GITHUB_STEP_SUMMARY": str(step)})
    assert done.stdout.startswith("::error file=")
    assert "| TRI001 cause-not-in-log |" in step.read_text()


def test_new_and_index(tmp_path: Path) -> None:
    target = tmp_path / "in" / "2026-11-30-oom.md"
    assert run("report", "new", ROOT / "fixtures" / "py-oom-plain", "-o", target, "--tz", "UTC").exit_code == 0
    assert run("report", "check", target).exit_code == 0
    assert run("report", "new", ROOT / "fixtures" / "py-oom-plain", "-o", target).exit_code == 2
    assert run("report", "new", tmp_path / "none.log", "-o", tmp_path / "x.md").exit_code == 2
    index = tmp_path / "in" / "all.md"
    assert run("report", "index", tmp_path / "in", "-o", index, "--check").exit_code == 1
    assert run("report", "index", tmp_path / "in", "-o", index).exit_code == 0
    assert run("report", "index", tmp_path / "in", "-o", index, "--check").exit_code == 0
    assert run("report", "index", tmp_path / "in", "-o", tmp_path / "x.html").exit_code == 0
    assert (tmp_path / "x.html").read_text().startswith("<!DOCTYPE html>")
    shutil.copy(target, tmp_path / "in" / "copy.md")
    done = run("report", "index", tmp_path / "in")
    assert done.exit_code == 1
    assert "id 2026-11-30-oom is used 2 times" in done.output


def test_the_index_of_the_example_is_up_to_date() -> None:
    folder = ROOT / "examples" / "incidents" / "incidents"
    assert run("report", "index", folder, "-o", folder / "index.md", "--check").exit_code == 0


def test_codes_are_explained() -> None:
    for name in ("TRI001", "tri001", "cause-not-in-log"):
        done = run("explain", name)
        assert done.exit_code == 0
        assert done.stdout.startswith("TRI001 cause-not-in-log · error")
        assert "Instead:" in done.stdout
    assert json.loads(run("explain", "TRI011", "-f", "json").stdout)["fixes"] is True
    assert "docs/reports.md" in run("explain", "TRI999").output
    assert run("explain", "xid-79").stdout.startswith("Xid 79")


def test_signatures_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "signatures").mkdir()
    (tmp_path / "signatures" / "x.yaml").write_text("id: x\n")
    (tmp_path / ".triage.yaml").write_text("signatures: [.]\n")
    (tmp_path / "a.md").write_text(RIGHT)
    assert "left out of the library: " in run("report", "check", tmp_path / "a.md").output
