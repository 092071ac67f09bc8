"""The library as static pages that need no network, no server and no script: an index, and a page for each signature
and playbook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from triage.library.library import Library, Signature
from triage.render import site_pages
from triage.render.json import dumps
from triage.render.site_parts import FAMILIES, Links, Samples, item, page
from triage.render.site_style import SCRIPT
from triage.render.web import plain, section
from triage.render.words import counted

_MARK = '<meta name="generator" content="triage">'
_NUMBERED = re.compile(r"(.+)-[0-9]+")
_LONG = 40  # numbers of one kind from which they are folded
_TEXT = 240  # characters of the meaning, and of the example, that the search knows


def build(library: Library, folder: Path) -> int:
    """Writes the library as HTML below `folder` and gives the number of pages.

    The folder must be new, empty or an earlier result: then pages of signatures that are gone go too. Raises
    FileExistsError for any other folder.
    """
    index = folder / "index.html"
    if folder.exists():
        other = not folder.is_dir() or (any(folder.iterdir()) and not index.is_file())
        if other or (index.is_file() and _MARK not in index.read_text(encoding="utf-8", errors="replace")):
            raise FileExistsError(f"{str(folder)!r} holds something else; name a new or empty folder")
    written = pages(library)
    for part in ("s", "p"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for old in (folder / part).glob("*.html"):
            if f"{part}/{old.name}" not in written:
                old.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return len(written)


def pages(library: Library) -> dict[str, str]:
    """All pages by their path below the folder."""
    links = Links(library)
    samples = Samples()
    made: dict[str, str] = {}
    rows = []
    for signature in library.signatures.values():
        found = samples.of(signature)
        made[links.signature(signature.id)] = site_pages.signature_page(library, links, signature, found)
        rows.append((signature, found.match[0] if found.match else ""))
    for playbook in library.playbooks.values():
        made[links.playbook(playbook.id)] = site_pages.playbook_page(links, playbook)
    made["index.html"] = _index(library, links, rows)
    return made


def _index(library: Library, links: Links, rows: Sequence[tuple[Signature, str]]) -> str:
    families: dict[str, list[Signature]] = {}
    for signature, _ in rows:
        families.setdefault(signature.family, []).append(signature)
    names = sorted(families)
    contents = "".join(
        f'<li><a href="#{escape(name)}">{plain(FAMILIES.get(name, name))}</a> '
        f'<span class="dim">{len(families[name])}</span></li>'
        for name in names
    )
    parts = [
        f"<p>{counted(len(library.signatures), 'signature')} and {counted(len(library.playbooks), 'playbook')}: what "
        "the lines of a log mean, what explains them, and what to do.</p>",
        '<div class="search" role="search" id="search" hidden><label for="query">Search: a code, words, or a line of a '
        'log</label><input type="search" id="query" autocomplete="off" spellcheck="false" aria-describedby="count">'
        '<p class="dim" id="count" role="status"></p></div>',
        '<ul class="list" id="results" aria-label="Found" hidden></ul><div id="all">',
        f'<nav aria-label="Families"><ul class="families">{contents}'
        f'<li><a href="#playbooks">Playbooks</a> <span class="dim">{len(library.playbooks)}</span></li></ul></nav>',
        *(_family(name, families[name], links) for name in names),
        _playbooks(library, links),
        "</div>",
        f'<script type="application/json" id="index">{_search(library, links, rows)}</script>',
        f"<script>{SCRIPT}</script>",
    ]
    return page("Signatures", "".join(parts), "", _MARK, script=True)


def _family(family: str, found: Iterable[Signature], links: Links) -> str:
    """A family: single signatures in the open, long runs of numbers (Xid, SXid, CUDA errors) folded."""
    runs: dict[str, list[Signature]] = {}
    for signature in sorted(found, key=lambda s: s.id):
        numbered = _NUMBERED.fullmatch(signature.id)
        runs.setdefault(numbered[1] if numbered else "", []).append(signature)
    shown = [one for name, rows in runs.items() if not name or len(rows) <= _LONG for one in rows]
    body = _list(links, sorted(shown, key=lambda s: s.id)) if shown else ""
    for name, rows in runs.items():
        if name and len(rows) > _LONG:
            rows.sort(key=lambda s: (len(s.id), s.id))
            body += f"<details><summary>{plain(name)}: {len(rows)} numbers</summary>{_list(links, rows)}</details>"
    return section(FAMILIES.get(family, family), body, family)


def _list(links: Links, rows: Iterable[Signature]) -> str:
    return f'<ul class="list">{"".join(item(links, one) for one in rows)}</ul>'


def _playbooks(library: Library, links: Links) -> str:
    rows = "".join(
        f'<li><span class="name"><a href="{links.playbook(one.id)}">{plain(one.id)}</a></span>'
        f"<span>{plain(one.title)}</span>"
        f'<span class="of">{counted(len(links.used_by(one.id)), "signature")}</span></li>'
        for one in sorted(library.playbooks.values(), key=lambda p: p.id)
    )
    return section("Playbooks", f'<ul class="list">{rows}</ul>', "playbooks")


def _search(library: Library, links: Links, rows: Sequence[tuple[Signature, str]]) -> str:
    """What the search knows, as JSON that may stand inside of a script element."""
    entries: list[Mapping[str, str]] = [
        {
            "id": one.id, "title": one.title, "zh": one.title_zh, "of": f"{one.severity}, {one.role}",
            "href": links.signature(one.id), "text": f"{one.means[:_TEXT]} {sample[:_TEXT]} {one.summary_zh}",
        }
        for one, sample in rows
    ]  # fmt: skip
    entries += [
        {"id": one.id, "title": one.title, "zh": one.title_zh, "of": "playbook", "href": links.playbook(one.id),
         "text": f"{one.summary} {one.summary_zh}"}
        for one in library.playbooks.values()
    ]  # fmt: skip
    text = dumps(entries, indent=None).strip()
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text)
