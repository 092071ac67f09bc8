from hypothesis import given
from hypothesis import strategies as st

from triage.model import Line, Record, join_lines, no_blocks


def record(*texts: str) -> Record:
    text, offsets = join_lines(texts)
    return Record("log", "text", [Line(n, t, t) for n, t in enumerate(texts, 5)], text, offsets)


@given(st.lists(st.text(st.characters(exclude_characters="\n")), min_size=1))
def test_every_character_belongs_to_its_line(texts: list[str]) -> None:
    one = record(*texts)
    for number, (text, offset) in enumerate(zip(texts, one.offsets, strict=True)):
        assert one.text[offset : offset + len(text)] == text
        assert one.line_at(offset + len(text)) == number or not text
    assert one.text == "\n".join(texts)


def test_places() -> None:
    one = record("ab", "", "cd")
    assert one.number == 5
    assert [one.line_at(at) for at in range(len(one.text) + 1)] == [0, 0, 0, 1, 2, 2, 2]
    assert join_lines([]) == ("", [])
    assert list(no_blocks()) == []
