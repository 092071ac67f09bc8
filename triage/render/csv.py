"""The findings as rows for a spreadsheet or a database: one row for each, the root cause first, earlier ones last."""

from __future__ import annotations

import csv
import io
import re

from triage.model import Finding, Place, Report
from triage.render.text import clean

COLUMNS = (
    "verdict", "when", "incident", "id", "title", "role", "severity", "confidence", "action", "action_vendor", "count",
    "host", "pci", "gpu", "gpu_uuid", "rank", "pid", "process", "first_time", "first_source", "first_line",
    "last_time", "last_source", "last_line", "explains", "explained_by", "entities", "evidence",
)  # fmt: skip
_NAMED = ("host", "pci", "gpu", "gpu_uuid", "rank", "pid", "process")  # entities with a column of their own
_FORMULA = re.compile(r"\s*[=+\-@]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def _cell(value: object) -> str:
    """A value as text; several are separated by spaces. What a spreadsheet would take for a formula gets a quote."""
    text = clean(" ".join(map(str, value)) if isinstance(value, list) else str(value))
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _place(place: Place | None) -> tuple[str, str, str | int]:
    return (place.time, place.source, place.line) if place else ("", "", "")


def _row(found: Finding, verdict: str, when: str) -> list[str]:
    others = {k: v for k, v in found.entities.items() if k not in _NAMED and not k.startswith("_")}
    told = [f"{key}={' '.join(map(str, v)) if isinstance(v, list) else v}" for key, v in sorted(others.items())]
    values = (
        verdict, when, found.incident, found.id, found.title, found.role, found.severity, found.confidence,
        found.action, found.action_vendor, found.count, *(found.entities.get(key, "") for key in _NAMED),
        *_place(found.first), *_place(found.last), found.explains, found.explained_by, "; ".join(told),
        found.evidence[0].text if found.evidence else "",
    )  # fmt: skip
    return [_cell(value) for value in values]


def render(report: Report) -> str:
    """The findings as CSV (RFC 4180, but with plain newlines) with the names of `COLUMNS` in the first row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for when, findings in (("current", report.findings), ("earlier", report.earlier)):
        writer.writerows(_row(found, report.verdict, when) for found in findings)
    return out.getvalue()
