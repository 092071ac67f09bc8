from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.serve.limits import cut, cut_bytes, units

TEXT = st.text(alphabet=st.sampled_from("ab`\n \U0001f525é根"), max_size=400)


@given(TEXT, st.integers(min_value=40, max_value=200))
def test_a_cut_text_never_exceeds_the_limit(text: str, most: int) -> None:
    assert units(cut(text, most)) <= most
    assert len(cut_bytes(text, most).encode()) <= most


@given(TEXT)
def test_a_short_text_stays_as_it_is(text: str) -> None:
    assert cut(text, units(text)) == text
    assert cut_bytes(text, len(text.encode())) == text


def test_the_cut_is_at_a_line_and_closes_the_fence() -> None:
    text = "head\n```text\n" + "line of a log\n" * 20 + "```"
    cutted = cut(text, 100)
    assert cutted.splitlines()[-2:] == ["```", "…"]
    assert all(line == "line of a log" for line in cutted.splitlines()[2:-2])


def test_one_endless_line_is_cut_inside() -> None:
    assert cut("x" * 500, 60).startswith("xxxx")
