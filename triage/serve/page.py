"""The page: paste or drop, watch it work, read the report, copy it, say what helped. None of it needs a script."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from triage.history import Entry
from triage.history.recurrence import noted
from triage.model import Report
from triage.render import html, markdown, terminal, web
from triage.render.web import plain
from triage.serve.brief import Brief
from triage.serve.desk import NOT_KEPT
from triage.serve.jobs import Running
from triage.serve.page_style import SCRIPT, STYLE
from triage.serve.settings import Settings
from triage.serve.words import say

COPIES = (("md", "Markdown"), ("slack", "Slack"), ("txt", "Plain text"), ("json", "JSON"))
_PLACES = (("/", "Paste"), ("/kb/index.html", "Knowledge"))
_LANGUAGES = (("zh", "中文"), ("en", "English"))
_WIDTH = 100  # columns of the plain text
_EVERYTHING = (
    "Kernel log, rank logs, traceback, nvidia-smi, Windows events: everything you have of one incident, together."
)
_SCRIPT = f"<script>{SCRIPT}</script>"
# Of each of these pages: what their own policy says, and that no page of others shows them.
HEADERS = {"content-security-policy": f"{web.policy(STYLE, SCRIPT, forms=True)}; frame-ancestors 'none'"}


def paste(settings: Settings, error: str = "", text: str = "") -> str:
    """The first page, with a sentence about what went wrong before and the text that was pasted then."""
    told = f'<p class="seen" role="alert">{plain(error)}</p>' if error else ""
    private = say("Secrets, names, addresses and serial numbers are replaced before anything is kept.")
    days, size = f"{settings.keep / 86_400:.0f}", f"{settings.upload >> 20} MiB"
    readers = say("Whoever has the link of a report can read it for {days} days.").format(days=days)
    heavy = say("More than {size}: send the part around the failure, or run triage analyze on your machine.")
    body = (
        f"<h1>{plain(say('Paste a log, get the root cause'))}</h1><p>{plain(say(_EVERYTHING))}</p>"
        f'{told}<form method="post" action="/" enctype="multipart/form-data">'
        f'<label for="text">{plain(say("Log"))}</label>'
        f'<textarea id="text" name="text" spellcheck="false" autocomplete="off" autofocus>{plain(text)}</textarea>'
        f'<div class="drop"><label for="files">{plain(say("Files, archives, bundles"))} '
        f'({size})</label> <input type="file" id="files" name="files" multiple data-most="{settings.upload}" '
        f'data-told="{plain(heavy.format(size=size))}"><p id="weight" class="bad" role="alert"></p></div>'
        f'<div class="row"><span><label for="zone">{plain(say("Zone of times that name none"))}</label> '
        '<input type="text" id="zone" name="zone" placeholder="+08:00" size="14"></span>'
        f"<button>{plain(say('Find the cause'))}</button></div></form>"
        f'<p class="dim">{plain(private)} {plain(readers)}</p>'
    )
    return _document(say("triage: paste a log"), body)


def working(job: Running) -> str:
    """What is shown while a large log is read; it loads itself again."""
    done = min(1.0, job.read / job.size) if job.size else 0.0
    told = f"{job.read >> 20} / {job.size >> 20} MiB" if job.size else say("starting")
    body = (
        f"<h1>{plain(say('Reading'))}</h1>"
        f'<progress max="1" value="{done:.3f}" aria-label="{plain(say("Reading"))}">{done:.0%}</progress>'
        f'<p role="status">{done:.0%}, {plain(told)}</p>'
    )
    return _document(say("Reading"), body, '<meta http-equiv="refresh" content="1">')


def shown(report: Report, entry: Entry, near: list[Entry], has_text: bool, may_delete: bool) -> str:
    """A kept report with what can be done with it."""
    base = f"/r/{entry.id}"
    copies = "".join(
        f'<a href="{base}/{form}" data-copy="{plain(say("copied"))}: {plain(say(name))}">{plain(say(name))}</a>'
        for form, name in COPIES
    )
    log = f'<a href="{base}/log">{plain(say("Log with line numbers"))}</a>' if has_text else ""
    delete = (
        f'<form method="post" action="{base}/delete"><button class="quiet">{plain(say("Delete"))}</button></form>'
        if may_delete
        else ""
    )
    expires = datetime.fromtimestamp(entry.expires, UTC).strftime("%Y-%m-%d")
    bar = (
        f'<div class="bar"><strong>{plain(say("Copy"))}</strong>{copies}<span id="said" role="status"></span>{log}'
        f'<span class="dim">{plain(say("kept until"))} {expires}</span>{delete}</div>'
    )
    content = html.content(report, f"{base}/log" if has_text else "")
    return _document(report.summary, bar + _first(report) + content + _near(near) + _helped(base))


def unkept(report: Report) -> str:
    """A report that could not be kept; its notes say why."""
    return _document(report.summary, _first(report) + html.content(report))


def _first(report: Report) -> str:
    """What is to be known before the report: that it was seen, and what helped; or that it is not kept."""
    told = noted(report.notes) or next((note for note in report.notes if note == NOT_KEPT), "")
    return f'<p class="seen">{plain(told)}</p>' if told else ""


def log(entry: Entry, text: str) -> str:
    """The redacted text with a number and a place to link to for each line, counted as in the report."""
    rows = "".join(
        f'<span id="L{at}"><a href="#L{at}">{at}</a>{plain(line.rstrip())}</span>'
        for at, line in enumerate(text.removesuffix("\n").split("\n"), 1)
    )
    body = f'<h1>{plain(say("Log"))}</h1><p><a href="/r/{entry.id}">{plain(say("Report"))}</a></p>'
    return _document(say("Log"), f'{body}<pre class="log" tabindex="0">{rows}</pre>')


def message(title: str, text: str) -> str:
    """A page with one sentence; both are phrases of `words`."""
    title = say(title)
    back = f'<p><a href="/">{plain(say("Paste another log"))}</a></p>'
    return _document(title, f'<h1>{plain(title)}</h1><p role="alert">{plain(say(text))}</p>{back}', here="/")


def copied(report: Report, form: str) -> str:
    """The report as Markdown or plain text."""
    if form == "md":
        return markdown.render(report)
    rows = terminal.render(report, _WIDTH, everything=True)
    return "".join("".join(part[0] for part in row) + "\n" for row in rows)


def slack(told: Brief) -> str:
    """A short answer to paste into Slack."""
    quotes = [quote.replace("```", "\N{MODIFIER LETTER GRAVE ACCENT}" * 3) for quote in told.quotes]
    rows = [f"*{told.headline}*", told.cause, *(["```", *quotes, "```"] if quotes else [])]
    for number, step in enumerate(told.steps, 1):
        rows += [f"{number}. {step.text}", *([f"`{step.command}`"] if step.command else [])]
    return "\n".join([*filter(None, rows), told.link]) + "\n"


def _near(near: list[Entry]) -> str:
    if not near:
        return ""
    rows = "".join(  # without their links: who has one can read the whole report of somebody else
        f'<li>{plain(one.summary)} <span class="dim">{datetime.fromtimestamp(one.created, UTC):%Y-%m-%d}</span></li>'
        for one in near
    )
    return web.section(say("Earlier reports like this one"), f'<ul class="plain">{rows}</ul>', "near")


def _helped(base: str) -> str:
    """The forms that teach the history what helped."""
    body = (
        f'<form method="post" action="{base}/mark"><div class="row"><label for="said-by">{plain(say("What fixed it?"))}'
        '</label> <input type="text" id="said-by" name="said" size="40" maxlength="500" required>'
        f'<button class="quiet" name="kind" value="fixed">{plain(say("Note it"))}</button></div></form>'
        f'<form method="post" action="{base}/mark"><div class="row">'
        f'<button class="quiet" name="kind" value="helpful">{plain(say("This helped"))}</button>'
        f'<button class="quiet" name="kind" value="not-helpful">{plain(say("This is wrong"))}</button>'
        f'<button class="quiet" name="kind" value="not-same">{plain(say("Not the same fault as before"))}</button>'
        "</div></form>"
    )
    return web.section(say("Did it help?"), body, "helped")


def _document(title: str, main: str, head: str = "", here: str = "") -> str:
    """`here` is the address whose other language is offered; empty: that of the page itself."""
    links = "".join(f'<li><a href="{href}">{plain(say(name))}</a></li>' for href, name in _PLACES)
    links += "".join(f'<li><a href="{here}?lang={code}" lang="{code}">{name}</a></li>' for code, name in _LANGUAGES)
    header = f'<header><nav aria-label="triage"><ol>{links}</ol></nav></header>'
    footer = f"<footer><p>triage, {time.strftime('%Y', time.gmtime())}</p></footer>"
    return web.document(title, main + _SCRIPT, STYLE, header, footer, head, SCRIPT, forms=True)
