from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("httpx2")

from tests.desk import HEALTHY, XID

ROOT = Path(__file__).resolve().parent.parent


def run(tmp_path: Path, event: dict[str, object], **env: str) -> tuple[int, str, str]:
    (tmp_path / "event.json").write_text(json.dumps(event))
    told = subprocess.run(
        [sys.executable, "-m", "triage.serve.action"], capture_output=True, text=True, timeout=120, cwd=ROOT,
        env=os.environ | {
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_EVENT_NAME": "issues", "TRIAGE_COMMENT": "false",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PYTHONPATH": str(ROOT), "TRIAGE_PATHS": "",
        } | env,
    )  # fmt: skip
    summary = tmp_path / "summary.md"
    return told.returncode, summary.read_text() if summary.exists() else "", told.stdout + told.stderr


def issue(text: str) -> dict[str, object]:
    user = {"type": "User"}
    return {"action": "opened", "sender": user, "issue": {"number": 1, "body": text, "user": user, "labels": []}}


def test_the_text_of_an_issue_is_answered_in_the_summary(tmp_path: Path) -> None:
    status, summary, _ = run(tmp_path, issue(f"$(touch {tmp_path}/owned) `id`\n{XID}"))
    assert status == 0
    assert "fallen off the bus" in summary
    assert not (tmp_path / "owned").exists()


def test_files_of_the_workspace_are_read(tmp_path: Path) -> None:
    (tmp_path / "dmesg.txt").write_text(XID)
    assert "fallen off the bus" in run(tmp_path, {}, TRIAGE_PATHS=str(tmp_path / "dmesg.txt"))[1]


def test_a_healthy_log_and_no_log(tmp_path: Path) -> None:
    assert "HEALTHY" in run(tmp_path, issue(HEALTHY))[1]
    assert "no log for us" in run(tmp_path, {"action": "labeled"})[2]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    status, _, told = run(tmp_path, {}, TRIAGE_PATHS="nothing.log")
    assert status == 2
    assert "no file nothing.log" in told


def test_no_text_of_others_stands_in_a_command() -> None:
    steps = yaml.safe_load((ROOT / ".github/actions/triage/action.yml").read_text())["runs"]["steps"]
    assert not any("${{" in step.get("run", "") for step in steps)
