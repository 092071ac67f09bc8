"""The drawn chain shows each finding once, in a box that holds its words and hides no other."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import Reader
from reports import fault, healthy, hostile

from triage.model import Finding, Report
from triage.render import relations
from triage.render.diagram import NARROW, WIDE, diagram

BOX = re.compile(
    r'<g class="node ([^"]*)"><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx="5"/>(.*?)</g>'
)


def grown(parents: list[int], title: str = "A collective did not finish in time") -> Report:
    """A tree of findings: number n + 1 hangs below the one that `parents[n]` picks among those before it."""
    root = Finding("root", "Cause", "cause", "fatal", "likely", entities={"pci": "0000:3b:00"})
    made = [root]
    for number, pick in enumerate(parents, 1):
        above = made[pick % len(made)]
        made.append(Finding(f"f{number}", title, "symptom", "error", "likely", explained_by=[above.id]))
        above.explains.append(f"f{number}")
    root.explains = [one.id for one in made[1:]]
    return Report("fault", "x", made)


def boxes(text: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, found.groups()[1:5])) for found in BOX.finditer(text)]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 40), max_size=30),
    st.sampled_from([WIDE, NARROW]),
    st.sampled_from(
        ["Short", "Xid 79, an engine of the GPU used an address that is not mapped " * 3, "显卡驱动程序已停止响应" * 6]
    ),
)
def test_boxes_hold_their_words_and_hide_no_other(parents, width, title):
    report = grown(parents, title)
    text = diagram(report, width, "d")
    Reader(text)
    found = boxes(text)
    assert len(found) == 1 + len(parents)
    total, height = map(float, re.search(r'viewBox="-2 -2 ([\d.]+) ([\d.]+)"', text).groups())  # type: ignore[union-attr]
    assert total == width + 4
    for at, (x, y, w, h) in enumerate(found):
        assert x >= 0 and y >= -0.1 and x + w <= width + 0.1 and y + h <= height - 3.9  # noqa: PT018
        for a, b, c, d in found[:at]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y
    for one in BOX.finditer(text):
        lines = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', one[6])]
        assert lines == sorted(lines)
        assert float(one[3]) < lines[0] and lines[-1] <= float(one[3]) + float(one[5]) - 4  # noqa: PT018


def test_few_levels_stand_side_by_side_and_many_below_each_other():
    flat = boxes(diagram(grown([0, 0, 1]), WIDE, "d"))
    assert len({box[0] for box in flat}) == 3
    deep = boxes(diagram(grown([0, 1, 2, 3, 4]), WIDE, "d"))
    assert [box[1] for box in deep] == sorted(box[1] for box in deep)
    assert all(box[2] > WIDE / 2 for box in deep)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_it_names_role_finding_and_place(width):
    report = fault()
    page = Reader(diagram(report, width, "d"))
    words = " ".join(page.texts["text"])
    for part in (
        "CAUSE",
        "GPU has fallen off the bus",
        "xid-79",
        "0000:3b:00",
        "carrier",
        "A collective timed out",
        "×12",
        "0,2,4-7",
    ):
        assert part in words
    assert page.texts["title"] == [
        "Chain: GPU has fallen off the bus; explains cuda-launch-failure, pg-watchdog-timeout, torchrun-childfailed"
    ]
    assert len(boxes(diagram(report, width, "d"))) == len(relations.chain(report))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_what_set_it_off_stands_above_the_cause(width):
    report = fault()
    report.findings[0].explained_by = ["driver-load"]
    text = diagram(report, width, "d")
    first, second = boxes(text)[:2]
    assert first[1] + first[3] < second[1]
    assert "Driver loaded" in Reader(text).texts["text"]
    assert "edge loose" in text


def test_without_a_root_there_is_nothing_to_draw():
    assert diagram(healthy(), WIDE, "d") == ""


def test_a_hostile_title_is_text():
    report = hostile()
    report.findings[0].title = "</text></svg><script>alert(1)</script>"
    page = Reader(diagram(report, NARROW, "d"))
    assert {tag for tag, _ in page.tags} == {"svg", "title", "g", "rect", "text"}
