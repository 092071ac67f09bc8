"""Every fixture through the whole tool: the expected cause first, healthy logs silent, and its template known by it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import forms
import pytest

from triage.library.library import Library
from triage.library.loader import load_library
from triage.pipeline import analyze, templates
from triage.score import Case, cases, judge

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CASES = [case for case in cases(FIXTURES) if case.expect.get("root_cause")]
FAULTS = [case for case in CASES if case.expect["root_cause"] != "none"]
HEALTHY = sorted((FIXTURES / "healthy").iterdir())


@cache
def library() -> Library:
    return load_library()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_cause_comes_first(case: Case) -> None:
    report = analyze(case.inputs, library=library())
    row = judge(case, report)
    assert row.status in ("exact", "accepted", "quiet"), row
    forms.check(report)


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case.id)
def test_the_cause_is_known_in_its_template(case: Case) -> None:
    report = analyze(case.inputs, library=library())
    kinds = templates(case.inputs, library())
    derived = {name for name, signature in library().signatures.items() if signature.derive}
    top = report.findings[0].id
    assert top in derived or any(top in kind.ids for kind in kinds)
    assert sum(kind.count for kind in kinds) > 0


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.name)
def test_healthy_logs_stay_silent(path: Path) -> None:
    report = analyze([path], library=library())
    assert report.verdict in ("healthy", "nothing-understood"), report.summary
    assert not [f.id for f in report.findings if f.role in ("cause", "unknown")]
    forms.check(report)
