"""Writes a blameless incident report from an analysis, as Markdown that passes the checks as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage.library.library import Library
from triage.model import Finding, Report
from triage.redact import Redactor
from triage.redact.report import redact_report
from triage.render import relations, words
from triage.render.markdown import code, escape
from triage.render.shell import command_line
from triage.render.text import shorten
from triage.reports.checks.base import UNKNOWN
from triage.reports.checks.block import analysis
from triage.reports.excerpt import Part, short
from triage.reports.links import inside

_TEMPLATE = Path(__file__).with_name("templates") / "incident.md.j2"
_NOT_KEPT = "not in the logs"
_VERSIONS = ("driver", "client_version", "nccl", "torch")
_ROWS = 30  # of the timeline


class TemplateError(ValueError):
    """A template cannot be used; the message says where and why."""


@dataclass(slots=True, frozen=True)
class _Raw:
    """Text that is Markdown already."""

    text: str


def write(
    report: Report, proof: tuple[Sequence[Part], Report | None], library: Library, redactor: Redactor, *, name: str,
    date: str, files: Sequence[str] = (), timezone: str = "", template: Path | None = None,
) -> str:  # fmt: skip
    """The report as Markdown. The parts of `proof` are quoted, `files` linked, and the analysis of what is shown stands
    beside them; `date` (ISO) counts where the logs have no time.

    `template` is a Jinja template with the names of `context`. Raises TemplateError.
    """
    parts, again = proof
    found = context(redact_report(report, redactor), parts, library, name=name, date=date, files=files)
    found["analysis"] = redactor.redact(analysis(again or report, timezone))
    found["timezone"] = timezone
    text = _rendered((template or _TEMPLATE).read_text(encoding="utf-8"), found, str(template or _TEMPLATE))
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def context(
    report: Report, parts: Sequence[Part], library: Library, *, name: str, date: str, files: Sequence[str] = ()
) -> dict[str, Any]:
    """What a template may use: the analysis in pieces; texts out of logs are escaped when they are put in."""
    cause = words.root(report)
    known = cause is not None and cause.role == "cause"
    signature = library.signatures.get(cause.id) if cause and known else None
    first = min((f.first.time for f in report.findings if f.first and _absolute(f.first.time)), default="")
    return {
        "report": report, "id": name, "date": first or date, "title": _title(report, cause),
        "severity": cause.severity if cause else "info", "signature": cause.id if cause and known else UNKNOWN,
        "playbook": signature.playbook if signature else "", "started": first if _zoned(first) else "",
        "hosts": _entities(report, "host"), "gpus": _gpus(report), "versions": _versions(report),
        "first_error": _first_error(report, cause), "recheck": "not yet", "summary": report.summary,
        "timeline": _timeline(report), "cause": _cause(cause), "parts": list(parts),
        "files": list(files),
        "chain": [f"{'  ' * row.depth}- {code(row.id)} {escape(row.title)}" for row in relations.chain(report)],
        "ruled_out": [f"{f.title}: {f.why}" for f in report.findings if f.role == "context" and f.why],
        "actions": _actions(cause), "rechecks": _rechecks(cause), "missing": _missing(report),
    }  # fmt: skip


def _rendered(source: str, values: dict[str, Any], name: str) -> str:
    from jinja2 import StrictUndefined
    from jinja2 import TemplateError as JinjaError
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, finalize=_escaped, autoescape=False
    )
    environment.filters |= {"raw": _Raw, "yaml": lambda value: _Raw(json.dumps(value, ensure_ascii=False)), "log": _log}
    try:
        return environment.from_string(source).render(values)
    except JinjaError as error:
        raise TemplateError(f"{name}:{getattr(error, 'lineno', 0) or 1}: {error}") from None


def _escaped(value: Any) -> str:
    return value.text if isinstance(value, _Raw) else escape(str(value))


def _log(part: Part) -> _Raw:
    """A part as a block of code that the checks read as a log."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", part.text)), default=0))
    title = part.name.replace('"', "'").replace("`", "'")
    return _Raw(f'{ticks}log title="{title}" lines={part.first}-{part.last}\n{part.text.rstrip()}\n{ticks}')


def _absolute(time: str) -> bool:
    return bool(re.match(r"\d{4}-", time))


def _zoned(time: str) -> bool:
    return bool(re.search(r"T.*(?:Z|[+-]\d\d:?\d\d)$", time))


def _title(report: Report, cause: Finding | None) -> str:
    if cause is None:
        return "Nothing known in these logs"
    where = ", ".join(words.place(cause.entities)[:2])
    title = cause.title if cause.role == "cause" else f"Unknown cause: {cause.title}"
    return f"{title} ({where})" if where else title


def _entities(report: Report, key: str) -> list[str]:
    found: dict[str, None] = {}
    for finding in report.findings:
        value = finding.entities.get(key)
        for one in value if isinstance(value, list) else [value]:
            if one not in (None, ""):
                found[str(one)] = None
    return list(found)


def _gpus(report: Report) -> list[str]:
    """PCI addresses, else UUIDs, else indices of the GPUs that the findings name."""
    for key, form in (("pci", "{}"), ("gpu_uuid", "{}"), ("gpu", "GPU {}")):
        if found := _entities(report, key):
            return [form.format(one) for one in found]
    return [_NOT_KEPT]


def _versions(report: Report) -> dict[str, str]:
    found = {key: ", ".join(_entities(report, key)) for key in _VERSIONS}
    return {key: value for key, value in found.items() if value} or {"driver": _NOT_KEPT}


def _first_error(report: Report, cause: Finding | None) -> str:
    line = next(iter(cause.evidence), None) if cause else None
    if line is None:
        return _NOT_KEPT
    time = cause.first.time if cause and cause.first else ""
    return f"{time} {short(line.source)}:{line.line}: {shorten(' '.join(line.text.split()), 200)}".strip()


def _timeline(report: Report) -> list[dict[str, str]]:
    rows = []
    titles = {f.id: f.title for f in (*report.findings, *report.earlier)}
    for event in report.timeline[:_ROWS]:
        name, time, lane = (str(event.get(key, "")) for key in ("finding", "time", "lane"))
        rows.append({"time": time, "what": titles.get(name, name), "where": short(lane)})
    return rows or [{"time": "", "what": "no times in the logs", "where": ""}]


def _cause(cause: Finding | None) -> str:
    if cause is None:
        return "The logs show no fault."
    if cause.role != "cause":
        return f"Unknown. The last that the logs show is: {cause.title}. {cause.why}"
    return " ".join(part for part in (f"{cause.title}.", cause.means, cause.why and f"Why so: {cause.why}.") if part)


def _actions(cause: Finding | None) -> list[str]:
    """The steps of the playbook, each with its risk and its command."""
    rows = []
    for step in cause.playbook.steps if cause and cause.playbook else ():
        if step.section == "Do not":
            continue
        text = escape(step.text)
        if step.command:
            text = f"{text.rstrip('.?:')}: {code(command_line(step, step.where == 'windows'))}"
        rows.append(f"{code(step.risk or 'read-only')} {text}")
    return rows


def _rechecks(cause: Finding | None) -> list[str]:
    rows = []
    for check in cause.recheck if cause else ():
        outcome = check.get("outcome") or "not run yet: `triage recheck`"
        rows.append(f"{check.get('probe')}: {outcome} {check.get('detail') or ''}".strip())
    return rows or ["Not yet: run the step that failed again, and write down what came out."]


def _missing(report: Report) -> list[str]:
    rows = []
    for one in report.missing:
        command = f": {code(one.command)}" if one.command else ""
        rows.append(f"{escape(one.what)} ({escape(one.why)}){command}")
    return rows


def linked(inputs: Sequence[str | Path], target: Path) -> tuple[list[str], list[str]]:
    """The inputs that are files or folders of the repository, as links from the report; and those that others do not
    have."""
    folder = target.resolve().parent
    found, outside = [], []
    for one in inputs:
        if str(one) != "-" and os.path.exists(one):
            if inside(Path(one), folder):
                found.append(Path(os.path.relpath(one, folder)).as_posix())
            else:
                outside.append(str(one))
    return found, outside
