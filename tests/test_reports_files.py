"""Which files are reports, and that a mended one is written whole or not at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from triage.reports.config import config_for
from triage.reports.files import reports_in, save

ROOT = Path(__file__).resolve().parent.parent
NO_REPORTS = (
    "README.md", "readme.zh.md", "CHANGELOG.md", "index.md", "_index.md", "SUMMARY.md", "CONTRIBUTING.md", "template.md",
    "0000-template.md", "incident-template.md", "_template.md", "Postmortem Template.md", "template-short.md",
)  # fmt: skip
REPORTS = ("2026-03-14-chat-template-crash.md", "2026-03-14-xid-79.md", "readme-was-wrong-2026.md", "templates-lost.md")


def test_pages_beside_reports_are_none(tmp_path: Path) -> None:
    for name in (*NO_REPORTS, *REPORTS, "templates/a.md", "playbooks/b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# x\n")
    assert [path.name for path in reports_in([tmp_path])] == sorted(REPORTS)


def test_the_hook_leaves_out_the_same_files() -> None:
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    for name in (*NO_REPORTS, "templates/a.md", "playbooks/b.md"):
        assert re.search(hook["exclude"], f"incidents/{name}"), name
    for name in REPORTS:
        assert not re.search(hook["exclude"], f"incidents/{name}"), name
    for folder in ("incidents", "docs/incident", "post-mortems", "postmortem", "incident-reports"):
        assert re.search(hook["files"], f"{folder}/a.md"), folder
    assert not re.search(hook["files"], "coincidents/a.md")


def test_what_the_configuration_excludes_is_left_out_everywhere(tmp_path: Path) -> None:
    config_for.__globals__["_upward"].cache_clear()
    (tmp_path / ".triage.yaml").write_text("exclude: ['incidents/howto/*']\n")
    for name in ("incidents/howto/a.md", "incidents/b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# x\n")
    assert [path.name for path in reports_in([tmp_path])] == ["b.md"]
    assert reports_in([tmp_path / "incidents/howto/a.md"]) == []


def test_a_report_is_written_in_one_step(tmp_path: Path) -> None:
    path, link = tmp_path / "a.md", tmp_path / "link.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    save(link, b"old", b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777, link.is_symlink()) == (b"new", 0o640, True)
    with pytest.raises(OSError, match="changed meanwhile"):
        save(path, b"old", b"newer")
    assert path.read_bytes() == b"new"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.md", "link.md"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        save(path, b"old", b"new")
    assert path.read_bytes() == b"old"
