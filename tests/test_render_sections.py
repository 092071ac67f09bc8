"""The chain and the remedy as rows."""

from __future__ import annotations

from reports import fault

from triage.render.limits import Limits
from triage.render.page import Page, plain
from triage.render.sections import chain, remedy
from triage.render.text import cells


def test_a_chain_that_must_be_short_names_everybody():
    report = fault()
    for most, rows in ((1, 2), (2, 3), (9, 4)):
        page = Page(80)
        chain(page, report, report.findings[0], most)
        shown = plain(page.rows)
        assert len(shown.splitlines()) == rows
        for name in ("xid-79", "cuda-launch-failure", "pg-watchdog-timeout", "torchrun-childfailed"):
            assert name in shown
    assert "×12" in shown


def test_a_time_stands_behind_what_came_before():
    report = fault()
    fact = report.findings[-1]
    report.findings[0].explained_by = [fact.id]
    fact.last = report.findings[0].first
    page = Page(70)
    chain(page, report, report.findings[0], 9)
    row = plain(page.rows).splitlines()[1]
    assert row.endswith("2024-03-14T10:02:11")
    assert cells(row) <= 70


def test_the_remedy_counts_what_it_leaves_out():
    page = Page(80)
    remedy(page, fault().findings[0], Limits(steps=4, expect=False), everything=False)
    shown = plain(page.rows)
    assert "(3 more steps: --all)" in shown
    assert "expect:" not in shown
    assert shown.count("  ! ") == 1
    page = Page(80)
    remedy(page, fault().findings[0], Limits(), everything=True)
    assert "expect: the device" in plain(page.rows)
