"""What every page of HTML is made of: escaped text, sections, steps, a frame whose policy lets nothing be loaded."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape

from triage.advise import BLANK, shell_line
from triage.model import Step
from triage.render.lang import chinese, say
from triage.render.text import UNSAFE

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def plain(text: str) -> str:
    """Text without anything that a browser or a reader could take for something else."""
    return escape(UNSAFE.sub(lambda found: found[0] if found[0] in "\n\t" else "\N{REPLACEMENT CHARACTER}", text))


def rich(text: str) -> str:
    """A sentence; what stands between backticks is code, and a blank is marked."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd backtick is one
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(f"<code>{_blanks(part)}</code>" if at % 2 else _blanks(part) for at, part in enumerate(parts))


def _blanks(text: str) -> str:
    return re.sub(BLANK.pattern, lambda found: f"<var>&lt;{_choice(found)}&gt;</var>", plain(text))


def _choice(found: re.Match[str]) -> str:
    """`gpu or pci` for `{gpu|pci}`."""
    return found[0][1:-1].replace("|", " or ")


def command(step: Step, windows: bool) -> str:
    """The command quoted for its shell; a blank needs no quotes, since nobody pastes it as it is."""
    names: list[str] = []

    def keep(found: re.Match[str]) -> str:
        names.append(_choice(found))
        return f"BLANK{len(names) - 1}KNALB"

    words = [re.sub(BLANK.pattern, keep, word) for word in step.command or ()]
    text = plain(shell_line(words, "powershell" if windows or step.where == "windows" else "posix"))
    return re.sub(r"BLANK(\d+)KNALB", lambda found: f"<var>&lt;{names[int(found[1])]}&gt;</var>", text)


def step_head(step: Step) -> str:
    """Risk, place and text of a step, which may stand in a label."""
    style = "safe" if step.risk == "read-only" else "risky"
    place = f", {plain(step.where)}" if step.where not in ("", "host") else ""
    tag = f'<span class="tag {style}">{plain(step.risk)}{place}</span> ' if step.risk else ""
    return tag + rich(step.text)


def step_rest(step: Step, windows: bool) -> str:
    """The command of a step and what to expect of it."""
    text = f'<pre class="run" tabindex="0"><code>{command(step, windows)}</code></pre>' if step.command else ""
    return text + (f'<p class="expect">{say("Expect")}: {rich(step.expect)}</p>' if step.expect else "")


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names with their values, which are HTML; those without a value are left out."""
    shown = "".join(f"<div><dt>{plain(name)}</dt><dd>{text}</dd></div>" for name, text in rows if text)
    return f'<dl class="facts">{shown}</dl>'


def references(found: Sequence[str]) -> str:
    """Sources as a list; what is an address on the web is a link."""
    rows = ""
    for one in found:
        text = plain(one)
        if _ADDRESS.fullmatch(one):
            text = f'<a href="{escape(one)}" rel="noreferrer noopener">{text}</a>'
        rows += f"<li>{text}</li>"
    return f'<ul class="plain">{rows}</ul>' if rows else ""


def section(title: str, body: str, name: str) -> str:
    if not body:
        return ""
    return f'<section aria-labelledby="{escape(name)}"><h2 id="{escape(name)}">{plain(title)}</h2>{body}</section>'


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(style: str, script: str, forms: bool = False) -> str:
    """The content security policy of a page: its own style, its own script if it has one, and no loading at all.

    With `forms` it is a page of a server, which its forms and its script may ask.
    """
    own = f" script-src 'sha256-{_hash(script)}';" if script else ""
    asks = "form-action 'self'; connect-src 'self'" if forms else "form-action 'none'"
    shut = f"img-src data:; base-uri 'none'; {asks}"
    return f"default-src 'none'; style-src 'sha256-{_hash(style)}';{own} {shut}"


def document(
    title: str, main: str, style: str, header: str, footer: str, head: str = "", script: str = "", forms: bool = False
) -> str:  # fmt: skip
    """A whole page. All arguments but the title are HTML; `script` and `forms` only go into the policy."""
    return (
        f'<!DOCTYPE html>\n<html lang="{"zh-Hans" if chinese() else "en"}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script, forms)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">'
        f"<title>{plain(title)}</title>{head}<style>{style}</style></head><body>"
        f'<a class="skip" href="#main">{say("Skip to the text")}</a>{header}'
        f'<main id="main" tabindex="-1">{main}</main>{footer}</body></html>\n'
    )
