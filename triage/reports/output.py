"""What was found, for people, programs and the annotations of GitHub."""

from __future__ import annotations

from collections.abc import Sequence

from triage.render import json
from triage.render.markdown import escape
from triage.render.text import clean, wrap
from triage.render.words import counted
from triage.reports.check import Checked
from triage.reports.problem import Problem
from triage.reports.sarif import sentence

SHOWN_BY_GITHUB = 10  # annotations of each level in one step; the rest stands in the summary


def text(checked: Sequence[Checked], width: int | None = None) -> str:
    """`file:line:column: code text`, proof and remedy below, and a last line that counts; empty when all is well.

    With `width` (of a terminal) longer lines are broken; programs get each on one line.
    """
    rows = [f"{_head(problem)} -- mended" for one in checked for problem in one.mended]
    rows += [line for one in checked for problem in one.problems for line in _rows(problem)]
    rows += filter(None, [count(checked)])
    return "".join(f"{row}\n" for line in rows for row in ([line] if width is None else _broken(line, width)))


def _broken(line: str, width: int) -> list[str]:
    """The line in pieces, those after the first set in."""
    text = line.lstrip()
    indent = " " * (len(line) - len(text))
    first, *rest = wrap(text, width - len(indent)) or [""]
    inner = indent + "    "
    return [indent + first, *(inner + piece for piece in (wrap(" ".join(rest), width - len(inner)) if rest else ()))]


def _head(problem: Problem) -> str:
    mark = " (warning)" if problem.level == "warning" else ""
    return f"{clean(problem.path)}:{problem.line}:{problem.column}: {problem.code}{mark} {clean(problem.text)}"


def _rows(problem: Problem) -> list[str]:
    rows = [_head(problem)]
    if problem.because:
        rows.append(f"    because: {clean(problem.because)}")
    if problem.edits:
        rows.append("    --fix mends it" + (f"; or {clean(problem.remedy)}" if problem.remedy else ""))
    elif problem.remedy:
        rows.append(f"    to do: {clean(problem.remedy)}")
    return rows


def count(checked: Sequence[Checked]) -> str:
    """One line with all numbers; empty when nothing was found and nothing mended."""
    problems = [problem for one in checked for problem in one.problems]
    fixed, obsolete = sum(one.fixed for one in checked), sum(one.obsolete for one in checked)
    wrong = [problem for problem in problems if problem.level == "error"]
    parts = []
    if problems:
        bad = sum(1 for one in checked if one.problems)
        numbers = [counted(len(wrong), "error"), counted(len(problems) - len(wrong), "warning")]
        parts.append(f"{', '.join(numbers)} in {bad} of {counted(len(checked), 'file')}")
        mendable = sum(1 for problem in problems if problem.edits)
        if mendable:
            parts.append(f"--fix mends {mendable}")
    if fixed:
        parts.append(f"{counted(fixed, 'problem')} mended")
    if obsolete:
        known = "entry" if obsolete == 1 else "entries"
        parts.append(f"{obsolete} {known} of the baseline no longer occur: --update-baseline")
    return "; ".join(parts)


def as_json(checked: Sequence[Checked]) -> str:
    """All problems as JSON with a `schema_version`."""
    problems, mended = ([_row(p) for one in checked for p in getattr(one, name)] for name in ("problems", "mended"))
    return json.dumps({"schema_version": 1, "files": len(checked), "problems": problems, "mended": mended})


def _row(p: Problem) -> dict[str, object]:
    return {
        "path": p.path, "line": p.line, "column": p.column, "code": p.code, "slug": p.slug, "level": p.level,
        "text": p.text, "because": p.because, "remedy": p.remedy, "fixable": bool(p.edits),
    }  # fmt: skip


def as_github(checked: Sequence[Checked]) -> str:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    rows = []
    for level in ("error", "warning"):
        found = [p for one in checked for p in one.problems if p.level == level]
        for p in found[:SHOWN_BY_GITHUB]:
            place = f"file={_property(p.path)},line={p.line},col={p.column},title={_property(f'{p.code} {p.slug}')}"
            rows.append(f"::{level} {place}::{_data(sentence(p))}")
        if len(found) > SHOWN_BY_GITHUB:
            rows.append(f"{len(found) - SHOWN_BY_GITHUB} more of level {level} are in the summary of the step")
    return "".join(f"{row}\n" for row in [*rows, *filter(None, [count(checked)])])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(checked: Sequence[Checked]) -> str:
    """All problems as a Markdown table, for the summary of a step."""
    problems = [problem for one in checked for problem in one.problems]
    if not problems:
        return f"### Incident reports\n\n{counted(len(checked), 'report')}: nothing wrong.\n"
    rows = ["### Incident reports", "", count(checked), "", "| where | code | what |", "|---|---|---|"]
    rows += [f"| {escape(p.path)}:{p.line} | {p.code} {p.slug} | {escape(sentence(p))} |" for p in problems[:500]]
    return "\n".join(rows) + "\n"
