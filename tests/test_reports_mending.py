"""`--fix` changes what a code names, and nothing else: comments, line ends and other entries stay."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from incident import RIGHT

from triage.reports.check import Checked, Checker


def mended(text: str, folder: Path, name: str = "2026-03-14-a.md") -> Checked:
    path = folder / name
    path.write_bytes(text.encode())
    done = Checker(key=b"k").check(path, fix=True)
    if done.text is not None:
        path.write_bytes(done.text.encode())
        assert Checker(key=b"other").check(path, fix=True).text is None, "a second run changes nothing"
    return done


def changed(old: str, done: Checked) -> list[tuple[str, str]]:
    """The lines that differ, for an edit that adds none."""
    assert done.text is not None
    new = done.text.split("\n")
    return [(a, b) for a, b in zip(old.split("\n"), new, strict=True) if a != b]


@pytest.fixture
def right(tmp_path: Path) -> str:
    """A report with its analysis block, so that nothing is left to mend."""
    return mended(RIGHT, tmp_path).text or ""


def test_a_comment_behind_a_value_stays(right: str, tmp_path: Path) -> None:
    text = right.replace("severity: fatal", "severity: 'warning'   # as told at first")
    assert changed(text, mended(text, tmp_path)) == [
        ("severity: 'warning'   # as told at first", "severity: fatal   # as told at first")
    ]


def test_line_ends_and_the_mark_of_utf_8_stay(right: str, tmp_path: Path) -> None:
    for newline in ("\r\n", "\r"):
        text = "\ufeff" + right.replace("severity: fatal", "severity: error").replace("\n", newline)
        assert mended(text, tmp_path).text == text.replace("severity: error", "severity: fatal")
        bare = RIGHT.replace("\n", newline)
        assert (mended(bare, tmp_path).text or "").replace(newline, "").isprintable()


def test_values_on_several_lines_are_left_to_people(right: str, tmp_path: Path) -> None:
    for value in (">\n  find-the-cause", "|\n  find-the-cause", "find-the-\n  cause"):
        text = right.replace("playbook: gpu-off-the-bus", f"playbook: {value}")
        done = mended(text, tmp_path)
        assert done.text is None
        assert yaml.safe_load(text.split("---\n")[1])["playbook"].startswith("find-the-")


def test_an_entry_without_a_value_is_filled_in(right: str, tmp_path: Path) -> None:
    text = right.replace("id: 2026-03-14-xid-79", "id:").replace("signature: xid-79", "signature:   # TODO")
    assert changed(text, mended(text, tmp_path)) == [
        ("id:", "id: 2026-03-14-a"), ("signature:   # TODO", "signature: xid-79   # TODO"),
    ]  # fmt: skip


def test_the_last_of_two_equal_entries_counts(right: str, tmp_path: Path) -> None:
    text = right.replace("severity: fatal", "severity: fatal\nseverity: warning")
    assert changed(text, mended(text, tmp_path)) == [("severity: warning", "severity: fatal")]


def test_toml_stays_toml(tmp_path: Path) -> None:
    front = '+++\nid = "a"  # x\nseverity = "warning"\nsignature = "xid-79"\ntimezone = "+01:00"\nrecheck = "x"\n[versions]\ndriver = "580"\n+++\n'
    done = mended(front + RIGHT.split("---\n", 2)[2], tmp_path)
    matter = (done.text or "").split("+++\n")[1]
    assert tomllib.loads(matter) == {
        "id": "a", "severity": "fatal", "signature": "xid-79", "timezone": "+01:00", "recheck": "x", "versions": {"driver": "580"},
        "date": "2026-03-14", "status": "draft",
    }  # fmt: skip
    assert 'id = "a"  # x\n' in matter


@pytest.mark.parametrize("front", ["---\nid: a\n\n", "\n---\nid: a\n---\n", "---\nid: a: b\n---\n", "---\n{id: a, severity: warning}\n---\n", "---\n- a\n---\n"])
def test_front_matter_that_cannot_be_written_is_left_alone(front: str, tmp_path: Path) -> None:
    text = front + RIGHT.split("---\n", 2)[2]
    assert (mended(text, tmp_path).text or text).startswith(front)


def test_a_wrong_cause_is_not_made_worse(tmp_path: Path) -> None:
    """The playbook and the severity are those of the true cause: they stay, the cause is for a person."""
    text = RIGHT.replace("signature: xid-79", "signature: xid-31")
    done = mended(text, tmp_path)
    assert [problem.code for problem in done.problems] == ["TRI001"]
    assert "playbook: gpu-off-the-bus\n" in (done.text or "")
    assert "severity: fatal\n" in (done.text or "")


def test_what_was_mended_is_told(right: str, tmp_path: Path) -> None:
    text = right.replace("One job.", "One job, HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH")
    done = mended(text, tmp_path)
    (problem,) = done.mended
    assert (problem.code, done.fixed) == ("TRI010", 1)
    assert "revoke" in problem.text
