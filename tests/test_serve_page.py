from __future__ import annotations

import base64
import hashlib
import re
import time

import pytest

pytest.importorskip("fastapi")

from pages import HOSTILE, Reader

from tests.desk import HEALTHY, XID
from triage import analyze_text
from triage.history import Entry
from triage.render.json import as_dict
from triage.render.lang import using
from triage.serve import page
from triage.serve.brief import brief
from triage.serve.desk import NOT_KEPT, Answer
from triage.serve.jobs import Running
from triage.serve.settings import Settings

NOW = 1_790_000_000.0
ENTRY = Entry("i" * 24, "", NOW, NOW + 86_400, "fault", "xid-79", "", "", HOSTILE)
REPORT = analyze_text(f"{XID} {HOSTILE}", "paste")


def pages() -> dict[str, str]:
    job = Running("x" * 24, read=3 << 20, size=9 << 20)
    return {
        "paste": page.paste(Settings(), HOSTILE, HOSTILE), "working": page.working(job), "log": page.log(ENTRY, HOSTILE),
        "shown": page.shown(REPORT, ENTRY, [ENTRY], True, True), "unkept": page.unkept(REPORT),
        "message": page.message("Not done", HOSTILE),
    }  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", list(pages()))
def test_each_page_is_well_formed_obeys_no_text_and_fits_its_policy(name: str, language: str) -> None:
    with using(language):
        text = pages()[name]
    read = Reader(text)
    assert not [tag for tag, _ in read.tags if tag in ("img", "iframe", "object")]
    assert not any(key.startswith("on") or key == "style" for _, attributes in read.tags for key in attributes)
    assert "\x1b" not in text
    assert "\u202e" not in text
    policy = page.HEADERS["content-security-policy"]
    for element in ("style", "script"):
        for content in re.findall(f"<{element}>(.*?)</{element}>", text, re.S):
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{element}-src 'sha256-{digest}'" in policy
    assert "frame-ancestors 'none'" in policy
    labels = {attributes["for"] for tag, attributes in read.tags if tag == "label" and "for" in attributes}
    fields = [a for tag, a in read.tags if tag in ("input", "textarea") and a.get("type") not in ("hidden", "checkbox")]
    assert {a["id"] for a in fields} <= labels
    assert read.having("lang")[0] == {"en": "en", "zh": "zh-Hans"}[language]


def test_a_page_of_progress_tells_how_far_and_loads_itself_again() -> None:
    text = page.working(Running("x" * 24, read=3 << 20, size=9 << 20))
    assert 'http-equiv="refresh"' in text
    assert "33%, 3 / 9 MiB" in text
    assert "0%, starting" in page.working(Running("x" * 24))


def test_what_was_pasted_stands_in_the_field_again() -> None:
    read = Reader(page.paste(Settings(), "no zone", "a </textarea> log"))
    assert read.texts["textarea"] == ["a </textarea> log"]


def test_the_page_says_how_long_and_how_much() -> None:
    text = page.paste(Settings(keep=7 * 86_400, upload=64 << 20))
    assert "for 7 days" in text
    assert "(64 MiB)" in text


def test_only_who_may_delete_is_offered_it() -> None:
    assert "/delete" in page.shown(REPORT, ENTRY, [], False, True)
    assert "/delete" not in page.shown(REPORT, ENTRY, [], False, False)


@pytest.mark.parametrize("note", ["Seen twice", "Seen 2 times before on node1, last on 2026-11-02; helped then: a <b>.", NOT_KEPT])
def test_what_must_be_known_first_stands_first(note: str) -> None:
    report = analyze_text(XID, "paste")
    report.notes = ["something", note]
    text = page.unkept(report)
    first = [tag for tag, attributes in Reader(text).tags if attributes.get("class") == "seen"]
    assert bool(first) == (note != "Seen twice")


def test_earlier_reports_are_named_without_their_links() -> None:
    text = page.shown(REPORT, ENTRY, [Entry("secret-id", "", NOW, NOW, "fault", "", "", "", "An earlier one")], False, False)
    assert "An earlier one" in text
    assert "secret-id" not in text


def test_copies_hold_the_cause_and_close_what_they_open() -> None:
    assert "xid-79" in page.copied(REPORT, "md")
    assert "CAUSE" in page.copied(REPORT, "txt")
    told = brief(Answer(as_dict(analyze_text(f"{XID} ``` <!channel>", "paste")), None, None), "https://x.example/r/1")
    text = page.slack(told)
    assert text.startswith("*FAULT")
    assert text.count("```") == 2
    assert text.endswith("https://x.example/r/1\n")


def test_a_healthy_log_has_a_page_too() -> None:
    Reader(page.shown(analyze_text(HEALTHY, "paste"), ENTRY, [], True, True))


def test_a_log_of_many_lines_is_a_page_in_time() -> None:
    began = time.perf_counter()
    text = page.log(ENTRY, "x" * 80 + "\n" * 50_000)
    assert text.count('<span id="L') == 50_000
    assert time.perf_counter() - began < 5
