"""Index and trends: numbers, order, links; the page shows no markup of a report and loads nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from triage.reports import chart
from triage.reports.index import Collection, collect, markdown, spoken, trends
from triage.reports.index_page import html


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = (
        ("2026-01-05", "xid-79", "node07", "0000:3b:00", 1), ("2026-01-20", "xid-79", "node07", "0000:3b:00", 3),
        ("2026-03-02", "cuda-oom", "node08", "GPU 1", 0.5), ("2026-03-03T08:00:00+08:00", "xid-79", "node08", "0000:3b:00", None),
    )  # fmt: skip
    for number, (day, name, host, gpu, hours) in enumerate(rows):
        ended = f"started: 2026-01-01T00:00:00Z\nended: 2026-01-01T{int(hours):02d}:{int(hours % 1 * 60):02d}:00Z\n" if hours else ""
        text = f"---\nid: i{number}\ndate: {day}\nstatus: closed\nseverity: fatal\nsignature: {name}\nhosts: [{host}]\ngpus: ['{gpu}']\n{ended}---\n# Incident {number} <b>|x\n"
        (tmp_path / f"r {number}.md").write_text(text)
    return tmp_path


def test_numbers_are_right(folder: Path) -> None:
    found = collect(folder, folder)
    assert [one.id for one in found.incidents] == ["i3", "i2", "i1", "i0"]
    first, second = trends(found.incidents, lambda one: one.signatures)
    assert (first.name, first.count, first.recovery) == ("xid-79", 3, timedelta(hours=2))
    assert (second.name, second.count, second.recovery) == ("cuda-oom", 1, timedelta(minutes=30))
    text = markdown(found)
    assert "4 reports, 0 open, median time to recovery 60 min." in text
    assert "| `node07 0000:3b:00` | 2 | 2026-01-05 | 2026-01-20 | 2.0 h |" in text
    assert "[Incident 1 \\<b\\>\\|x](<r 1.md>)" in text
    assert markdown(collect(folder, folder)) == text


def test_links_start_where_the_index_stands(folder: Path) -> None:
    assert collect(folder, folder.parent).incidents[0].link == f"{folder.name}/r 3.md"


def test_what_does_not_fit_is_told(folder: Path) -> None:
    (folder / "twice.md").write_text("---\nid: i0\n---\n# x\n")
    (folder / "no.md").write_text("# no front matter\n")
    (folder / "broken.md").write_text("---\na: [\n---\n")
    (folder / "binary.md").write_bytes(b"\xff\xfe")
    problems = collect(folder, folder).problems
    assert "id i0 is used 2 times" in problems
    for name in ("no.md", "broken.md", "binary.md"):
        assert any(name in problem for problem in problems)


def test_reports_that_cannot_be_read_are_listed_all_the_same(folder: Path) -> None:
    (folder / "2026-05-06-none.md").write_text("# no front matter\n")
    (folder / "2026-05-07-broken.md").write_text("---\na: [\n---\n# broken\n")
    (folder / "2026-05-08-binary.md").write_bytes(b"\xff\xfe")
    found = collect(folder, folder)
    assert len(found.incidents) == 7
    text, page = markdown(found), html(found)
    assert "7 reports, 0 open" in text
    assert "| 2026-05-08 | [2026-05-08-binary](<2026-05-08-binary.md>) |  |  | cannot be read: is not UTF-8 |  |" in text
    assert "| 2026-05-06 | [no front matter](<2026-05-06-none.md>) |  |  | no front matter |  |" in text
    assert "[broken](<2026-05-07-broken.md>) |  |  | front matter is not YAML: " in text
    assert page.count("<tr><td>2026-05-0") == 3


@pytest.mark.parametrize(("name", "shown"), [
    ("gpu-cluster-a-node001.dc.example 0000:3b:00", "gpu-cluster-a-node001 0000:3b:00"), ("node07.example GPU 1", "node07.example GPU 1"),
    ("a-very-long-name-of-a-host-node001 GPU-8e6f9a52-1234", "a-very-long-na…GPU-8e6f9a52-1234"),
])  # fmt: skip
def test_names_that_are_cut_keep_host_and_gpu(name: str, shown: str) -> None:
    assert f">{shown}</text>" in chart.bars([(name, 1)], "x")


def test_times_to_recovery_have_lines_that_people_name() -> None:
    names = [re.findall(r'class="dim">([^<]*)', chart.dots([(0, hour, "a"), (864000, 2 * hour, "b")], 1.0, "x")) for hour in (0.001, 0.5, 30, 20000)]
    assert names == [["1 min", "10 min"], ["10 min", "1 h"], ["1 d", "7 d"], ["1 year", "10 years"]]
    days = re.findall(r">(\d{4}-\d\d-\d\d)<", chart.dots([(0, 1, "a"), (4 * 86400 * 30, 2, "b")], None, "x"))
    assert days == ["1970-01-01", "1970-01-31", "1970-03-02", "1970-04-01", "1970-05-01"]
    ElementTree.fromstring(chart.dots([(0, 1e6, "a")], 2e6, "x"))


def test_the_page_is_whole_and_loads_nothing(folder: Path) -> None:
    page = html(collect(folder, folder))
    assert "<b>|x" not in page
    assert "&lt;b&gt;|x" in page
    assert 'href="r%203.md"' in page
    assert not re.search(r"<script|src=|@import|url\(", page)
    assert "default-src 'none'" in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)
    assert page.count('role="img"') == 4
    assert html(collect(folder, folder)) == page


def test_an_empty_folder_gives_an_empty_page() -> None:
    assert "0 reports" in markdown(Collection())
    assert "<svg" not in html(Collection())


def test_months_without_a_report_are_shown(folder: Path) -> None:
    assert ">2026-02<" in html(collect(folder, folder))


def test_bars_are_as_long_as_their_numbers() -> None:
    widths = [float(w) for w in re.findall(r'width="([\d.]+)" height="16', chart.bars([("a", 4), ("b", 2)], "x"))]
    assert widths[0] == pytest.approx(2 * widths[1])
    picture = chart.stacked(["1", "2"], [("a", [1, 0]), ("b", [3, 2])], "x")
    tall = {name: float(h) for h, name in re.findall(r'height="([\d.]+)" class="[^"]*"><title>([^<]*)', picture)}
    assert tall["1, b: 3"] == pytest.approx(3 * tall["1, a: 1"], abs=0.2)
    assert "2, a: 0" not in tall


def test_points_stand_by_their_logarithm() -> None:
    picture = chart.dots([(0, 1, "a"), (86400, 10, "b"), (172800, 100, "c")], 10, "x")
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', picture)]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.2)
    ElementTree.fromstring(picture)
    ElementTree.fromstring(chart.dots([(5, 0, "only <one>")], None, "x"))


def test_spans_are_spoken() -> None:
    assert [spoken(timedelta(minutes=m)) for m in (45, 210, 3024)] == ["45 min", "3.5 h", "2.1 d"]
    assert spoken(None) == ""
