"""Whether a report is valid in each of its forms: by the JSON schemas, as HTML, and on a screen."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator, Draft202012Validator
from pages import Reader

from triage.model import Report
from triage.render import csv as rows
from triage.render import html, sarif, terminal
from triage.render import json as contract
from triage.render.page import plain
from triage.render.text import cells

ROOT = Path(__file__).resolve().parent.parent


@cache
def schema() -> Any:
    """The validator of the JSON report, as it is published."""
    data = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(data)
    return Draft202012Validator(data)


@cache
def sarif_schema() -> Any:
    """The validator of SARIF: the schema of the OASIS standard (2.1.0-rtm.5), without its descriptions."""
    return Draft4Validator(json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8")))


def check(report: Report) -> None:
    """Asserts that a report is valid in every form."""
    for validator, text in ((schema(), contract.render(report)), (sarif_schema(), sarif.render(report))):
        wrong = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(json.loads(text))]
        assert not wrong, wrong[:3]
    read = list(csv.DictReader(io.StringIO(rows.render(report))))
    assert [row["id"] for row in read] == [one.id for one in (*report.findings, *report.earlier)]
    Reader(html.render(report))
    shown = plain(terminal.render(report, 80))
    assert len(shown.splitlines()) <= terminal.SCREEN
    # A word of a command is never cut.
    wide = [row for row in shown.splitlines() if cells(row) > 80 and len(row.split()) > 2]
    assert not wide
