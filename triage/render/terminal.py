"""The report for a person at a terminal: one screen, the cause first, then its proof, then what to do."""

from __future__ import annotations

from dataclasses import replace

from triage.model import Evidence, Finding, Missing, Place, Report
from triage.render import proof, relations, sections, words
from triage.render.lang import heading, localised, say
from triage.render.limits import FULL, GIVEN_UP, Limits
from triage.render.page import ASCII, FANCY, Page, Row
from triage.render.shell import break_command
from triage.render.text import cells, clean, shorten, shorten_left

SCREEN = 40  # rows of the normal view, where the terminal shows no more
_TALLEST = 60  # rows of the normal view at most


def render(
    report: Report, width: int = 80, *, height: int = SCREEN, colour: bool = False, fancy: bool = True,
    everything: bool = False,
) -> list[Row]:  # fmt: skip
    """The rows of the report, none wider than `width` columns (commands excepted: they are broken only between words).

    They are at most `height`, which counts as 40 if it is less and as 60 if it is more.
    Without `colour` the match is marked by a row of carets below it. Without `fancy` only ASCII is drawn; text of
    logs stays as it is. `everything` lifts all limits and shows context, earlier incidents and the timeline.
    """
    report = localised(report)
    height = min(max(height, SCREEN), _TALLEST)
    limits = FULL if everything else Limits()
    for less in ({}, *GIVEN_UP):
        limits = replace(limits, **less)  # type: ignore[arg-type]
        page = Page(max(40, width), FANCY if fancy else ASCII)
        _Screen(page, report, limits, colour, everything).draw()
        if everything or page.height() <= height:
            return page.rows
    while page.height() >= height:
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
            if relations.chain(report) or relations.triggers(report):
                self._gap()
                sections.chain(self.page, report, cause, self.limits.links)
            if cause.playbook is not None and cause.playbook.steps:
                self._head("DO", cause.playbook.title)
                sections.remedy(self.page, cause, self.limits, self.everything)
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
                text = f"{check.get('probe')} {check['outcome']}: {check.get('detail') or ''}"
                page.prose(text, heading("RECHECK"), most=2)

    def _where(self, spot: Place) -> str:
        """`file:line`, never cut at the end: it can be opened as it stands."""
        line = f":{spot.line}"
        room = max(8, self.page.width // 3 - cells(line))
        return shorten_left(clean(self.name(spot.source)), room, self.page.glyphs.dots) + line

    def _proof(self, cause: Finding) -> None:
        lines = cause.evidence if self.everything else proof.distinct(cause.evidence)
        shown = lines[: self.limits.evidence]
        if not shown:
            return
        left = len(cause.evidence) - len(shown)
        self._head("PROOF", f"({words.counted(left, 'more line')}: --all)" if left else "")
        for at, line in enumerate(shown):
            self._quote(line, cause, at)

    def _quote(self, line: Evidence, finding: Finding, at: int = 1) -> None:
        place = self._where(Place("", line.source, line.line))
        carets = not self.colour and at < self.limits.carets
        least = 1 if at else self.limits.lead
        proof.quote(self.page, place, line, words.terms(finding), self.limits.rows, least, carets, self.colour)

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
                    self._quote(line, finding)

    def _other(self, finding: Finding) -> None:
        """A finding in a row, or in two where its title and its place need them."""
        page, glyphs = self.page, self.page.glyphs
        role = finding.role if finding.role in ("context", "unknown") else finding.severity
        head: Row = [(f"  {heading(role)}", finding.severity), (finding.id, "")]
        count = f" {glyphs.times}{finding.count}" if finding.count > 1 else ""
        spot = [self._where(finding.first)] if finding.first else []
        tail = glyphs.dot.join([*relations.beside(finding, self.report), *spot])
        room = page.width - sum(cells(text) for text, _ in head) - len(count) - 2
        title = shorten(clean(finding.title), max(8, room), glyphs.dots)
        fits = cells(title) + cells(tail) + 2 <= room
        page.row(*head, (f"{count}  ", ""), (title, "dim"), (f"  {tail}" if tail and fits else "", "dim"))
        if tail and not fits:
            page.row((" " * cells(head[0][0]) + tail, "dim"))

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
