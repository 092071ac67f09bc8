"""Two sections of the terminal report: the chain from the cause to its symptoms, and the steps of the remedy."""

from __future__ import annotations

from triage.model import Finding, Report, Step
from triage.render import relations, steps, words
from triage.render.lang import heading, say
from triage.render.limits import Limits
from triage.render.page import Page
from triage.render.shell import break_command, command_line
from triage.render.text import cells, clean, shorten

_LEAST = 10  # columns of a title


def _tally(link: relations.Link, page: Page) -> str:
    return "  ".join(filter(None, (link.times(page.glyphs.times), link.ranks)))


def _link(page: Page, link: relations.Link) -> None:
    glyphs = page.glyphs
    stem = "  " + "".join("   " if last else glyphs.bar for last in link.last[:-1])
    stem += glyphs.end if link.last[-1] else glyphs.tee
    if link.below:
        ids = [" ".join(filter(None, (one.id, one.times(glyphs.times)))) for one in (link, *link.below)]
        page.items(ids, stem, 2, ", ")
        return
    tally = _tally(link, page)
    room = page.width - cells(stem) - cells(link.id) - cells(tally) - 4
    title = shorten(clean(link.title), max(_LEAST, room), glyphs.dots)
    page.row((stem, "dim"), (link.id, ""), (f"  {title}", "dim"), (f"  {tally}" if tally else "", ""))


def chain(page: Page, report: Report, cause: Finding, most: int) -> None:
    """Writes what set the cause off and the tree of what it explains, in at most `most` rows below the cause."""
    links = relations.chain(report)
    root = "  ".join(filter(None, (cause.id, _tally(links[0], page) if links else "")))
    page.row((heading("CHAIN"), "head"), (root, ""))
    for finding in relations.triggers(report):
        time = words.local(finding.last.time, report) if finding.last else ""
        head, tail = f"  {say(relations.met(finding, report))}: {finding.id}  ", f"  {time}" if time else ""
        room = page.width - cells(head) - cells(tail)
        page.row((head, ""), (shorten(clean(finding.title), max(_LEAST, room), page.glyphs.dots), "dim"), (tail, ""))
    for link in relations.fold(links, most + 1)[1:]:
        _link(page, link)


def _step(page: Page, number: int, step: Step, windows: bool, expect: bool, everything: bool) -> None:
    label = f"  {number}. "
    tag = steps.tag(step, windows)
    rows = Page(page.width, page.glyphs)
    rows.prose(f"{tag} {steps.told(step)}", label, most=0 if everything else 3)
    for at, row in enumerate(rows.rows):
        text = row[1][0]
        marked = at == 0 and tag and text.startswith(tag)
        page.rows.append([row[0], (tag, step.risk), (text[len(tag) :], "")] if marked else row)
    if step.command:
        line = command_line(step, windows)
        for part in break_command(line, page.width - len(label), windows or step.where == "windows"):
            page.exact(part, len(label))
    if step.expect and expect:
        page.prose(step.expect, f"{' ' * len(label)}{say('expect')}: ", head="dim", most=0 if everything else 2)


def remedy(page: Page, cause: Finding, limits: Limits, everything: bool) -> None:
    """Writes the steps that `limits` allow, a warning against wrong advice, and how many steps are left out."""
    found, left = steps.steps(cause, limits.steps)
    for number, step in enumerate(found, 1):
        _step(page, number, step, steps.windows(cause), limits.expect, everything)
    for text in steps.warnings(cause)[: None if everything else 1]:
        page.prose(text, "  ! ", head="fatal", most=0 if everything else 2)
    if left:
        page.row((f"  ({words.counted(left, 'more step')}: --all)", "dim"))
