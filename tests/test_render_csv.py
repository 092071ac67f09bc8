"""Rows for a spreadsheet: every finding, and nothing that the spreadsheet would run."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import fault, hostile

from triage.model import Finding, Report
from triage.render.csv import COLUMNS, render


def read(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(report))))


def test_each_finding_has_a_row():
    report = fault()
    rows = read(report)
    assert [row["id"] for row in rows] == [f.id for f in (*report.findings, *report.earlier)]
    top = rows[0]
    assert tuple(top) == COLUMNS
    assert (top["verdict"], top["when"], top["role"], top["pci"], top["rank"]) == ("fault", "current", "cause", "0000:3b:00", "3")
    assert (top["first_source"], top["first_line"], top["last_time"]) == ("dmesg.txt", "17", "2024-03-14T10:03:10")
    assert (top["explains"], top["action"], top["entities"]) == ("cuda-launch-failure", "reboot-node", "xid=79")
    assert "_helper" not in render(report)
    assert rows[-1]["when"] == "earlier"


def test_a_row_is_a_line_whatever_the_log_holds():
    report = hostile()
    assert len(render(report).splitlines()) == 1 + len(report.findings)
    assert read(report)[0]["rank"].startswith("0 1 2 3")
    assert "\x1b" not in render(report)


@pytest.mark.parametrize(
    ("title", "want"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1+1", "'+1+1"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"),
        ("-9", "-9"), ("+1.5", "+1.5"), ("plain", "plain"), ("\t=1", "' =1"), ("a=b", "a=b"),
    ],
)  # fmt: skip
def test_a_formula_of_a_log_is_text(title, want):
    row = read(Report("fault", "", [Finding("x", title, "cause", "error", "likely")]))[0]
    assert row["title"] == want


@given(st.text(max_size=60))
def test_any_text_comes_back_in_its_column(text):
    row = read(Report("fault", "", [Finding("x", text, "cause", "error", "likely")]))[0]
    assert row["id"] == "x"
    assert row["role"] == "cause"
