"""What is found in reports as SARIF 2.1.0, for code hosts and editors.

GitHub takes at most 25,000 results of a run and refuses places below 1 (docs.github.com, SARIF support).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triage.render.json import dumps
from triage.render.sarif import SCHEMA, VERSION, address
from triage.render.text import clean
from triage.reports.check import Checked
from triage.reports.checks import CHECKS, Check
from triage.reports.problem import Problem

RESULTS_MOST = 25_000


def render(checked: Sequence[Checked]) -> str:
    """All problems as SARIF text with a final newline."""
    from triage import __version__

    places = {check.code: number for number, check in enumerate(CHECKS)}
    found = [(p, key) for one in checked for p, key in zip(one.problems, one.keys, strict=True)]
    run = {
        "tool": {"driver": {"name": "triage", "semanticVersion": __version__, "rules": [_rule(c) for c in CHECKS]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(p, ":".join(key[1:]), places[p.code]) for p, key in found[:RESULTS_MOST]],
    }
    return dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.code,
        "name": check.slug,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.explanation},
        "help": {"text": check.explanation},
        "defaultConfiguration": {"level": check.level},
    }


def _result(problem: Problem, fingerprint: str, place: int) -> dict[str, Any]:
    region = {"startLine": max(1, problem.line), "startColumn": max(1, problem.column)}
    return {
        "ruleId": problem.code,
        "ruleIndex": place,
        "level": problem.level,
        "message": {"text": sentence(problem)},
        "locations": [{"physicalLocation": {"artifactLocation": address(problem.path), "region": region}}],
        "partialFingerprints": {"triageLine/v1": fingerprint},
    }


def sentence(problem: Problem) -> str:
    """What is wrong, what proves it and what to do, on one line."""
    parts = [problem.text, problem.because and f"because: {problem.because}", problem.remedy]
    return clean("; ".join(part for part in parts if part))
