"""The planted faults of the fixtures are found and no others; mending is idempotent and keeps line ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml
from incident import RIGHT

from triage.reports.check import Checked, Checker, Unreadable, apply
from triage.reports.files import INDEX_MARK, reports_in
from triage.reports.problem import Edit

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "fixtures" / "incidents"
PLANTED = yaml.safe_load((FOLDER / "planted.yaml").read_text(encoding="utf-8"))
REPORTS = sorted(FOLDER.glob("*.md"))


@cache
def checked(path: Path) -> Checked:
    return Checker(key=b"k").check(path)


def test_half_of_the_reports_are_right() -> None:
    assert (len(REPORTS), len(PLANTED)) == (20, 10)
    assert len({code for faults in PLANTED.values() for code, _ in faults}) == 10


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_exactly_the_planted_faults_are_found(path: Path) -> None:
    found = [[problem.code, problem.line] for problem in checked(path).problems]
    assert found == PLANTED.get(path.name, [])


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_mending_twice_changes_nothing(path: Path, newline: str, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes().replace(b"\n", newline.encode()))
    once = Checker(key=b"k").check(copy, fix=True)
    mendable = any(problem.edits for problem in checked(path).problems)
    assert (once.text is not None) == mendable
    if once.text is None:
        return
    assert once.fixed > 0
    assert once.text.count("\n") == once.text.count(newline)
    copy.write_bytes(once.text.encode())
    again = Checker(key=b"other").check(copy, fix=True)
    assert again.text is None
    assert [p.code for p in again.problems] == [p.code for p in once.problems]


def test_mending_fills_in_what_the_log_and_the_name_tell(tmp_path: Path) -> None:
    body = RIGHT.split("---\n", 2)[2]
    path = tmp_path / "2026-03-14-node07.md"
    path.write_text(body)
    done = Checker(key=b"k").check(path, fix=True)
    assert done.text is not None
    assert done.text.startswith("---\nid: 2026-03-14-node07\ndate: 2026-03-14\nstatus: draft\nseverity: fatal\nsignature: xid-79\n---\n")
    assert "<!-- triage: analysis" in done.text
    assert {p.code for p in done.problems} == {"TRI023", "TRI025", "TRI040"}


def test_no_secret_stands_in_what_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    secret = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
    path.write_text(RIGHT.replace("One job.", f"HF_TOKEN={secret} and {secret}"))
    done = Checker().check(path, fix=True)
    assert secret not in (done.text or secret)
    for problem in Checker().check(path).problems:
        assert secret not in problem.text + problem.because + problem.remedy


def test_files_that_are_no_reports(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unreadable, match="not UTF-8"):
        Checker().check(tmp_path / "a.md")
    with pytest.raises(Unreadable, match="No such file"):
        Checker().check(tmp_path / "b.md")


def test_which_files_of_a_folder_are_reports(tmp_path: Path) -> None:
    for name in ("a.md", "sub/b.md", "README.md", ".git/c.md", "playbooks/p.md", "x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# x\n")
    (tmp_path / "all.md").write_text(INDEX_MARK + "\n# Incident reports\n")
    assert [p.relative_to(tmp_path).as_posix() for p in reports_in([tmp_path])] == ["a.md", "sub/b.md"]
    assert reports_in([tmp_path / "all.md"]) == []
    assert reports_in([tmp_path / "a.md", tmp_path]) == reports_in([tmp_path])


def test_edits_that_overlap_are_left_for_the_next_round() -> None:
    assert apply("abcdef", [Edit(3, 5, "X"), Edit(0, 1, "Y"), Edit(4, 6, "Z")]) == "YbcXf"
    assert apply("ab", [Edit(1, 1, "-")]) == "a-b"


def test_the_example_repository_is_right() -> None:
    folder = ROOT / "examples" / "incidents"
    checker = Checker()
    for path in reports_in([folder]):
        assert checker.check(path).problems == [], path
    assert not checker.notes
