"""The index as one HTML page with plots: nothing is loaded, no script runs, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from triage.model import SEVERITIES
from triage.render.site_style import STYLE
from triage.render.web import document, plain
from triage.render.words import counted
from triage.reports import chart
from triage.reports.index import VIEWS, Collection, Incident, Trend, day, median_recovery, spoken, stamp, trends

_OWN = """
table{border-collapse:collapse;width:100%;font-size:.92rem;margin:.5rem 0}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--dim);font-weight:600}td.number,th.number{text-align:right;white-space:nowrap}
.numbers{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;margin:1rem 0;padding:0}
.numbers div{display:flex;flex-direction:column-reverse}.numbers dd{font-size:1.7rem;line-height:1.2}
.scroll{overflow-x:auto}.scroll svg{min-width:34rem}
td,th{overflow-wrap:normal;white-space:nowrap}td.title{white-space:normal;min-width:18rem}td.why{white-space:normal;min-width:8rem}
"""
_STYLE = STYLE + chart.STYLE + _OWN
_BARS = 12


def html(found: Collection) -> str:
    """The whole page. The same reports give the same text."""
    incidents = found.incidents
    by_signature, by_host, by_gpu, by_month = (trends(incidents, names) for _, _, names in VIEWS)
    body = [
        _numbers(incidents),
        _section("Over time", _months(incidents, by_signature, by_month)),
        _section("Time to recovery", _recovery(incidents)),
        _section("By signature", _table("signature", by_signature)),
        _section("By host", _bars(by_host, "host") + _table("host", by_host)),
        _section("By GPU", _bars(by_gpu, "GPU") + _table("GPU", by_gpu)),
        _section("All reports", _all(incidents)),
    ]
    footer = "Written by <code>triage report index</code>. Nothing here is loaded from a network."
    main = f"<h1>Incident reports</h1>{''.join(body)}"
    return document("Incident reports", main, _STYLE, "", f"<p>{footer}</p>")


def _section(title: str, body: str) -> str:
    return f"<section><h2>{plain(title)}</h2>{body}</section>" if body else ""


def _numbers(incidents: Sequence[Incident]) -> str:
    hosts = {host for one in incidents for host in one.hosts}
    rows = [("reports", str(len(incidents))), ("hosts", str(len(hosts)))]
    rows.append(("open", str(sum(one.is_open for one in incidents))))
    if recovery := spoken(median_recovery(incidents)):
        rows.append(("median time to recovery", recovery))
    cells = "".join(f"<div><dt>{plain(name)}</dt><dd>{plain(value)}</dd></div>" for name, value in rows)
    return f'<dl class="numbers">{cells}</dl>'


def _months(incidents: Sequence[Incident], by_signature: Sequence[Trend], by_month: Sequence[Trend]) -> str:
    months = _every_month(sorted(trend.name for trend in by_month))
    if not months:
        return ""
    names = [trend.name for trend in by_signature[: chart.COLOURS - 1]]
    rest = chart.OTHER if len(by_signature) > len(names) else ""
    counts = {name: [0] * len(months) for name in [*names, *([rest] if rest else [])]}
    for one in incidents:
        if one.date:
            at = months.index(f"{one.date:%Y-%m}")
            for name in one.signatures[:1]:
                counts[name if name in names else rest][at] += 1
    label = f"Reports by month and signature, {months[0]} to {months[-1]}: {counted(len(incidents), 'report')}"
    return _wide(chart.stacked(months, list(counts.items()), label)) + chart.key(list(counts))


def _every_month(months: Sequence[str]) -> list[str]:
    """From the first to the last, also those without a report."""
    if not months:
        return []
    (year, month), last = map(int, months[0].split("-")), months[-1]
    found = [months[0]]
    while found[-1] < last:
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        found.append(f"{year:04d}-{month:02d}")
    return found


def _recovery(incidents: Sequence[Incident]) -> str:
    known = [(one.date, one.recovery, one.title) for one in incidents]
    points = [(stamp(date), time.total_seconds() / 3600, title) for date, time, title in known if date and time]
    if not points:
        return '<p class="dim">No report tells when it started and ended.</p>'
    middle = median_recovery(incidents)
    label = f"Time to recovery of {counted(len(points), 'report')}, median {spoken(middle)}"
    return _wide(chart.dots(points, middle.total_seconds() / 3600 if middle else None, label))


def _wide(picture: str) -> str:
    """A plot that scrolls where it does not fit: smaller letters could not be read."""
    return f'<div class="scroll">{picture}</div>'


def _bars(rows: Sequence[Trend], noun: str) -> str:
    shown = [(trend.name, trend.count) for trend in rows[:_BARS]]
    label = f"Reports by {noun}: " + ", ".join(f"{name} {count}" for name, count in shown)
    return _wide(chart.bars(shown, label)) if shown else ""


def _table(noun: str, rows: Sequence[Trend]) -> str:
    if not rows:
        return ""
    head = (
        f'<tr><th>{noun}</th><th class="number">reports</th><th>first</th><th>last</th>'
        '<th class="number">median time to recovery</th></tr>'
    )
    cells = "".join(
        f"<tr><td><code>{plain(t.name)}</code></td><td class=\"number\">{t.count}</td><td>{day(t.first)}</td>"
        f"<td>{day(t.last)}</td><td class=\"number\">{spoken(t.recovery)}</td></tr>"
        for t in rows[:40]
    )
    return f'<div class="scroll"><table>{head}{cells}</table></div>'


def _all(incidents: Sequence[Incident]) -> str:
    head = (
        "<tr><th>date</th><th>report</th><th>signature</th><th>severity</th><th>status</th>"
        '<th class="number">time to recovery</th></tr>'
    )
    cells = "".join(
        f'<tr><td>{day(one.date)}</td><td class="title"><a href="{escape(_href(one.link))}">{plain(one.title)}</a></td>'
        f"<td>{', '.join(f'<code>{plain(name)}</code>' for name in one.signatures)}</td>"
        f'<td><span class="{one.severity if one.severity in SEVERITIES else ""}">{plain(one.severity)}</span></td>'
        f'<td class="why">{plain(one.problem or one.status)}</td><td class="number">{spoken(one.recovery)}</td></tr>'
        for one in incidents
    )
    return f'<div class="scroll"><table>{head}{cells}</table></div>'


def _href(link: str) -> str:
    """A relative address that no browser takes for a scheme."""
    from urllib.parse import quote

    return "./" + quote(link) if ":" in link else quote(link)
