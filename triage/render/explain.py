"""A page of the manual for one signature, written from the library itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triage.library.library import Library, Playbook, Signature
from triage.model import Step
from triage.render.lang import chinese, heading, say
from triage.render.page import ASCII, FANCY, Page, Row
from triage.render.shell import break_command, command_line

_SECTIONS = ("Confirm", "Fix", "If it returns", "Do not", "Verify")
_DRAFT = "draft: few real samples, never more than possible"
ROLES = {
    "cause": "a cause: it can be the root of a failure",
    "symptom": "a symptom: normally the effect of something else",
    "carrier": "a carrier: it only reports that something else failed",
    "context": "context: a fact, not a fault",
}


def _names(side: Iterable[tuple[str, str]], name: str) -> bool:
    return any(one == name or (one.endswith("*") and name.startswith(one[:-1])) for one, _ in side)


def _listed(side: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name} (if {condition})" if condition else name for name, condition in side]


def explained_by(library: Library, name: str) -> list[str]:
    """The ids (or `prefix*`) that can explain `name`, in the order of the causal table."""
    links = [link for link in library.links if _names(link.effect, name)]
    return list(dict.fromkeys(i for link in links for i in _listed(link.cause) if i != name))


def explains(library: Library, name: str) -> list[str]:
    """The ids (or `prefix*`) that `name` can explain, in the order of the causal table."""
    links = [link for link in library.links if _names(link.cause, name)]
    return list(dict.fromkeys(i for link in links for i in _listed(link.effect) if i != name))


def as_dict(library: Library, signature: Signature) -> dict[str, Any]:
    """The page as plain data."""
    playbook = library.playbooks.get(signature.playbook)
    return {
        "id": signature.id,
        "title": signature.title,
        "family": signature.family,
        "severity": signature.severity,
        "role": signature.role,
        "confidence": signature.confidence,
        "status": signature.status,
        "action": signature.action,
        "action_vendor": signature.action_vendor,
        "means": signature.means.strip(),
        "readings": signature.readings,
        "patterns": [{"regex": p.regex, "formats": list(p.formats), "where": p.where} for p in signature.match],
        "where": signature.where,
        "refines": signature.refines,
        "refined_by": refined_by(library, signature.id),
        "explained_by": explained_by(library, signature.id),
        "explains": explains(library, signature.id),
        "playbook": playbook and playbook_dict(playbook),
        "recheck": signature.recheck,
        "sources": signature.sources,
        "basis": signature.basis,
        "path": signature.path,
        "line": signature.line,
    } | {key: text for key in ("title_zh", "summary_zh") if (text := getattr(signature, key))}


def playbook_dict(playbook: Playbook) -> dict[str, Any]:
    """A remedy as plain data."""
    return {
        "id": playbook.id,
        "title": playbook.title,
        "summary": playbook.summary,
        "steps": [_step_dict(step) for steps in playbook.sections.values() for step in steps],
        "sources": playbook.sources,
    } | {key: text for key in ("title_zh", "summary_zh") if (text := getattr(playbook, key))}


def _step_dict(step: Step) -> dict[str, Any]:
    return {
        "text": step.text,
        "command": step.command,
        "expect": step.expect,
        "risk": step.risk,
        "section": step.section,
        "where": step.where,
    }


def refined_by(library: Library, name: str) -> list[str]:
    """The ids of the signatures that are special cases of `name`."""
    return sorted(s.id for s in library.signatures.values() if name in s.refines)


def render(
    library: Library,
    signature: Signature,
    examples: Sequence[str] = (),
    width: int = 80,
    *,
    fancy: bool = True,
    everything: bool = False,
) -> list[Row]:
    """The page as rows. Without `everything` long lists of patterns, links, sources and examples are cut."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    page.prose((chinese() and signature.title_zh) or signature.title, style="title")
    dot = page.glyphs.dot
    page.row(
        (f"{signature.id}{dot}{signature.family}{dot}", "dim"), (say(signature.severity), signature.severity),
        (f"{dot}{say(_DRAFT)}" if signature.status == "draft" else "", "dim"),
    )  # fmt: skip
    page.prose(say(ROLES.get(signature.role, signature.role)), heading("Role"))
    if signature.action != "none":
        vendor = f" ({say('vendor')}: {signature.action_vendor})" if signature.action_vendor else ""
        page.prose(signature.action + vendor, heading("Action"))
    _section(page, "What it means", [signature.summary_zh if chinese() else "", *signature.means.split("\n\n")])
    for reading in signature.readings:
        page.prose(reading.get("text", ""), f"  if {reading.get('when', '')}: ")
    _playbook(page, library, signature, None if everything else 2)
    _recognised(page, signature, None if everything else 3)
    _relations(page, library, signature, None if everything else 6)
    if examples:
        _head(page, say("Examples" if everything else "Example"))
        for text in examples[: None if everything else 1]:
            for line in text.strip("\n").split("\n")[: None if everything else 3]:
                page.row((f"  {line}", "dim"))
    sources = signature.sources if everything else signature.sources[:3]
    _section(page, "Sources", sources, "  - ")
    left = len(signature.sources) - len(sources)
    if left:
        page.row((f"  ({left} {say('more')}: --all)", "dim"))
    return page.rows


def _head(page: Page, title: str) -> None:
    page.blank()
    page.row((title, "head"))


def _section(page: Page, title: str, texts: Sequence[str], label: str = "  ") -> None:
    texts = [text for text in texts if text.strip()]
    if texts:
        _head(page, say(title))
        for text in texts:
            page.prose(text, label)


def _recognised(page: Page, signature: Signature, most: int | None) -> None:
    """The patterns, each on a row of its own without any break: a pattern with other spaces is another pattern."""
    _head(page, say("How it is recognised"))
    for pattern in signature.match[:most]:
        place = f"  in {', '.join(pattern.formats)}: " if pattern.formats else "  in any text: "
        parts = (pattern.regex, f"where {pattern.where}" if pattern.where else "")
        text = "  ".join(part for part in parts if part)
        if most is None:
            page.exact(f"{place}{text}", 0, "")
        else:
            page.row((place, "dim"), (text, ""))
    rows = []
    if signature.derive:
        origins = signature.derive.get("from") or signature.derive.get("source") or []
        rows.append(f"computed over many records of {', '.join(origins)}")
    rows += [f"and: {condition}" for condition in signature.where]
    rows += [f"not when the {u.get('in') or u.get('scope')} holds {u.get('regex')}" for u in signature.unless]
    if most is not None and len(signature.match) > most:
        rows.append(f"({len(signature.match) - most} more: --all)")
    for text in rows:
        if most is None:
            page.exact(f"  {text}", 0, "")
        else:
            page.row((f"  {text}", ""))


def _relations(page: Page, library: Library, signature: Signature, most: int | None) -> None:
    groups = (
        ("explained by", explained_by(library, signature.id)),
        ("explains", explains(library, signature.id)),
        ("special case of", signature.refines),
        ("special cases", refined_by(library, signature.id)),
    )
    rows = []
    for label, found in groups:
        if found:
            left = f", and {len(found) - most} more" if most is not None and len(found) > most else ""
            rows.append(f"{say(label)}: {', '.join(found[:most])}{left}")
    _section(page, "What it belongs to", rows)


def _playbook(page: Page, library: Library, signature: Signature, warnings: int | None) -> None:
    playbook = library.playbooks.get(signature.playbook)
    if playbook is None:
        return
    title, summary = _told(playbook)
    _section(page, f"{say('What to do')}: {title}", [summary])
    _steps(page, playbook, warnings, signature.id.startswith("win-"))


def _told(playbook: Playbook) -> tuple[str, str]:
    """Title and summary in the language of the page."""
    if chinese():
        return playbook.title_zh or playbook.title, playbook.summary_zh or playbook.summary
    return playbook.title, playbook.summary


def _steps(page: Page, playbook: Playbook, warnings: int | None, windows: bool) -> None:
    number = 0
    for name in sorted(playbook.sections, key=lambda s: _SECTIONS.index(s) if s in _SECTIONS else 9):
        steps = playbook.sections[name][: warnings if name == "Do not" else None]
        if not steps:
            continue
        page.row((f"  {say(name)}", "head"))
        for step in steps:
            number += step.section != "Do not"
            _step(page, step, number, windows)
        if len(steps) < len(playbook.sections[name]):
            page.row((f"      ({len(playbook.sections[name]) - len(steps)} {say('more')}: --all)", "dim"))


def render_playbook(library: Library, playbook: Playbook, width: int = 80, *, fancy: bool = True) -> list[Row]:
    """The page of a remedy: its steps, and the signatures that lead to it."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    title, summary = _told(playbook)
    page.prose(title, style="title")
    page.row((page.glyphs.dot.join([playbook.id, *playbook.applies_to]), "dim"))
    page.prose(summary)
    page.blank()
    _steps(page, playbook, None, playbook.applies_to == ["windows"])
    _section(page, "Signatures that lead here", [", ".join(uses(library, playbook))])
    _section(page, "Sources", playbook.sources, "  - ")
    return page.rows


def uses(library: Library, playbook: Playbook) -> list[str]:
    """The ids of the signatures that name this playbook."""
    return sorted(one.id for one in library.signatures.values() if one.playbook == playbook.id)


def _step(page: Page, step: Step, number: int, windows: bool) -> None:
    label = "    ! " if step.section == "Do not" else f"{number:>4}. "
    tag = f"[{step.risk}{f' @{step.where}' if step.where else ''}] " if step.risk else ""
    page.prose(tag + step.text, label, head="fatal" if step.section == "Do not" else step.risk)
    if step.command:
        for part in break_command(command_line(step, windows), page.width - 6, windows or step.where == "windows"):
            page.exact(part, 6)
    if step.expect:
        page.prose(step.expect, f"      {say('expect')}: ", head="dim")


def examples(signature: Signature) -> list[str]:
    """The texts on which the signature is proven to hold, read from its file; none when that is gone."""
    import yaml

    from triage.library.loader import default_folder

    path = default_folder() / signature.path  # an absolute path stays what it is
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        found = data["examples"]["match"]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
        return []
    return [str(one["text"]) for one in found if "text" in one and one.get("id", signature.id) == signature.id]
