"""The report for machines: the contract with `schema_version` 1. Fields are added, never renamed or removed."""

from __future__ import annotations

import json
import math
from typing import Any

from triage.model import Evidence, Finding, Missing, Place, Report, Source, Step, Unexplained
from triage.render.text import UNSAFE

SCHEMA_VERSION = 1
_TOOL = ("version", "library")  # entries of `Report.stats` that describe the tool


def as_dict(report: Report) -> dict[str, Any]:
    """The report as plain data with a fixed order of keys."""
    from triage import __version__

    stats = {key: report.stats[key] for key in sorted(report.stats) if key not in _TOOL}
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "triage",
            "version": str(report.stats.get("version") or __version__),
            "library": str(report.stats.get("library") or ""),
        },
        "verdict": report.verdict,
        "summary": report.summary,
        "findings": [finding(f) for f in report.findings],
        "earlier": [finding(f) for f in report.earlier],
        "unexplained": [_unexplained(u) for u in report.unexplained],
        "missing": [_missing(m) for m in report.missing],
        "sources": [_source(s) for s in report.sources],
        "timeline": [dict(event) for event in report.timeline],
        "stats": {"lines": 0, "templates": 0, "seconds": 0.0} | stats,
        "notes": list(report.notes),
    }


def render(report: Report, indent: int | None = 2) -> str:
    """The report as JSON text with a final newline."""
    return dumps(as_dict(report), indent)


def dumps(data: Any, indent: int | None = 2) -> str:
    """`data` as strict JSON: readable Unicode, but control and bidi characters escaped, and no NaN or infinity."""
    text = json.dumps(_finite(data), ensure_ascii=False, indent=indent, allow_nan=False)
    return UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else _escaped(found[0]), text) + "\n"


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return data


def finding(found: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    return {
        "id": found.id,
        "title": found.title,
        "role": found.role,
        "severity": found.severity,
        "confidence": found.confidence,
        "why": found.why,
        "incident": found.incident,
        "entities": {key: found.entities[key] for key in sorted(found.entities) if not key.startswith("_")},
        "count": found.count,
        "first": _place(found.first),
        "last": _place(found.last),
        "evidence": [_evidence(e) for e in found.evidence],
        "explains": list(found.explains),
        "explained_by": list(found.explained_by),
        "action": found.action,
        "action_vendor": found.action_vendor,
        "playbook": None
        if found.playbook is None
        else {
            "id": found.playbook.id,
            "title": found.playbook.title,
            "steps": [_step(step) for step in found.playbook.steps],
        }
        | ({"title_zh": found.playbook.title_zh} if found.playbook.title_zh else {}),
        "recheck": [dict(check) for check in found.recheck],
        "means": found.means,
        "decoded": list(found.decoded),
        "sources": list(found.sources),
    } | {key: text for key in ("title_zh", "summary_zh") if (text := getattr(found, key))}


def _place(place: Place | None) -> dict[str, Any]:
    return {"time": place.time, "source": place.source, "line": place.line} if place else {}


def _evidence(line: Evidence) -> dict[str, Any]:
    return {"source": line.source, "line": line.line, "text": line.text, "span": list(line.span)}


def _step(step: Step) -> dict[str, Any]:
    return {
        "text": step.text,
        "command": step.command,
        "expect": step.expect,
        "risk": step.risk,
        "section": step.section,
        "where": step.where,
    }


def _unexplained(group: Unexplained) -> dict[str, Any]:
    return {
        "template": group.template,
        "count": group.count,
        "first": _place(group.first),
        "sample": group.sample,
    }


def _missing(missing: Missing) -> dict[str, Any]:
    return {"what": missing.what, "why": missing.why, "command": missing.command}


def _source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "format": source.format,
        "lines": source.lines,
        "understood": source.understood,
        "note": source.note,
        "readable": source.readable,
        "clock": source.clock,
    }
