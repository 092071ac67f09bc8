"""Headings as postmortems of many houses write them."""

from __future__ import annotations

import pytest

from triage.reports.checks.base import HEADINGS
from triage.reports.headings import label, says


@pytest.mark.parametrize(("heading", "purpose"), [
    ("Summary", "summary"), ("Executive Summary", "summary"), (":pencil: Summary for the exec team", "summary"),
    ("Issue Summary", "summary"), ("1. What happened?", "summary"), ("一、概要", "summary"), ("故障描述", "summary"),
    ("Customer Impact", "impact"), ("Impact on users", "impact"), ("影响范围", "impact"),
    (":hourglass: Timeline", "timeline"), ("2.1 Detailed timeline (all times UTC)", "timeline"), ("事件经过", "timeline"),
    ("Root Causes and Trigger", "root-cause"), ("What was the root cause", "root-cause"), ("**Root cause**:", "root-cause"),
    ("根本原因分析", "root-cause"), ("RCA", "root-cause"), ("Contributing factors", "root-cause"),
    ("Action Items", "actions"), ("Corrective and Preventative Measures", "actions"), ("Lessons and remediation", "actions"),
    ("改进措施", "actions"), ("Follow-up actions", "actions"), ("Mitigation and recovery", "resolution"), ("处理过程", "resolution"),
])  # fmt: skip
def test_headings_are_known_by_meaning(heading: str, purpose: str) -> None:
    assert says([heading], HEADINGS[purpose]) == 0


@pytest.mark.parametrize(("heading", "purpose"), [
    ("Because of you", "root-cause"), ("Impacting", "impact"), ("Summarys", "summary"), ("Prefix", "resolution"), ("", "summary"),
    ("Nothing", "actions"), ("Timelines of others", "timeline"),
])  # fmt: skip
def test_words_inside_of_words_are_none(heading: str, purpose: str) -> None:
    assert says([heading], HEADINGS[purpose]) is None


def test_the_heading_that_begins_so_comes_first() -> None:
    assert says(["How the impact was found", "Impact"], HEADINGS["impact"]) == 1


@pytest.mark.parametrize(("line", "words"), [
    ("**Root Causes**: Cascading failure", "Root Causes"), ("- **Impact:** none", "Impact"), ("| **Impact** | none |", "Impact"),
    ("| Root cause | riser |", "Root cause"), ("> __Summary__", "Summary"), ("plain text", ""), ("a **bold** word", ""),
    ("| a | b |", "a"), ("****", ""),
])  # fmt: skip
def test_labels(line: str, words: str) -> None:
    assert label(line) == words
