"""Fixtures of several files with other times, names and orders: what a bundle says does not hang on how it was packed."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage import analyze, load_library
from triage.rewrites_time import TIMES, Files
from triage.score import Case, cases, judge, rewritten

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FORMS = [
    pytest.param(case, files, id=f"{case.id}-{name}")
    for case in cases(FIXTURES) if len(case.inputs) > 1
    for name, files in rewritten(case) if name in (*TIMES, "without a rank")
]  # fmt: skip


@pytest.mark.parametrize(("case", "files"), FORMS)
def test_the_diagnosis_stays(case: Case, files: Files, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    row = judge(case, analyze(paths, library=load_library()))
    assert row.status in ("exact", "accepted", "quiet"), row
    assert row.rank_right in (True, None), row
