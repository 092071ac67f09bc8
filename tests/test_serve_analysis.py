from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.desk import HEALTHY, XID
from triage.serve.analysis import analyse, warm
from triage.serve.workers import Job

SALT = "5a" * 32
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
LOG = f"2026-11-01T10:00:00+00:00 node-of-acme kernel: {XID.split('] ')[1]}\n"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # an analysis of files changes the working folder of its process


def nothing(_done: int, _size: int) -> None:
    pass


def test_a_text_is_redacted_before_it_is_read() -> None:
    done = analyse(Job(text=f"{LOG}token {SECRET}", salt=SALT), nothing)
    assert done.report["findings"][0]["id"] == "xid-79"
    assert SECRET not in done.text + json.dumps(done.report)
    assert "node-of-acme" not in done.text + json.dumps(done.report)
    assert done.removed


def test_one_salt_gives_one_pseudonym_and_another_another() -> None:
    first, again, other = (analyse(Job(text=LOG, salt=salt), nothing).text for salt in (SALT, SALT, "6b" * 32))
    assert first == again
    assert first != other


def test_files_are_read_with_the_names_that_people_gave(tmp_path: Path) -> None:
    (tmp_path / "up" / "2").mkdir(parents=True)
    (tmp_path / "up" / "dmesg.txt").write_text(LOG)
    (tmp_path / "up" / "2" / "dmesg.txt").write_text(HEALTHY * 40_000)  # large enough to tell how far it is
    steps: list[tuple[int, int]] = []
    paths = (str(tmp_path / "up" / "dmesg.txt"), str(tmp_path / "up" / "2" / "dmesg.txt"))
    done = analyse(Job(paths=paths, salt=SALT), lambda read, size: steps.append((read, size)))
    assert [source["name"] for source in done.report["sources"]] == ["dmesg.txt", "2/dmesg.txt"]
    assert str(tmp_path) not in json.dumps(done.report)
    assert done.text == ""  # of files only what the report quotes is kept
    whole = sum(os.stat(path).st_size for path in paths)
    assert steps
    assert all(0 <= read <= size == whole for read, size in steps)


def test_times_without_a_zone_are_of_the_zone_that_was_said() -> None:
    log = f"Nov 30 10:00:00 node1 kernel: {XID.split('] ')[1]}"
    report = analyse(Job(text=log, salt=SALT, zone=28_800.0), nothing).report
    assert report["stats"]["zone"] == 28_800.0


def test_a_process_can_be_warmed() -> None:
    warm()
