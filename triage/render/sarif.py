"""The report as SARIF 2.1.0, which code hosts and editors show beside the lines of the logs (OASIS, 27 March 2020).

The level tells the cause from its symptoms: a cause has that of its severity, what it explains is a note.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from triage.model import Entities, Evidence, Finding, Place, Report, Source
from triage.render import steps
from triage.render.json import dumps
from triage.render.shell import command_line
from triage.render.text import clean

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"fatal": "error", "error": "error", "warning": "warning", "info": "note"}
_SNIPPET = 2000  # characters of a quoted line


def address(source: str) -> dict[str, str]:
    """The name of an input as a relative reference (RFC 3986)."""
    text = source.encode("utf-8", "replace").decode("utf-8").replace("\\", "/")
    return {"uri": quote(text, safe="/!,+=@") or "-"}


def _location(source: str, line: int, quoted: Evidence | None = None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(1, line)}
    if quoted is not None:
        start, end = max(0, min(quoted.span)), max(0, *quoted.span)
        if start < end <= min(len(quoted.text), _SNIPPET):
            region |= {"startColumn": start + 1, "endColumn": end + 1}
        region["snippet"] = {"text": quoted.text[:_SNIPPET]}
    return {"physicalLocation": {"artifactLocation": address(source), "region": region}}


def _rule(found: Finding) -> dict[str, Any]:
    """What is always true of a finding with this id."""
    rule: dict[str, Any] = {"id": found.id, "shortDescription": {"text": clean(found.title) or found.id}}
    if found.means:
        rule["fullDescription"] = {"text": found.means}
    help_text = _help(found)
    if help_text:
        rule["help"] = {"text": help_text}
    web = next((one for one in found.sources if one.startswith("https://") and " " not in one), "")
    if web:
        rule["helpUri"] = quote(web, safe="/:?#[]@!$&'()*+,;=%~")
    rule["defaultConfiguration"] = {"level": _LEVELS[found.severity]}
    return rule


def _help(found: Finding) -> str:
    rows = []
    for number, step in enumerate(steps.steps(found)[0], 1):
        rows.append(f"{number}. {steps.tag(step)} {steps.told(step)}".replace("  ", " "))
        if step.command:
            rows.append(f"   {command_line(step, steps.windows(found))}")
    return "\n".join([*rows, *(f"Warning: {text}" for text in steps.warnings(found))])


def _visible(entities: Entities) -> Entities:
    return {key: value for key, value in entities.items() if not key.startswith("_")}


def _result(found: Finding, rules: dict[str, int], when: str) -> dict[str, Any]:
    cause = found.role in ("cause", "unknown")
    text = clean(found.title) + (
        f" ({found.confidence})" if cause else f" (explained by {', '.join(found.explained_by)})"
    )
    lines = [_location(one.source, one.line, one) for one in found.evidence]
    spot: Place | None = found.first
    if not lines and spot is not None:
        lines = [_location(spot.source, spot.line)]
    result: dict[str, Any] = {
        "ruleId": found.id, "ruleIndex": rules[found.id], "level": _LEVELS[found.severity] if cause else "note",
        "message": {"text": text}, "occurrenceCount": max(1, found.count),
    }  # fmt: skip
    if found.role == "context":
        result |= {"kind": "informational", "level": "none", "message": {"text": clean(found.title) or found.id}}
    if lines:
        result["locations"] = lines[:1]
    if lines[1:]:
        result["relatedLocations"] = [{"id": at, **one} for at, one in enumerate(lines[1:], 1)]
    result["properties"] = {
        "role": found.role, "severity": found.severity, "confidence": found.confidence, "incident": found.incident,
        "when": when, "action": found.action, "why": found.why, "entities": _visible(found.entities),
        "explains": found.explains, "explainedBy": found.explained_by,
    }  # fmt: skip
    return result


def _unread(source: Source) -> dict[str, Any]:
    return {
        "level": "warning",
        "message": {"text": source.note or "could not be read"},
        "locations": [{"physicalLocation": {"artifactLocation": address(source.name)}}],
    }


def as_dict(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run."""
    from triage import __version__

    found = [(one, "current") for one in report.findings] + [(one, "earlier") for one in report.earlier]
    rules: dict[str, int] = {}
    for one, _ in found:
        rules.setdefault(one.id, len(rules))
    firsts = {one.id: one for one, _ in reversed(found)}
    about = {"verdict": report.verdict, "summary": report.summary, "library": str(report.stats.get("library", ""))}
    bad = [_unread(source) for source in report.sources if not source.readable]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "triage", "semanticVersion": str(report.stats.get("version") or __version__),
                "rules": [_rule(firsts[name]) for name in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": any(s.readable for s in report.sources), "toolExecutionNotifications": bad}
        ],
        "artifacts": [{"location": address(source.name)} for source in report.sources],
        "results": [_result(one, rules, when) for one, when in found],
        "properties": about,
    }  # fmt: skip
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def render(report: Report) -> str:
    """The report as SARIF text with a final newline."""
    return dumps(as_dict(report))
