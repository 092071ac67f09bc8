"""A report for others: the same diagnosis, without secrets and with pseudonyms in every text of it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from triage import lazy
from triage.model import Evidence, Finding, Report, Value
from triage.redact.redactor import Redactor

T = TypeVar("T")

# Entities whose key tells what they name; all others are read like any text.
_KINDS = {"host": "host", "gpu_uuid": "uuid", "user": "user"}
# Notes about the clocks of hosts may name one that no finding names.
_CLOCKS = lazy.pattern(r"\b(?:clock|that) of ([\w.-]*\w)|\bon ([\w.-]*\w) (?:or|came) ")
_KEPT = ("id", "role", "severity", "confidence", "action", "verdict", "blocks")


def redact_report(report: Report, redactor: Redactor) -> Report:
    """A copy of the report in which each text is redacted; spans of evidence still mark the same words.

    Names are learned from all of the report first, so that the summary and the evidence agree.
    """
    for found in (*report.findings, *report.earlier):
        for value in _listed(found.entities.get("host")):
            redactor.note(str(value), "host")
        for line in found.evidence:
            redactor.learn(line.text)
            for _, text in line.near:
                redactor.learn(text)
    for group in report.unexplained:
        redactor.learn(group.sample)
    for named in _CLOCKS.findall("\n".join(report.notes)):
        redactor.note("".join(named), "host")
    return _redacted(report, redactor)


def _listed(value: Any) -> list[Value]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _redacted(value: T, redactor: Redactor, name: str = "") -> T:
    made: Any = value
    if name in _KEPT or callable(value):
        return value
    if isinstance(value, str):
        made = redactor.redact(value) if value else value
    elif isinstance(value, Evidence):
        made = _evidence(value, redactor)
    elif isinstance(value, Finding):
        whole = {f.name: _redacted(getattr(value, f.name), redactor, f.name) for f in fields(value)}
        made = replace(value, **whole | {"entities": {k: _entity(k, v, redactor) for k, v in value.entities.items()}})
    elif is_dataclass(value) and not isinstance(value, type):
        made = replace(value, **{f.name: _redacted(getattr(value, f.name), redactor, f.name) for f in fields(value)})
    elif isinstance(value, list):
        made = [_redacted(one, redactor) for one in value]
    elif isinstance(value, dict):
        made = {key: _redacted(one, redactor, str(key)) for key, one in value.items()}
    return made  # type: ignore[no-any-return]


def _entity(key: str, value: Any, redactor: Redactor) -> Any:
    if isinstance(value, list):
        return [_entity(key, one, redactor) for one in value]
    if not isinstance(value, str):
        return value
    kind = _KINDS.get(key)
    if kind == "uuid":
        return redactor.redact(value)  # `GPU-` and what else stands around stays
    return redactor.value(kind, value) if kind and not _is_general(kind, value) else redactor.redact(value)


def _is_general(kind: str, value: str) -> bool:
    from triage.redact import names

    return not (names.is_host(value) if kind == "host" else names.is_user(value))


def _evidence(line: Evidence, redactor: Redactor) -> Evidence:
    """The span is redacted apart from what stands around it where that gives the same text, else it is searched."""
    start, stop = line.span
    text = redactor.redact(line.text)
    head, middle = redactor.redact(line.text[:start]), redactor.redact(line.text[start:stop])
    at = len(head) if text.startswith(middle, len(head)) else max(0, text.find(middle))
    end = at + len(middle) if text.startswith(middle, at) else len(text)
    near = [(number, redactor.redact(other)) for number, other in line.near]
    return replace(line, source=redactor.redact(line.source), text=text, span=(at, end), near=near)
