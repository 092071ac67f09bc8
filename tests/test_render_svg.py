"""Drawn text fits its box and is text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pages import HOSTILE, Reader

from triage.render.svg import COLUMN, arrow, fitted, label, picture
from triage.render.text import cells, clean


@given(st.text(max_size=200), st.integers(40, 400), st.integers(1, 4))
def test_text_fits(text, pixels, most):
    rows = fitted(clean(text), pixels, most)
    assert len(rows) <= most
    assert all(cells(row) * COLUMN <= pixels + COLUMN for row in rows)


def test_a_text_that_is_cut_says_so():
    assert fitted("one two three four five six", 60, 2)[-1].endswith("…")
    assert fitted("one two", 200, 1) == ["one two"]


def test_a_picture_has_a_name_and_no_markup_of_others():
    drawn = picture(100, 50, "name", HOSTILE, [label(1, 2, HOSTILE, "dim", "end"), arrow("M0 0V9", 5, 9, down=True)])
    page = Reader(drawn)
    assert [tag for tag, _ in page.tags] == ["svg", "title", "text", "path", "polygon"]
    assert page.tags[0][1]["aria-labelledby"] == page.tags[1][1]["id"] == "name"
    assert page.tags[0][1]["viewbox"] == "-2 -2 104 54"
    assert page.said.count(HOSTILE[:60]) == 2
