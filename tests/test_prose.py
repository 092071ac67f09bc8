import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.prose import paragraph, word_count


@pytest.mark.parametrize(
    ("text", "count"),
    [("The node is down.", 4), ("", 0), ("0x1f 12:30 a/b", 0), ("请教一下各位", 3), ("Die Karte fällt aus", 4)],
)
def test_words_of_a_language(text: str, count: int) -> None:
    assert word_count(text) == count


def test_a_wrapped_sentence_is_one_paragraph() -> None:
    texts = [
        "A first sentence that ends here and is quite long, too.",
        "The second one was wrapped by its writer behind the word",
        "writer, and ends only here.",
        "",
        "other",
    ]
    joined, at = paragraph(texts, 2)
    assert joined == f"{texts[1]} {texts[2]}"
    assert joined[at:] == texts[2]
    assert paragraph(texts, 0) == (texts[0], 0)


@pytest.mark.parametrize(
    "below", ["- an item of a list", "| a | b |", "# A heading of its own", "", "2. second", "level=WARN msg=x", "ERROR no disk", "2025-03-11 10:02"], ids=repr
)
def test_what_begins_anew_is_no_part(below: str) -> None:
    text = "A sentence of many words that might well go on in the line"
    assert paragraph([text, below], 0) == (text, 0)


@given(st.lists(st.text(max_size=90), min_size=1, max_size=30), st.data())
def test_the_place_is_that_of_the_line(texts: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    joined, place = paragraph(texts, at)
    assert joined[place : place + len(texts[at])] == texts[at]
