"""Parts of the HTML report: quoted lines in their surroundings, steps with boxes to tick, findings, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from triage.library.playbook import SECTIONS
from triage.model import Evidence, Finding, Report, Source, Step
from triage.render import relations, steps, words
from triage.render.excerpt import cut, message
from triage.render.lang import chinese, say
from triage.render.text import clean, shorten
from triage.render.web import plain, rich, step_head, step_rest

_QUOTE, _NEAR = 900, 300  # columns of a quoted line, and of one around it
_FOLD = 30  # inputs, or findings beside the cause, from which the rest is folded


def quotes(lines: Sequence[Evidence], report: Report, terms: Sequence[str], log: str = "") -> str:
    """The lines of each input in the order of the file, with what stands around them; the matched part is marked.

    `log` is the address of a page with a place `L7` for each line of the only input.
    """
    name = words.short_names(report)
    files: dict[str, dict[int, Evidence | str]] = {}
    for one in lines:
        file = files.setdefault(one.source, {})
        file[one.line] = one
        for number, text in one.near:
            file.setdefault(number, text)
    return "".join(
        f'<figure class="quote"><figcaption>{plain(clean(name(source)))}</figcaption>'
        f'<pre tabindex="0"><code>{_file(file, terms, log)}</code></pre></figure>'
        for source, file in files.items()
    )


def _file(file: dict[int, Evidence | str], terms: Sequence[str], log: str) -> str:
    rows, last = "", 0
    for number in sorted(file):
        if last and number > last + 1:
            rows += '<span class="line gap">⋮</span>'
        rows += _line(number, file[number], terms, log)
        last = number
    return rows


def _line(number: int, line: Evidence | str, terms: Sequence[str], log: str) -> str:
    place = f'<a class="n" href="{escape(log)}#L{number}">{number}</a>'
    head = place if log else f'<span class="n">{number}</span>'
    if isinstance(line, str):
        return f'<span class="line">{head}{plain(shorten(clean(line).rstrip(), _NEAR))}</span>'
    before, match, after = cut(*message(line.text, line.span), _QUOTE, terms=terms)
    marked = f"<mark>{plain(match)}</mark>" if match.strip() else plain(match)
    return f'<span class="line hit">{head}{plain(before)}{marked}{plain(after)}</span>'


def remedy(cause: Finding) -> str:
    """The whole playbook: steps to tick off, in the order of its sections, and what not to do."""
    if cause.playbook is None:
        return ""
    windows, number = steps.windows(cause), 0
    made = f"<p>{rich(cause.playbook.title)}</p>"
    groups: dict[str, list[Step]] = {}
    for step in cause.playbook.steps:
        groups.setdefault(step.section, []).append(step)
    english = ' lang="en"' if chinese() else ""
    for name in sorted(groups, key=lambda s: SECTIONS.index(s) if s in SECTIONS else len(SECTIONS)):
        made += f"<h3>{plain(say(name))}</h3>"
        if name == "Do not":
            made += f'<ul class="not"{english}>{"".join(f"<li>{rich(s.text)}</li>" for s in groups[name])}</ul>'
            continue
        rows = ""
        for step in groups[name]:
            number += 1
            box = f'<input type="checkbox" id="step{number}">'
            text = f'<label for="step{number}">{number}. {step_head(step)}</label>{step_rest(step, windows)}'
            rows += f"<li>{box}<div>{text}</div></li>"
        made += f'<ol class="ticks"{english}>{rows}</ol>'
    return made


def others(found: Sequence[Finding], report: Report) -> str:
    """Findings beside the cause, each with its place and the lines that prove it."""
    where = words.spots(report)
    rows = [_other(finding, report, where(finding.first)) for finding in found]
    if not rows:
        return ""
    first = f'<ul class="list">{"".join(rows[:_FOLD])}</ul>'
    rest = rows[_FOLD:]
    if rest:
        first += (
            f'<details><summary>{len(rest):,} {say("more")}</summary><ul class="list">{"".join(rest)}</ul></details>'
        )
    return first


def _other(finding: Finding, report: Report, spot: str) -> str:
    place = " · ".join(filter(None, [*relations.beside(finding, report), spot]))
    count = f" ×{finding.count:,}" if finding.count > 1 else ""
    proof = quotes(finding.evidence, report, words.terms(finding))
    shown = f'<details class="closed"><summary>{plain(say("Proof"))}</summary>{proof}</details>' if proof else ""
    severity = f'<span class="{plain(finding.severity)}">{plain(say(finding.severity))}</span>'
    return (
        f'<li><span class="name"><code>{plain(finding.id)}</code>{count}</span>'
        f'<span>{plain(clean(finding.title))} <span class="dim">{plain(place)}</span></span>'
        f'<span class="of">{severity}</span>{shown}</li>'
    )


def sources(report: Report) -> str:
    """The inputs: what was read as what, how much of it was understood, and what was not read and why."""
    name = words.short_names(report)
    bad = words.unread(report)
    rows = [_source(s, clean(name(s.name))) for s in (*bad, *(s for s in report.sources if s.readable))]
    heads = "".join(
        f'<th scope="col">{plain(say(head))}</th>' for head in ("Input", "Format", "Lines", "Understood", "Note")
    )
    text = f"<p>{plain(words.reading(report))}</p>" + "".join(f"<p>{rich(note)}</p>" for note in report.notes)
    for at, part in enumerate((rows[:_FOLD], rows[_FOLD:])):
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(part)}</tbody></table>" if part else ""
        more = f"{len(part):,} {say('more')}"
        text += f"<details><summary>{more}</summary>{table}</details>" if at and table else table
    return text


def _source(source: Source, name: str) -> str:
    note = words.remark(source, name).removeprefix(f"{name}: ") if source.note or not source.readable else ""
    style = "" if source.readable else ' class="bad"'
    cells = (source.format.replace("+", ", "), f"{source.lines:,}", f"{source.understood:,}")
    middle = "".join(f'<td class="number">{plain(cell)}</td>' for cell in cells)
    return f"<tr><td>{plain(name)}</td>{middle}<td{style}>{plain(note)}</td></tr>"
