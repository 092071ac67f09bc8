"""The page of a signature and of a playbook. All text goes through `plain` or `rich`, all addresses through `Links`."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from triage.library.library import Library, Signature
from triage.library.playbook import SECTIONS, Playbook
from triage.render.explain import ROLES, refined_by
from triage.render.site_parts import FAMILIES, Links, Sample, file_name, item, page
from triage.render.web import facts, plain, references, rich, section, step_head, step_rest

_FOLD = 12  # related signatures from which a group is folded
_SCOPES = {"record": "the line", "before": "the lines before", "after": "the lines after",
           "source": "the same input", "environment": "the environment"}  # fmt: skip


def _chinese(title: str, summary: str) -> str:
    if not (title or summary):
        return ""
    return f'<div class="zh" lang="zh-Hans"><p><strong>{plain(title)}</strong></p><p>{plain(summary)}</p></div>'


def signature_page(library: Library, links: Links, one: Signature, samples: Sample) -> str:
    """The page of a signature."""
    vendor = f" (vendor: {plain(one.action_vendor)})" if one.action_vendor else ""
    rows = facts((
        ("Id", f"<code>{plain(one.id)}</code>"),
        ("Severity", f'<span class="{escape(one.severity)}">{plain(one.severity)}</span>'),
        ("Role", plain(ROLES.get(one.role, one.role))),
        ("Action", f"{plain(one.action)}{vendor}" if one.action != "none" or vendor else ""),
        ("Status", "draft: few real samples" if one.status == "draft" else ""),
    ))  # fmt: skip
    means = "".join(f"<p>{rich(text)}</p>" for text in one.means.split("\n\n") if text.strip())
    means += "".join(f"<p>If <code>{plain(r['when'])}</code>: {rich(r['text'])}</p>" for r in one.readings)
    playbook = library.playbooks.get(one.playbook)
    do = ""
    if playbook is not None:
        address = f"../{links.playbook(playbook.id)}"
        do = f'<p>{rich(playbook.summary)} Playbook: <a href="{address}">{plain(playbook.title)}</a></p>'
        do += _steps(playbook, one.id.startswith("win-"))
    body = [
        rows, _chinese(one.title_zh, one.summary_zh), section("What it means", means, "means"),
        section("What to do", do, "do"), _relations(library, links, one),
        section("How it is recognised", _recognised(links, one), "recognised"),
        section("Examples", _examples(samples), "examples"), section("Sources", references(one.sources), "sources"),
    ]  # fmt: skip
    family = FAMILIES.get(one.family, one.family)
    crumbs = f'<li><a href="../index.html#{escape(one.family)}">{plain(family)}</a></li>'
    crumbs += f'<li><span aria-current="page">{plain(one.id)}</span></li>'
    return page(one.title, "".join(body), "../", crumbs=crumbs)


def playbook_page(links: Links, one: Playbook) -> str:
    """The page of a playbook."""
    used = "".join(item(links, signature, "../") for signature in links.used_by(one.id))
    windows = one.applies_to == ["windows"]
    body = [
        facts((("Id", f"<code>{plain(one.id)}</code>"), ("For", plain(", ".join(one.applies_to))),
                ("Needs", plain(", ".join(one.needs))))),
        _chinese(one.title_zh, one.summary_zh), f"<p>{rich(one.summary)}</p>", _steps(one, windows, "h2"),
        section("Signatures that lead here", f'<ul class="list">{used}</ul>' if used else "", "used"),
        section("Sources", references(one.sources), "sources"),
    ]  # fmt: skip
    crumbs = '<li><a href="../index.html#playbooks">Playbooks</a></li>'
    crumbs += f'<li><span aria-current="page">{plain(one.id)}</span></li>'
    return page(one.title, "".join(body), "../", crumbs=crumbs)


def _steps(playbook: Playbook, windows: bool, heading: str = "h3") -> str:
    made, number = "", 1
    for name in sorted(playbook.sections, key=lambda s: SECTIONS.index(s) if s in SECTIONS else 9):
        steps = playbook.sections[name]
        if not steps:
            continue
        made += f'<{heading} id="{file_name(name.lower())}">{plain(name)}</{heading}>'
        if name == "Do not":
            made += f'<ul class="not">{"".join(f"<li>{rich(step.text)}</li>" for step in steps)}</ul>'
            continue
        rows = "".join(f"<li>{step_head(step)}{step_rest(step, windows)}</li>" for step in steps)
        made += f'<ol class="steps" start="{number}">{rows}</ol>'
        number += len(steps)
    return made


def _relations(library: Library, links: Links, one: Signature) -> str:
    groups: tuple[tuple[str, str, Mapping[str, list[str]]], ...] = (
        ("What explains it", "explained-by", links.causes(one.id)),
        ("What it explains", "explains", links.effects(one.id)),
        ("It is a special case of", "special-of", {name: [] for name in one.refines if name in library.signatures}),
        ("Special cases of it", "special", {name: [] for name in refined_by(library, one.id)}),
    )
    return "".join(section(title, _related(library, links, found), name) for title, name, found in groups)


def _related(library: Library, links: Links, found: Mapping[str, list[str]]) -> str:
    rows = []
    for name, conditions in found.items():
        words = "; ".join(dict.fromkeys(conditions))
        tail = f' <span class="dim">(if <code>{plain(words)}</code>)</span>' if words else ""
        rows.append(item(links, library.signatures[name], "../", tail))
    if not rows:
        return ""
    first = f'<ul class="list">{"".join(rows[:_FOLD])}</ul>'
    rest = rows[_FOLD:]
    if rest:
        first += f'<details><summary>{len(rest)} more</summary><ul class="list">{"".join(rest)}</ul></details>'
    return first


def _recognised(links: Links, one: Signature) -> str:
    made = ""
    for pattern in one.match:
        place = f"In {', '.join(pattern.formats)}" if pattern.formats else "In any text"
        made += f"<p>{plain(place)}{f', where <code>{plain(pattern.where)}</code>' if pattern.where else ''}</p>"
        made += f"<pre><code>{plain(pattern.regex)}</code></pre>" if pattern.regex else ""
    if one.derive:
        names = one.derive.get("source") or one.derive.get("from") or []
        linked = ", ".join(f'<a href="../{links.signature(name)}">{plain(name)}</a>' for name in names)
        made += f"<p>Computed over many records of {linked}.</p>"
    rows = [f"<li>Only if <code>{plain(condition)}</code></li>" for condition in one.where]
    for unless in one.unless:
        scope = _SCOPES.get(unless["in"], plain(unless["in"]))
        rows.append(f"<li>Not if {scope} holds <code>{plain(unless['regex'])}</code></li>")
    if one.fallback:
        rows.append("<li>Only if no other signature holds on the line</li>")
    return made + (f'<ul class="plain">{"".join(rows)}</ul>' if rows else "")


def _examples(samples: Sample) -> str:
    made = "".join(f"<pre><code>{plain(text.strip(chr(10)))}</code></pre>" for text in samples.match)
    if samples.ignore:
        made += "<h3>Looks alike and is not meant</h3>"
        made += "".join(f"<pre><code>{plain(text.strip(chr(10)))}</code></pre>" for text in samples.ignore)
    return made
