"""Quoted lines name file and line whole, keep what decides, and are not told twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.model import Evidence
from triage.render.page import Page, plain
from triage.render.proof import distinct, quote
from triage.render.text import cells

LINE = (
    "2026-11-30 00:52:26 node07:3187 [0] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB on it."
)


def shown(name: str, text: str, width: int = 60, rows: int = 3, carets: bool = False) -> list[str]:
    page = Page(width)
    quote(page, name, Evidence("a", 1, text, (text.find("CUDA"), text.find("CUDA") + 20)), [], rows, 1, carets, False)
    return plain(page.rows).splitlines()


def test_further_rows_stand_below_the_text_or_hang_when_the_name_is_long():
    assert shown("a.log:1", LINE)[1].startswith("           ")
    rows = shown("a-long-name-of-a-log.log:12345", LINE)
    assert rows[0].startswith("  a-long-name-of-a-log.log:12345  ")
    assert rows[1].startswith("      ")
    assert rows[1][6] != " "


def test_carets_stand_below_the_match_in_every_row():
    rows = shown("a-long-name-of-a-log.log:12345", LINE, carets=True)
    marks = [at for at, row in enumerate(rows) if set(row) == {" ", "^"}]
    under = "".join(rows[at - 1][rows[at].index("^") : rows[at].rindex("^") + 1] for at in marks)
    assert under == "CUDA out of memory. "[: len(under)]
    assert len(under) >= 19


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300), st.integers(40, 120), st.integers(1, 4))
def test_no_row_is_too_wide(text, start, length, width, rows):
    page = Page(width)
    quote(page, "a.log:1", Evidence("a", 1, text, (start, start + length)), ["x"], rows, 1, True, False)
    for row in plain(page.rows).splitlines():
        assert cells(row) <= width


@pytest.mark.parametrize(("second", "count"), [("12:00:09 Xid 79 on GPU 1", 1), ("12:00:01 Xid 94 on GPU 1", 2)])
def test_only_what_is_said_again_word_for_word_is_left_out(second, count):
    lines = [Evidence("a", 1, "12:00:01 Xid 79 on GPU 1", (9, 15)), Evidence("a", 2, second, (9, 15))]
    assert len(distinct(lines)) == count
    assert distinct(lines)[0] is lines[0]
