"""The short answer of every door: verdict, cause, a few lines of proof, the first steps, what is missing, a link."""

from __future__ import annotations

from dataclasses import dataclass, field

from triage.history.recurrence import sentence
from triage.model import Finding, Report, Step
from triage.render import steps, words
from triage.render.excerpt import cut, message
from triage.render.from_json import report_of
from triage.render.lang import localised, say
from triage.render.shell import command_line
from triage.render.text import clean
from triage.serve.desk import Answer

PROOF, STEPS, MISSING = 4, 3, 2
_LINE = 240  # columns of a quoted line


@dataclass(frozen=True, slots=True)
class Told:
    """A step or a missing piece: text, and the command that does it, quoted for its shell."""

    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """Plain texts of one line each; nothing in them is marked up or escaped yet. `quotes` are lines of the log."""

    verdict: str
    headline: str
    cause: str = ""
    means: str = ""
    quotes: list[str] = field(default_factory=list)
    steps: list[Told] = field(default_factory=list)
    missing: list[Told] = field(default_factory=list)
    seen: str = ""
    link: str = ""
    id: str = ""


def brief(answer: Answer, link: str = "") -> Brief:
    """The short form of an answer, in the language that is set. A healthy log has a headline only."""
    report = localised(report_of(answer.report))
    cause = words.root(report)
    shown = report.verdict in ("fault", "suspect") and cause is not None
    return Brief(
        verdict=report.verdict,
        headline=f"{say(words.VERDICT[report.verdict])}: {clean(report.summary)}",
        cause=f"{cause.id}, {say(cause.severity)}, {say(words.CONFIDENCE[cause.confidence])}" if cause else "",
        means=clean(cause.means).replace("\n", " ") if cause and shown else "",
        quotes=_quotes(report, cause) if cause and shown else [],
        steps=[_step(step, steps.windows(cause)) for step in steps.steps(cause, STEPS)[0]] if cause and shown else [],
        missing=[Told(f"{clean(one.what)}: {clean(one.why)}", one.command) for one in report.missing[:MISSING]],
        seen=sentence(answer.seen) if answer.seen else "",
        link=link,
        id=answer.kept.id if answer.kept else "",
    )


def is_worth_an_answer(report: dict[str, object]) -> bool:
    """Whether a door should speak unasked: a healthy log, or a text that is no log, gets no comment."""
    return report["verdict"] in ("fault", "suspect")


def _quotes(report: Report, cause: Finding) -> list[str]:
    name, terms = words.short_names(report), words.terms(cause)
    rows = []
    for line in cause.evidence[:PROOF]:
        text, span = message(line.text, line.span)
        rows.append(f"{clean(name(line.source))}:{line.line}  {''.join(cut(text, span, _LINE, terms=terms))}")
    return rows


def _step(step: Step, windows: bool) -> Told:
    tag = steps.tag(step, windows)
    text = clean(steps.told(step)).replace("\n", " ")
    return Told(f"{tag} {text}" if tag else text, command_line(step, windows) if step.command else "")
