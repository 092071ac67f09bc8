"""Text is cleaned, measured, wrapped and cut at the end of sentences."""

from __future__ import annotations

import pytest

from triage.render.text import cells, clean, compact, sentences, wrap


@pytest.mark.parametrize(
    ("most", "want"),
    [
        (9, ["One two three.", "Four e.g. five.", "Six."]),
        (1, ["One two three. …"]),
        (2, ["One two three.", "Four e.g. five.", "Six."]),
    ],
)
def test_prose_is_cut_at_the_end_of_a_sentence(most, want):
    assert sentences("One two three. Four e.g. five. Six.", 16, most) == want


def test_prose_without_an_end_is_cut_at_a_word():
    assert sentences("one two three four five six seven eight nine", 14, 2) == ["one two three", "four five six…"]


def test_small_words():
    assert compact([3, 0, 1, 2, 7, 9, 10]) == "0-3,7,9,10"
    assert clean("a\x1b[1mb\x07\u202ec\td\n") == "abc d "
    assert cells("中e\u0301") == 3
    assert wrap("中" * 10, 6) == ["中中中", "中中中", "中中中", "中"]
