"""The report for a person at a terminal: one screen, the cause first, then its proof, then what to do."""

from __future__ import annotations

from dataclasses import replace

from triage.model import Evidence, Finding, Missing, Place, Report, Step
from triage.render import relations, words
from triage.render.lang import heading, localised, say
from triage.render.limits import FULL, GIVEN_UP, Limits
from triage.render.page import ASCII, FANCY, Page, Row
from triage.render.text import (
    break_command,
    cells,
    clean,
    command_line,
    cut,
    marked,
    marked_rows,
    message,
    shorten,
    shorten_left,
    word_marks,
)  # fmt: skip

SCREEN = 40  # rows of the normal view at most
_RAGGED = 12  # columns that a row of evidence may lose by being broken at a space


def render(
    report: Report, width: int = 80, *, colour: bool = False, fancy: bool = True, everything: bool = False
) -> list[Row]:
    """The rows of the report, none wider than `width` columns (commands excepted: they are broken only between words).

    Without `colour` the match is marked by a row of carets below it. Without `fancy` only ASCII is drawn; text of
    logs stays as it is. `everything` lifts all limits and shows context, earlier incidents and the timeline.
    """
    report = localised(report)
    limits = FULL if everything else Limits()
    for less in ({}, *GIVEN_UP):
        limits = replace(limits, **less)  # type: ignore[arg-type]
        page = Page(max(40, width), FANCY if fancy else ASCII)
        _Screen(page, report, limits, colour, everything).draw()
        if everything or page.height() <= SCREEN:
            return page.rows
    while page.height() >= SCREEN:
        page.rows.pop()
    page.row((f"({say('more')}: --all)", "dim"))
    return page.rows


class _Screen:
    """One report on one page."""

    def __init__(self, page: Page, report: Report, limits: Limits, colour: bool, everything: bool) -> None:
        self.page, self.report, self.limits = page, report, limits
        self.colour, self.everything = colour, everything
        self.name = words.short_names(report)

    def draw(self) -> None:
        report = self.report
        verdict = say(words.VERDICT[report.verdict])
        self.page.prose(report.summary or say("no summary"), f"{verdict}  ", "title", report.verdict, 3)
        cause = words.root(report)
        if cause is not None:
            self._gap()
            self._cause(cause)
            if cause.role == "unknown":
                self._missing()
            self._proof(cause)
            self._chain()
            self._steps(cause)
        self._others()
        if cause is None or cause.role != "unknown":
            self._missing()
        self._unexplained()
        self._earlier()
        if self.everything:
            self._timeline()
        self._footer()

    def _gap(self) -> None:
        if self.limits.spaced:
            self.page.blank()

    def _head(self, title: str, note: str = "") -> None:
        self._gap()
        self.page.row((say(title), "head"), (f"  {note}" if note else "", "dim"))

    def _cause(self, cause: Finding) -> None:
        page = self.page
        head = heading("CAUSE" if cause.role == "cause" else "UNKNOWN")
        sure = say(words.CONFIDENCE[cause.confidence] if cause.role == "cause" else "the cause is not in these logs")
        known = cause.title in self.report.summary  # said in the line above
        name = f"{cause.id}: {say(cause.severity)}, {sure}"
        page.prose(name if known else f"{cause.title} [{name}]", head, "title", most=2)
        for name, parts in (("WHERE", words.place(cause.entities)), ("WHAT", words.details(cause.entities))):
            if parts:
                page.items(parts, heading(name), 2)
        rows = (
            ("WHEN", words.when(cause, self.report), 1),
            ("MEANS", cause.means, self.limits.prose),
            ("DETAIL", words.decoded(cause, self.report), self.limits.prose),
            ("WHY", words.why(cause), 2),
            ("ACTION", _action(cause), 2),
        )
        for name, text, most in rows:
            if text:
                page.prose(text, heading(name), most=most)
        for check in cause.recheck:
            if check.get("outcome"):
                text = f"{check.get('probe')}: {check['outcome']} {check.get('detail') or ''}"
                page.prose(text, heading("RECHECK"), most=2)

    def _where(self, spot: Place | None) -> str:
        return f"{self._short(spot.source)}:{spot.line}" if spot else ""

    def _short(self, source: str, part: int = 4) -> str:
        """The name of an input, from the left no longer than that part of the width."""
        return shorten_left(clean(self.name(source)), self.page.width // part, self.page.glyphs.dots)

    def _proof(self, cause: Finding) -> None:
        if not cause.evidence:
            return
        shown = cause.evidence[: self.limits.evidence]
        left = len(cause.evidence) - len(shown)
        self._head("PROOF", f"({words.counted(left, 'more line')}: --all)" if left else "")
        for at, line in enumerate(shown):
            self._evidence(line, words.terms(cause), at == 0)

    def _evidence(self, line: Evidence, terms: list[str], first: bool = False) -> None:
        page, dots = self.page, self.page.glyphs.dots
        place = f"  {self._short(line.source)}:{line.line}  "
        room = page.width - cells(place)
        text, span = message(line.text, line.span)
        # A long match says the decisive thing at its end, or behind it.
        least = self.limits.lead if first else 2 if cells(text[min(span) : max(span)]) > 0.6 * room else 1
        rows = max(self.limits.rows, least)
        parts = cut(text, span, room * rows - (rows - 1) * _RAGGED, dots, terms)
        marks = [(len(parts[0]), len(parts[0]) + len(parts[1]))] if parts[1] else []
        if cells(parts[1]) >= 0.8 * sum(map(cells, parts)):  # a mark under nearly the whole line tells nothing
            marks = word_marks("".join(parts), terms) or (marks if self.colour else [])
        at = 0
        for number, row in enumerate(marked_rows(parts, room)):
            text = "".join(row)
            pieces = marked(text, at, marks)
            head = (" " * cells(place) if number else place, "dim")
            page.row(head, *((piece, "mark" if on else "") for piece, on in pieces))
            if not self.colour and any(on and piece.strip() for piece, on in pieces):
                below = "".join(("^" * cells(p.rstrip())).ljust(cells(p)) if on else " " * cells(p) for p, on in pieces)
                page.row((" " * cells(place) + below.rstrip(), ""))
            at += len(text)

    def _chain(self) -> None:
        links, before = relations.chain(self.report), relations.triggers(self.report)
        if not links and not before:
            return
        page, glyphs = self.page, self.page.glyphs
        left = len(links) - self.limits.links
        found = sum(link.findings for link in links) - 1
        notes = [f"{words.counted(found, 'finding')} {say('explained')}"] if found > len(links) - 1 else []
        self._head("CHAIN", ", ".join([*notes, *([f"{words.counted(left, 'more row')}: --all"] if left > 0 else [])]))
        for finding in before:
            time = words.local(finding.last.time, self.report) if finding.last else ""
            head = f"  {say('after')}: {finding.id}  "
            title = shorten(clean(finding.title), max(10, page.width - cells(head) - cells(time) - 2), glyphs.dots)
            page.row((head, ""), (title, "dim"), (f"  {time}" if time else "", ""))
        for link in links[: self.limits.links]:
            stem = "".join("   " if last else glyphs.bar for last in link.last[:-1])
            stem += (glyphs.end if link.last[-1] else glyphs.tee) if link.last else ""
            count = f"{glyphs.times}{link.count}" if link.count > 1 else ""
            tail = "  ".join(part for part in (count, link.ranks) if part)
            room = page.width - cells(stem) - len(link.id) - cells(tail) - 6
            title = shorten(clean(link.title), max(10, room), glyphs.dots)
            page.row((f"  {stem}", "dim"), (link.id, ""), (f"  {title}", "dim"), (f"  {tail}" if tail else "", ""))

    def _steps(self, cause: Finding) -> None:
        found, left = words.steps(cause, self.limits.steps)
        if not found or cause.playbook is None:
            return
        self._head("DO", cause.playbook.title)
        for number, step in enumerate(found, 1):
            self._step(number, step, words.windows(cause))
        for text in words.warnings(cause)[: 1 if not self.everything else None]:
            self.page.prose(text, "  ! ", head="fatal", most=0 if self.everything else 2)
        if left:
            self.page.row((f"  ({left} {say('more')}: triage explain {cause.id})", "dim"))

    def _step(self, number: int, step: Step, windows: bool) -> None:
        page = self.page
        label = f"  {number}. "
        tag = words.tag(step, windows)
        rows = Page(page.width, page.glyphs)
        rows.prose(f"{tag} {words.told(step)}", label, most=0 if self.everything else 3)
        for at, row in enumerate(rows.rows):
            text = row[1][0]
            marked = at == 0 and tag and text.startswith(tag)
            page.rows.append([row[0], (tag, step.risk), (text[len(tag) :], "")] if marked else row)
        if step.command:
            line = command_line(step, windows)
            for part in break_command(line, page.width - len(label), windows or step.where == "windows"):
                page.exact(part, len(label))
        if step.expect and self.limits.expect:
            page.prose(step.expect, f"{' ' * len(label)}{say('expect')}: ", head="dim", most=2)

    def _others(self) -> None:
        found = relations.others(self.report, self.everything)
        if not found:
            return
        left = len(found) - self.limits.others
        more = f"({left} {say('more')}: --all)" if left > 0 else ""
        if words.root(self.report) and not self.everything:
            more = f"{words.counted(len(found), 'finding')} {say('beside the cause')} {more}"
        self._head("ALSO FOUND" if words.root(self.report) else "FOUND", more)
        for finding in found[: self.limits.others]:
            self._other(finding)
            if self.everything:
                for line in finding.evidence:
                    self._evidence(line, words.terms(finding))

    def _other(self, finding: Finding) -> None:
        glyphs = self.page.glyphs
        spot = [f"{self._short(finding.first.source, 6)}:{finding.first.line}"] if finding.first else []
        tail = glyphs.dot.join([*relations.beside(finding, self.report), *spot])
        count = f" {glyphs.times}{finding.count}" if finding.count > 1 else ""
        role = finding.role if finding.role in ("context", "unknown") else finding.severity
        room = self.page.width - 14 - len(finding.id) - len(count) - cells(tail)
        self.page.row(
            (f"  {heading(role)}", finding.severity), (f"{finding.id}{count}  ", ""),
            (shorten(clean(finding.title), max(8, room), glyphs.dots), "dim"), (f"  {tail}", "dim"),
        )  # fmt: skip

    def _missing(self) -> None:
        found = self.report.missing
        if not found:
            return
        left = len(found) - self.limits.missing
        self._head("COLLECT", f"({left} {say('more')}: --all)" if left > 0 else "")
        for missing in found[: self.limits.missing]:
            self._one_missing(missing)

    def _one_missing(self, missing: Missing) -> None:
        text = f"{missing.what}: {missing.why}" if missing.why else missing.what
        self.page.prose(text, "  - ", most=0 if self.everything else 2)
        for part in break_command(missing.command, self.page.width - 4):
            self.page.exact(part, 4)

    def _unexplained(self) -> None:
        found = self.report.unexplained
        if not found:
            return
        if self.report.verdict == "healthy" and not self.everything:
            # Words like "error" alone prove nothing; a healthy log is full of them.
            kinds = words.counted(len(found), "kind")
            self.page.row((f"{kinds} {say('of line with error-like words, none known')} (--all)", "dim"))
            return
        left = len(found) - self.limits.unexplained
        more = f" ({left} {say('more')}: --all)" if left > 0 else ""
        self._head("UNEXPLAINED", f"{say('error-like lines that no signature knows')}{more}")
        for group in found[: self.limits.unexplained]:
            count = f" {self.page.glyphs.times}{group.count}" if group.count > 1 else ""
            label = f"  {self._where(group.first)}{count}  "
            self.page.row((label, "dim"), (group.sample or group.template, ""))

    def _earlier(self) -> None:
        found = [f for f in self.report.earlier if f.role != "context"]
        if not found:
            return
        if self.everything:
            self._head("EARLIER", say("incidents before the one above"))
            for finding in found:
                time = words.when(finding, self.report)
                self.page.row((f"  {finding.id}  ", ""), (finding.title, "dim"), (f"  {time}", "dim"))
        else:
            self._gap()
            ids = ", ".join(dict.fromkeys(f.id for f in found))
            self.page.row((heading("EARLIER"), "head"), (f"{ids} (--all {say('shows them')})", ""))

    def _timeline(self) -> None:
        if not self.report.timeline:
            return
        self._head("TIMELINE")
        for event in self.report.timeline:
            time = words.local(str(event.get("time", "")), self.report)
            self.page.row((f"  {time}  ", "dim"), (f"{event.get('lane', '')}  {event.get('finding', '')}", ""))

    def _footer(self) -> None:
        self._gap()
        page = self.page
        text = words.reading(self.report)
        if cells(text) > page.width - 8:
            text = text.rpartition(" in ")[0] or text  # the seconds are not worth a second row
        page.prose(text, heading("READ"), "dim", most=2)
        bad = words.unread(self.report)
        most = len(bad) if self.everything else 3
        for source in bad[:most]:
            page.prose(words.remark(source, self.name(source.name)), heading("SKIPPED"), "warning", most=2)
        if len(bad) > most:
            page.row((f"        {say('and')} {len(bad) - most} {say('more')} (--all)", "dim"))
        notes = [words.remark(s, self.name(s.name)) for s in self.report.sources if s.readable and s.note]
        notes = list(dict.fromkeys([*self.report.notes, *notes]))
        shown = notes if self.everything else notes[: 2 if self.limits.spaced else 1]
        for text in shown:
            page.prose(text, heading("NOTE"), "dim", most=0 if self.everything else 1)
        if len(notes) > len(shown):
            page.row((f"        {say('and')} {words.counted(len(notes) - len(shown), 'more note')} (--all)", "dim"))


def _action(cause: Finding) -> str:
    """`reboot the node (reboot-node; NVIDIA: RESTART_BM)`."""
    if cause.action == "none" and not cause.action_vendor:
        return ""
    vendor = f"; {say('vendor')}: {cause.action_vendor}" if cause.action_vendor else ""
    return f"{say(words.ACTION.get(cause.action, cause.action))} ({cause.action}{vendor})"
