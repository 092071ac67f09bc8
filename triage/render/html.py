"""The report as one page of HTML that needs nothing else: no network, no script, no server. Ticks are plain boxes."""

from __future__ import annotations

from triage.model import Finding, Report, Unexplained
from triage.render import relations, web, words
from triage.render.diagram import NARROW, WIDE, diagram
from triage.render.html_parts import others, quotes, remedy, sources
from triage.render.lanes import Track, tracks
from triage.render.lang import localised, say
from triage.render.report_style import REPORT_STYLE
from triage.render.text import clean
from triage.render.timeline import clock, timeline
from triage.render.web import plain, rich, section

_MOST = 50  # rows of a list or table
_SAMPLE = 600  # characters of a line that nothing explains


def _verdict(report: Report, cause: Finding | None) -> str:
    """What is the matter, where, how sure, and what it means."""
    if cause is None:
        return "".join(f"<p>{rich(note)}</p>" for note in report.notes)
    sure = words.CONFIDENCE[cause.confidence] if cause.role == "cause" else "the cause is not in these logs"
    severity = f'<span class="{plain(cause.severity)}">{plain(say(cause.severity))}</span>'
    vendor = f"; {say('vendor')}: {plain(cause.action_vendor)}" if cause.action_vendor else ""
    action = f"<strong>{plain(say(words.ACTION.get(cause.action, cause.action)))}</strong>"
    rows = (
        (say("Action"), f"{action} ({plain(cause.action)}{vendor})"),
        (say("Root cause") if cause.role == "cause" else say("Unknown; last known"), f"<code>{plain(cause.id)}</code>"),
        (say("Confidence"), f"{plain(say(sure))}, {severity}"),
        (say("Where"), plain(", ".join(words.place(cause.entities)))),
        (say("What"), plain(", ".join(words.details(cause.entities)))),
        (say("When"), plain(words.when(cause, report))),
    )
    told = [("Means", cause.means), ("Detail", words.decoded(cause, report)), ("Why", words.why(cause))]
    text = web.facts(rows) + "".join(
        f"<p><strong>{plain(say(name))}.</strong> {rich(part)}</p>" for name, part in told if part
    )
    for check in cause.recheck:
        if check.get("outcome"):
            outcome = plain(f"{check['outcome']} {check.get('detail') or ''}")
            text += (
                f"<p><strong>{say('Re-check')}</strong> <code>{plain(str(check.get('probe')))}</code>: {outcome}</p>"
            )
    return text


def _chain(report: Report) -> str:
    if len(relations.chain(report)) < 2 and not relations.triggers(report):
        return ""  # a box alone shows nothing that the head of the page does not say
    return f"<figure>{diagram(report, WIDE, 'chain-w')}{diagram(report, NARROW, 'chain-n')}</figure>"


def _timelines(report: Report, cause: Finding | None) -> str:
    known = {f.id: f for f in reversed((*report.findings, *report.earlier))}
    styles: dict[str, str] = {name: one.role for name, one in known.items()}
    if cause is not None:
        styles[cause.id] = "root"
    found = tracks(report)
    order = list(dict.fromkeys(e.finding for t in found for lane in t.lanes for e in lane.events))
    order.sort(key=lambda name: styles.get(name) != "root")
    if len(order) < 2 and sum(len(track.lanes) for track in found) < 2:
        return ""
    numbers = {name: at for at, name in enumerate(order, 1)}
    made = ""
    for at, track in enumerate(found):
        drawn = (timeline(report, track, numbers, styles, w, f"time{at}-{w}") for w in (WIDE, NARROW))
        made += f"<figure>{''.join(drawn)}<figcaption>{plain(_scale(report, track))}</figcaption></figure>"
    legend = "".join(
        f"<li><code>{plain(name)}</code> {plain(known[name].title if name in known else '')}</li>" for name in order
    )
    return f'{made}<ol class="legend">{legend}</ol>{_as_table(report)}'


def _scale(report: Report, track: Track) -> str:
    shortened = say("Long gaps are shortened.")
    if track.boot:
        return f"{say('Seconds after boot.')} {shortened}"
    first = min(lane.first for lane in track.lanes)
    last = max(event.last for lane in track.lanes for event in lane.events)
    times = [str(row.get("time", "")) for row in report.timeline]
    days = list(dict.fromkeys(words.local(time, report)[:10] for time in times if not time.startswith("+") and time))
    span = f"{clock(first, False, report)} - {clock(last, False, report)}"
    return f"{' - '.join(days[:: max(1, len(days) - 1)][:2])}, {span}. {shortened}"


def _as_table(report: Report) -> str:
    rows = "".join(
        f'<tr><td class="number">{plain(words.moment(str(row.get("time", "")), report))}</td>'
        f"<td>{plain(str(row.get('lane', '')))}</td><td><code>{plain(str(row.get('finding', '')))}</code></td></tr>"
        for row in report.timeline[:_MOST]
    )
    left = len(report.timeline) - _MOST
    more = f'<p class="dim">{left:,} {say("more")}</p>' if left > 0 else ""
    heads = "".join(f'<th scope="col">{plain(say(name))}</th>' for name in ("When", "Where", "Finding"))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<details class="closed"><summary>{plain(say("As a table"))}</summary>{table}{more}</details>'


def _missing(report: Report) -> str:
    rows = ""
    for one in report.missing:
        text = f"{plain(one.what)}{f': {plain(one.why)}' if one.why else ''}"
        run = f'<pre class="run" tabindex="0"><code>{plain(one.command)}</code></pre>' if one.command else ""
        rows += f"<li>{text}{run}</li>"
    return f'<ul class="plain">{rows}</ul>' if rows else ""


def _unexplained(found: list[Unexplained], report: Report) -> str:
    where = words.spots(report)
    rows = ""
    for group in found[:_MOST]:
        count = f", ×{group.count:,}" if group.count > 1 else ""
        sample = plain(clean(group.sample or group.template)[:_SAMPLE])
        rows += f"<li><span class='dim'>{plain(where(group.first))}{count}</span><pre><code>{sample}</code></pre></li>"
    return f'<ul class="plain">{rows}</ul>' if rows else ""


def content(report: Report, log: str = "") -> str:
    """What stands between the head and the foot of the page. The first thing is the verdict; what is known to nobody
    is left out. Numbers of proving lines lead to `log`, if there is such a page (`html_parts.quotes`)."""
    report = localised(report)
    cause = words.root(report)
    verdict = say(words.VERDICT[report.verdict])
    earlier = [f for f in report.earlier if f.role != "context"]
    missing = ("collect", "Still to collect", _missing(report))
    parts = [
        ("verdict", "The finding" if cause else "", _verdict(report, cause)),
        *([missing] if cause and cause.role == "unknown" else []),
        ("chain", "Chain", _chain(report)),
        ("timeline", "Timeline", _timelines(report, cause)),
        ("proof", "Proof", quotes(cause.evidence, report, words.terms(cause), log) if cause else ""),
        ("do", "What to do", remedy(cause) if cause else ""),
        *([] if cause and cause.role == "unknown" else [missing]),
        ("also", "Also found", others(relations.others(report), report)),
        ("earlier", "Earlier incidents", others(earlier, report)),
        ("unexplained", "Not explained", _unexplained(report.unexplained, report)),
        ("read", "What was read", sources(report)),
        ("references", "References", web.references(cause.sources) if cause else ""),
    ]
    shown = [(name, say(title), body) for name, title, body in parts if body]
    toc = "".join(f'<li><a href="#{name}">{plain(title)}</a></li>' for name, title, _ in shown if title)
    body = "".join(section(title, text, name) if title else text for name, title, text in shown)
    summary = report.summary or say("no summary")
    return (
        f'<h1><span class="verdict {plain(report.verdict)}">{plain(verdict)}</span> {plain(clean(summary))}</h1>'
        f'<nav aria-label="{plain(say("Contents"))}"><ul class="toc">{toc}</ul></nav>{body}'
    )


def render(report: Report) -> str:
    """The whole page as text."""
    from triage import __version__

    version = (
        f"triage {report.stats.get('version') or __version__}, {say('library')} {report.stats.get('library') or '-'}"
    )
    footer = f"<footer><p>{plain(version)}. {plain(say('Nothing here is loaded from a network.'))}</p></footer>"
    title = f"{say(words.VERDICT[report.verdict])}: {clean(localised(report).summary)}"
    header = f"<header><nav><ol><li>{plain(say('triage report'))}</li></ol></nav></header>"
    return web.document(title, content(report), REPORT_STYLE, header, footer)
