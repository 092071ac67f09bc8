"""The published library: links lead somewhere, nothing is loaded, the markup is whole, hostile text stays text."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from pathlib import Path, PurePosixPath

import pytest
from pages import HOSTILE, Reader

from triage import load_library
from triage.library.library import Library, Link, Pattern, Signature
from triage.library.playbook import Playbook
from triage.model import Step
from triage.render import site
from triage.render.site_style import SCRIPT, STYLE


@pytest.fixture(scope="module")
def library() -> Library:
    return load_library()


@pytest.fixture(scope="module")
def pages(library: Library) -> dict[str, str]:
    return site.pages(library)


@pytest.fixture(scope="module")
def read(pages: dict[str, str]) -> dict[str, Reader]:
    return {name: Reader(text) for name, text in pages.items()}


def test_every_signature_and_playbook_has_a_page(library, pages, read):
    assert set(pages) == {
        "index.html",
        *(f"s/{i}.html" for i in library.signatures),
        *(f"p/{i}.html" for i in library.playbooks),
    }
    index = set(read["index.html"].having("href"))
    assert index >= set(pages) - {"index.html"}
    for one in library.signatures.values():
        if one.playbook:
            assert f"../p/{one.playbook}.html" in read[f"s/{one.id}.html"].having("href")
            assert f"../s/{one.id}.html" in read[f"p/{one.playbook}.html"].having("href")


def test_every_internal_link_resolves(read):
    ids = {name: set(page.having("id")) for name, page in read.items()}
    for name, page in read.items():
        assert len(page.having("id")) == len(ids[name]), f"{name}: an id stands twice"
        for href in page.having("href"):
            if re.match(r"https?://|data:,", href):
                continue
            path, _, part = href.partition("#")
            parts: list[str] = [] if path else [name]
            for step in PurePosixPath(name).parent.joinpath(path).parts if path else ():
                if step == "..":
                    parts.pop()
                else:
                    parts.append(step)
            target = "/".join(parts)
            assert target in read, f"{name}: {href}"
            assert not part or part in ids[target], f"{name}: {href}"
        for label in (*page.having("aria-labelledby"), *page.having("aria-describedby"), *page.having("for")):
            assert label in ids[name], f"{name}: {label}"


def test_links_of_causes_lead_both_ways(read):
    assert "../s/pcie-aer-uncorrectable-fatal.html" in read["s/xid-79.html"].having("href")
    assert "../s/xid-79.html" in read["s/pcie-aer-uncorrectable-fatal.html"].having("href")


def test_nothing_is_loaded(pages, read):
    for name, page in read.items():
        for tag, attrs in page.tags:
            assert tag not in ("img", "iframe", "object", "embed", "base", "form", "audio", "video", "svg"), name
            assert not set(attrs) & {"src", "srcset", "style", "action", "background"}, f"{name}: {attrs}"
            assert not [key for key in attrs if key.startswith("on")], f"{name}: {attrs}"
            if tag == "link":
                assert attrs["href"] == "data:,"
        assert "url(" not in STYLE
        assert "@import" not in STYLE
        policy = next(str(a["content"]) for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        for text in page.texts["style"]:
            assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
        scripts = [attrs for tag, attrs in page.tags if tag == "script"]
        assert scripts == ([{"type": "application/json", "id": "index"}, {}] if name == "index.html" else [])
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in pages["index.html"]
    assert "innerHTML" not in SCRIPT


def test_pages_can_be_walked_without_eyes(read):
    for name, page in read.items():
        tags = [tag for tag, _ in page.tags]
        assert [tags.count(tag) for tag in ("main", "header", "footer", "h1", "title")] == [1] * 5, name
        assert page.tags[0] == ("html", {"lang": "en"})
        levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), f"{name}: {levels}"
        assert "#main" in page.having("href")
    for style in (":focus-visible", "prefers-color-scheme:dark", "@media print", "max-width:40rem"):
        assert style in STYLE


def test_a_page_says_what_explain_says(library, read):
    one, page = library.signatures["xid-79"], read["s/xid-79.html"]
    said = page.said
    for text in (
        one.title,
        one.means,
        one.title_zh,
        one.summary_zh,
        one.match[0].regex,
        "pci=noaer",
        "ipmitool sel elist",
        "lspci -s <pci> -vv",
        *one.sources,
    ):
        assert text in said, text
    assert "zh-Hans" in page.having("lang")
    assert "fallen off the bus" in "".join(page.texts["code"])  # an example


def test_the_search_index_is_whole(library, read):
    entries = json.loads("".join(t for t in read["index.html"].texts["script"] if t.startswith("[")))
    assert {e["id"] for e in entries} == {*library.signatures, *library.playbooks}
    assert all((e["href"] in read) and e["title"] for e in entries)


def test_hostile_text_stays_text(tmp_path):
    bad = Signature(
        id="bad-one", family="we<b>ird", path="none.yaml", line=1, title=HOSTILE, severity="fatal", role="cause", status="draft",
        confidence="likely", action="rma", action_vendor=HOSTILE, match=[Pattern(HOSTILE, ("kernel",), where=HOSTILE)], where=[HOSTILE],
        unless=[{"regex": HOSTILE, "in": "record"}], readings=[{"when": HOSTILE, "text": HOSTILE}], means=HOSTILE, title_zh=HOSTILE,
        summary_zh=HOSTILE, playbook="../up", sources=[HOSTILE, "javascript:alert(1)", 'https://x/"onclick=1'],
    )  # fmt: skip
    step = Step(HOSTILE, "Fix", "reboot", "host", ["echo", HOSTILE, "{pci}"], HOSTILE)
    book = Playbook(
        "../up",
        HOSTILE,
        HOSTILE,
        [HOSTILE],
        [HOSTILE],
        {"Fix": [step], "Do not": [Step(HOSTILE, "Do not")]},
        "x.md",
        "",
    )
    link = Link(
        [("bad-one", HOSTILE)], [("bad-one", ""), ("gone", "")], "explains", [], None, "", "usual", {}, "", "", 1
    )
    made = site.pages(Library(signatures={"bad-one": bad}, playbooks={"../up": book}, links=[link]))
    assert set(made) == {"index.html", "s/bad-one.html", "p/_2e__2e__2f_up.html"}
    for name, text in made.items():
        page = Reader(text)
        assert [tag for tag, _ in page.tags if tag == "img"] == []
        assert "alert(1)</script>" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert all(re.match(r"https?://|[.a-z#]|data:,", href) for href in page.having("href")), name
        assert not [href for href in page.having("href") if "javascript" in href or '"' in href]
        assert HOSTILE[:30] in page.said, name


def test_only_an_own_folder_is_written_over(tmp_path: Path):
    small = Library(signatures={}, playbooks={})
    target = tmp_path / "site"
    assert site.build(small, target) == 1
    (target / "s" / "gone.html").write_text("old")
    assert site.build(small, target) == 1
    assert not (target / "s" / "gone.html").exists()
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(FileExistsError):
        site.build(small, tmp_path)
    assert (tmp_path / "index.html").read_text() == "mine"
