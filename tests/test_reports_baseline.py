"""Known problems are not told again until their line changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from incident import RIGHT

from triage.reports import baseline
from triage.reports.check import Checker

TEXT = RIGHT.replace("One job.", "On 10.1.2.3.\n\nAlso 10.1.2.3.").replace("recheck:", "x:")


def test_what_is_known_is_silent_and_what_is_new_is_not(tmp_path: Path) -> None:
    path, known = tmp_path / "a.md", tmp_path / "known.json"
    path.write_text(TEXT)
    first = Checker().check(path)
    store = baseline.read(known)
    store.replace([first.name], first.keys)
    store.write(known)
    assert "10.1.2.3" not in known.read_text()
    again = Checker().check(path, baseline=baseline.read(known))
    assert (again.problems, again.obsolete) == ([], 0)
    path.write_text("\n" * 0 + TEXT.replace("## Impact", "## Impact\n\nMoved down.").replace("Also 10.1.2.3", "Now 10.1.2.3"))
    changed = Checker().check(path, baseline=baseline.read(known))
    assert [p.code for p in changed.problems] == ["TRI012"]
    assert changed.obsolete == 1


def test_other_files_stay(tmp_path: Path) -> None:
    store = baseline.Baseline()
    store.replace(["a.md"], [("a.md", "TRI012", "1")])
    store.replace(["b.md"], [("b.md", "TRI012", "1"), ("b.md", "TRI012", "1")])
    store.replace(["a.md"], [])
    assert store.known == {("b.md", "TRI012", "1"): 2}
    store.write(tmp_path / "x.json")
    assert baseline.read(tmp_path / "x.json").known == store.known


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "problems": []}', '{"version": 1, "problems": [1]}'])
def test_a_broken_file_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(baseline.BaselineError, match=r"x\.json: "):
        baseline.read(tmp_path / "x.json")
    assert baseline.read(tmp_path / "none.json").known == {}
