"""The HTML report: whole, self-contained, readable by everybody, and nothing of a log acts in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from copy import deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from pages import HOSTILE, Reader
from reports import fault, healthy, hostile, many, unknown

from triage import analyze, analyze_text
from triage.model import Evidence, Report, Source
from triage.render.html import render
from triage.render.lang import using

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--hide-scrollbars", "--allow-file-access-from-files", "--enable-logging=stderr",
)  # fmt: skip


def empty() -> Report:
    return Report("nothing-understood", "Nothing was read.")


REPORTS = (fault, healthy, unknown, hostile, many, empty)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", REPORTS)
def test_it_is_whole_and_loads_nothing(make, language):
    with using(language):
        text = render(make())
    page = Reader(text)
    for tag, attrs in page.tags:
        assert tag not in ("script", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "use"), tag
        assert not set(attrs) & {"src", "srcset", "style", "action", "background", "xlink:href"}, attrs
        assert not [key for key in attrs if key.startswith("on")], attrs
    for text in page.texts["style"]:
        assert "url(" not in text
        assert "@import" not in text
        for part in ("prefers-color-scheme:dark", "@media print", "max-width:40rem"):
            assert part in text
    policy = next(str(attrs["content"]) for _, attrs in page.tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy
    assert ("html", {"lang": "en" if language == "en" else "zh-Hans"}) in page.tags


@pytest.mark.parametrize("make", REPORTS)
def test_everything_has_a_name_that_can_be_reached(make):
    page = Reader(render(make()))
    ids = page.having("id")
    assert len(ids) == len(set(ids))
    for name in (*page.having("for"), *page.having("aria-labelledby")):
        assert name in ids
    assert [href for href in page.having("href") if href.startswith("#")]
    assert {href[1:] for href in page.having("href") if href.startswith("#")} <= set(ids)
    boxes = [attrs for tag, attrs in page.tags if tag == "input"]
    assert [box["id"] for box in boxes] == page.having("for")
    assert {box["type"] for box in boxes} <= {"checkbox"}
    assert all(
        attrs.get("role") == "img" and attrs["aria-labelledby"] in ids for tag, attrs in page.tags if tag == "svg"
    )
    assert [tag for tag, _ in page.tags].count("h1") == 1


def test_it_says_all_there_is():
    page = Reader(render(fault()))
    for part in (
        "FAULT", "xid-79", "reboot the node", "RESTART_BM", "PCI 0000:3b:00", "three seconds before", "pid='<unknown>'", "dmesg.txt",
        "lspci -s 0000:3b:00 -vv", "Is the card still on the bus?", "pci=noaer", "If it returns", "A collective timed out", "×12",
        "pcie-aer-corrected", "ipmitool sel elist", "foo error [bold]12[/bold]", "xid-13", "core.4711", "a core dump, not a log",
        "https://docs.nvidia.com/deploy/xid-errors/", "no device at 0000:3b:00", "last line is cut",
    ):  # fmt: skip
        assert part in page.said, part
    assert [tag for tag, _ in page.tags].count("input") == 7
    assert page.texts["title"][0].startswith("FAULT: GPU 2")
    assert "driver-load" not in page.said


def test_of_an_unknown_cause_it_says_first_what_to_collect():
    said = Reader(render(unknown())).said
    assert "Unknown; last known" in said
    assert said.index("kernel log of the host") < said.index("exitcode")


def poison(one: Any) -> None:
    """Puts hostile text behind every text of a report, and into its lists and names of entities."""
    for field in fields(one):
        value = getattr(one, field.name)
        if field.name in ("role", "severity", "confidence", "verdict", "action", "time", "risk", "section", "id"):
            continue
        if isinstance(value, str):
            setattr(one, field.name, value + HOSTILE)
        elif isinstance(value, dict):
            setattr(one, field.name, {key: v + HOSTILE if isinstance(v, str) else v for key, v in value.items()})
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, str):
                    value[at] = item + HOSTILE
                elif isinstance(item, dict):
                    item.update({key: f"{v}{HOSTILE}" for key, v in item.items() if key != "time"})
                elif is_dataclass(item):
                    poison(item)
        elif is_dataclass(value):
            poison(value)


@pytest.mark.parametrize("make", [fault, unknown, healthy])
def test_hostile_text_stays_text_wherever_it_stands(make):
    report = deepcopy(make())
    clean = render(report)
    poison(report)
    page = Reader(render(report))
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in Reader(clean).tags} | {"code", "p", "details", "summary"}
    assert "<script>alert(1)</script><img src=x onerror=alert(1)>" in page.said
    assert "\x1b" not in page.said
    assert "\u202e" not in page.said


LOG = """[   10.000000] usb 1-9: new device
[   99.000000] pcieport 0000:3a:01.0: link is up
[  100.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=123, name=python3, GPU has fallen off the bus.
[  101.000000] usb 1-9: gone
[  300.000000] usb 1-9: new device
[  400.000000] usb 1-9: far away
"""


def test_lines_are_quoted_in_their_surroundings():
    text = render(analyze_text(LOG, "dmesg.txt"))
    page = Reader(text)
    quoted = text.split('<figure class="quote">')[1].split("</figure>")[0]
    assert [part.split("<")[0] for part in quoted.split('<span class="n">')[1:]] == ["1", "2", "3", "4", "5"]
    assert "link is up" in page.said
    assert "far away" not in page.said
    assert "NVRM: Xid (PCI:0000:3b:00): 79" in page.texts["mark"][0]
    assert quoted.count('class="line hit"') == 1


def test_between_quoted_lines_that_are_far_apart_there_is_a_gap():
    report = fault()
    report.findings[0].evidence = [Evidence("a", n, f"line {n}", (0, 4)) for n in (3, 4, 90)]
    quoted = render(report).split('<figure class="quote">')[1].split("</figure>")[0]
    assert quoted.count("gap") == 1


def test_chinese():
    report = analyze_text(LOG, "dmesg.txt")
    with using("zh"):
        page = Reader(render(report))
    for part in ("故障", "Xid 79：GPU 掉卡", "处理步骤", "证据", "读取的输入", "重启节点", "确认"):
        assert part in page.said, part
    for word in ("The finding", "What to do", "Proof", "References"):
        assert word not in page.said


def test_many_inputs_and_rows_are_folded():
    report = fault()
    report.sources = [Source(f"rank{n}.log", report.sources[0].blocks, "text", 10, 5) for n in range(512)]
    report.unexplained *= 100
    text = render(report)
    assert text.split('id="read"')[1].split("<details>")[0].count("<tr>") == 31
    assert "482 more" in text
    assert text.split('id="unexplained"')[1].split("</section>")[0].count("<li>") == 50


def test_a_job_of_512_ranks_is_read_at_a_glance():
    text = render(many())
    page = Reader(text)
    assert "341 ranks: 1,2,4" in page.said
    assert "170 ranks: 0,6,9" in page.said
    assert text.split('id="timeline"')[1].split("</figure>")[0].count('class="lane') <= 2 * 2 * 4
    assert len(text) < 400_000


MEASURE = """<!DOCTYPE html><meta charset="utf-8"><iframe id="a" width="390" height="800" src="{name}"></iframe>
<iframe id="b" width="1280" height="800" src="{name}"></iframe><script>
addEventListener("load", function () {{
  var out = ["a", "b"].map(function (id) {{
    var page = document.getElementById(id).contentDocument, root = page.documentElement;
    var shown = [].map.call(page.querySelectorAll("svg"), function (one) {{ return getComputedStyle(one).display; }});
    var boxes = page.querySelectorAll("input[type=checkbox]");
    boxes[0].click();
    return {{ wide: root.scrollWidth, svg: shown, boxes: boxes.length, ticked: boxes[0].checked,
      small: [].some.call(page.querySelectorAll("svg:not([style])"), function (one) {{
        var box = one.getBoundingClientRect(); return box.width > 0 && box.width < one.viewBox.baseVal.width * 0.9; }}) }};
  }});
  document.body.textContent = JSON.stringify(out);
}});
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_real_browser_shows_it(tmp_path):
    report = analyze([ROOT / "fixtures" / "x4-illegal" / "x4-illegal"])
    (tmp_path / "report.html").write_text(render(report), encoding="utf-8")
    (tmp_path / "measure.html").write_text(MEASURE.format(name="report.html"), encoding="utf-8")
    done = subprocess.run(
        [str(CHROMIUM), *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
         str(tmp_path / "measure.html")],
        capture_output=True, text=True, timeout=300, check=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    phone, desktop = json.loads(done.stdout.split("<body>")[1].split("</body>")[0])
    assert phone["wide"] == 390
    assert desktop["wide"] == 1280
    assert phone["svg"] == ["none", "block"] * (len(phone["svg"]) // 2)
    assert desktop["svg"] == ["block", "none"] * (len(desktop["svg"]) // 2)
    assert len(phone["svg"]) >= 4
    for seen in (phone, desktop):
        assert seen["boxes"] >= 6
        assert seen["ticked"]
        assert not seen["small"]  # drawings keep the size at which they can be read
    assert "Refused" not in done.stderr  # by the policy of the page
