"""A `Report` out of its JSON, so that what was stored or sent can be rendered again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from triage.model import Advice, Evidence, Finding, Missing, Place, Report, Source, Step, Unexplained, no_blocks
from triage.render.json import SCHEMA_VERSION

T = TypeVar("T")


def report_of(data: Mapping[str, Any]) -> Report:
    """The report of `render.json.as_dict`. Raises ValueError for what is no report of a known schema version."""
    if not isinstance(data, Mapping) or data.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(f"not a report of triage with schema_version {SCHEMA_VERSION}")
    try:
        report = _make(
            Report, data,
            findings=[_finding(entry) for entry in data["findings"]],
            earlier=[_finding(entry) for entry in data["earlier"]],
            unexplained=[_make(Unexplained, entry, first=_place(entry["first"])) for entry in data["unexplained"]],
            missing=[_make(Missing, entry) for entry in data["missing"]],
            sources=[_make(Source, entry, blocks=no_blocks) for entry in data["sources"]],
        )  # fmt: skip
        report.stats = dict(report.stats) | {key: data["tool"][key] for key in ("version", "library")}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a report of triage with a damaged part: {error}") from error
    return report


def _finding(data: Mapping[str, Any]) -> Finding:
    playbook = data["playbook"]
    return _make(
        Finding, data,
        first=_place(data["first"]), last=_place(data["last"]),
        evidence=[_make(Evidence, line, span=tuple(line["span"])) for line in data["evidence"]],
        playbook=playbook and _make(Advice, playbook, steps=[_make(Step, step) for step in playbook["steps"]]),
    )  # fmt: skip


def _place(data: Mapping[str, Any]) -> Place | None:
    return _make(Place, data) if data else None


def _make(kind: type[T], data: Mapping[str, Any], **parts: Any) -> T:
    """An object of `kind` from the entries that it knows; later versions may have more."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: value for key, value in data.items() if key in known} | parts)
