"""The report for a ticket, a pull request or an incident page. Log text stands in code, where nothing is obeyed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.model import Finding, Report, Step
from triage.render import relations, steps, words
from triage.render.excerpt import cut, message
from triage.render.lang import localised, say
from triage.render.shell import command_line
from triage.render.text import clean

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~$])")
_MENTION = re.compile(r"([@#])(?=\w)")
_SPAN = re.compile(r"(?<![`\\])`([^`]*[^`\s][^`]*)`(?!`)")
_LINE = 200  # columns of a quoted line; longer ones are cut around the match


def escape(text: str) -> str:
    """`text` on one line as Markdown that shows it; `@name` and `#12` do not notify or link, `code` stays code."""
    parts = _SPAN.split(clean(text))
    return "".join(code(part) if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(text: str) -> str:
    return _MENTION.sub("\\1\u200b", _SPECIAL.sub(r"\\\1", text))


def code(text: str) -> str:
    """`text` as a code span, safe against backticks in it."""
    text = clean(text).strip()
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(rows: Sequence[str], language: str = "text", indent: str = "") -> list[str]:
    """`rows` as a code block, safe against backticks in them."""
    safe = [clean(row) for row in rows]
    ticks = "`" * max(3, 1 + max((_longest_run(row) for row in safe), default=0))
    return [f"{indent}{row}" for row in (ticks + language, *safe, ticks)]


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def render(report: Report, everything: bool = False) -> str:
    """The report as GitHub-flavoured Markdown."""
    report = localised(report)
    rows = [f"## {say(words.VERDICT[report.verdict])}: {escape(report.summary)}", ""]
    cause = words.root(report)
    if cause is not None:
        rows += _cause(cause, report)
        rows += _proof(cause, report, None if everything else 8)
        rows += _chain(report)
        rows += _steps(cause, None if everything else 6)
    rows += _others(report, everything)
    rows += _missing(report)
    if everything or report.verdict != "healthy":
        rows += _unexplained(report, None if everything else 3)
    rows += _footer(report)
    return "\n".join(rows).rstrip() + "\n"


def _cause(cause: Finding, report: Report) -> list[str]:
    label = "Root cause" if cause.role == "cause" else "Unknown; last known"
    sure = f"{code(cause.id)}, {say(cause.severity)}, {say(words.CONFIDENCE[cause.confidence])}"
    rows = [f"**{say(label)}:** {escape(cause.title)} ({sure})", ""]
    facts = (
        ("Where", ", ".join(code(part) for part in words.place(cause.entities))),
        ("What", ", ".join(code(part) for part in words.details(cause.entities))),
        ("When", escape(words.when(cause, report))),
        ("Means", escape(cause.means)),
        ("Detail", escape(words.decoded(cause, report))),
        ("Why", escape(words.why(cause))),
        ("Action", _action(cause)),
    )
    rows += [f"- **{say(name)}:** {text}" for name, text in facts if text]
    for check in cause.recheck:
        if check.get("outcome"):
            outcome = escape(f"{check['outcome']}: {check.get('detail') or ''}")
            rows.append(f"- **{say('Re-check')}** {code(str(check.get('probe')))}: {outcome}")
    return [*rows, ""]


def _action(cause: Finding) -> str:
    vendor = f"; {say('vendor')}: {code(cause.action_vendor)}" if cause.action_vendor else ""
    return f"{say(words.ACTION.get(cause.action, cause.action))} ({code(cause.action)}{vendor})"


def _proof(cause: Finding, report: Report, most: int | None) -> list[str]:
    if not cause.evidence:
        return []
    name, terms, rows = words.short_names(report), words.terms(cause), []
    for line in cause.evidence[:most]:
        text, span = message(line.text, line.span)
        rows.append(f"{clean(name(line.source))}:{line.line}  {''.join(cut(text, span, _LINE, terms=terms))}")
    return [f"### {say('Proof')}", "", *fence(rows), ""]


def _chain(report: Report) -> list[str]:
    rows = [f"- {say(relations.met(f, report))}: {code(f.id)} {escape(f.title)}" for f in relations.triggers(report)]
    for link in relations.chain(report):
        tail = ", ".join(part for part in (f"×{link.count}" if link.count > 1 else "", link.ranks) if part)
        rows.append(f"{'  ' * link.depth}- {code(link.id)} {escape(link.title)}{f' ({tail})' if tail else ''}")
    return [f"### {say('Chain')}", "", *rows, ""] if rows else []


def _steps(cause: Finding, most: int | None) -> list[str]:
    found, left = steps.steps(cause, most)
    if not found or cause.playbook is None:
        return []
    rows = [f"### {say('What to do')}: {escape(cause.playbook.title)}", ""]
    for number, step in enumerate(found, 1):
        rows += _step(number, step, steps.windows(cause))
    for text in steps.warnings(cause)[:most]:
        rows.append(f"- **{say('Warning')}:** {escape(text)}")
    if left:
        rows.append(f"\n{words.counted(left, 'more step')}: {code('--all')}")
    return [*rows, ""]


def _step(number: int, step: Step, windows: bool) -> list[str]:
    label = f"{number}. "
    indent = " " * len(label)
    tag = f"{code(steps.tag(step, windows).strip('[]'))} " if step.risk else ""
    rows = [f"{label}{tag}{escape(steps.told(step))}"]
    if step.command:
        shell = "powershell" if windows or step.where == "windows" else "sh"
        rows += fence([command_line(step, windows)], shell, indent)
    if step.expect:
        rows.append(f"{indent}{say('Expect')}: {escape(step.expect)}")
    return rows


def _others(report: Report, everything: bool) -> list[str]:
    found = relations.others(report, everything)
    rows = []
    where = words.spots(report)
    for finding in found:
        parts = [*relations.beside(finding, report), where(finding.first)]
        tail = ", ".join(code(part) for part in parts if part)
        count = f" ×{finding.count}" if finding.count > 1 else ""
        rows.append(f"- {code(finding.id)}{count} {escape(finding.title)}{f' ({tail})' if tail else ''}")
    return [f"### {say('Also found')}", "", *rows, ""] if rows else []


def _missing(report: Report) -> list[str]:
    rows: list[str] = []
    for missing in report.missing:
        rows.append(f"- {escape(missing.what)}{f': {escape(missing.why)}' if missing.why else ''}")
        if missing.command:
            rows += fence([missing.command], "sh", "  ")
    return [f"### {say('Still to collect')}", "", *rows, ""] if rows else []


def _unexplained(report: Report, most: int | None) -> list[str]:
    where = words.spots(report)
    rows = [
        f"{where(group.first)}  (×{group.count})  {clean(group.sample or group.template)[:_LINE]}"
        for group in report.unexplained[:most]
    ]
    return [f"### {say('Not explained')}", "", *fence(rows), ""] if rows else []


def _footer(report: Report) -> list[str]:
    name = words.short_names(report)
    rows = [f"{say('Read')}: {escape(words.reading(report))}."]
    rows += [f"{say('Not read')}: {escape(words.remark(s, name(s.name)))}." for s in words.unread(report)]
    rows += [f"{say('Note')}: {escape(note)}" for note in report.notes]
    earlier = ", ".join(dict.fromkeys(code(f.id) for f in report.earlier if f.role != "context"))
    if earlier:
        rows.append(f"{say('Earlier incidents')}: {earlier}.")
    return ["---", "", "  \n".join(rows)]
