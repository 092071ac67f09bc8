from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from triage import analyze
from triage.render import markdown
from triage.render.from_json import report_of
from triage.render.json import as_dict, render

ROOT = Path(__file__).resolve().parent.parent
CASES = ["x4-illegal", "dist-oom", "py-parallel-to-shared", "smi-nodevice"]


@pytest.mark.parametrize("case", CASES)
def test_a_report_survives_the_round_trip(case: str) -> None:
    report = analyze([ROOT / "fixtures" / case])
    again = report_of(json.loads(render(report)))
    assert as_dict(again) == as_dict(report)
    assert markdown.render(again) == markdown.render(report)


def test_what_a_later_version_adds_is_passed_over() -> None:
    data = as_dict(analyze([ROOT / "fixtures" / "dist-oom"]))
    more: dict[str, Any] = copy.deepcopy(data) | {"weather": "fine"}
    more["findings"][0]["mood"] = "calm"
    assert as_dict(report_of(more)) == data


@pytest.mark.parametrize("data", [{}, {"schema_version": 2}, {"schema_version": 1}, {"schema_version": 1, "findings": [{}]}, []])
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="report of triage"):
        report_of(data)
