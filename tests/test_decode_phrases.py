"""Small pieces of English that the decoders share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import phrases


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists(words: list[str], text: str) -> None:
    assert phrases.listed(words) == text


@given(st.integers(0, 2**64))
def test_bits_add_up(value: int) -> None:
    assert sum(1 << bit for bit in phrases.bits(value)) == value
    assert len(phrases.named(value, {0: "first"})) == len(phrases.bits(value))


def test_a_negative_number_has_no_bits() -> None:
    assert phrases.bits(-1) == []


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.00 KiB"), (135 * 2**20, "135.0 MiB"), (69.8 * 2**30, "69.80 GiB"), (3 * 2**40, "3.00 TiB")],
)  # fmt: skip
def test_sizes(count: float, text: str) -> None:
    assert phrases.size(count) == text


@given(st.floats(1, 2**60))
def test_a_size_keeps_its_value(count: float) -> None:
    number, unit = phrases.size(count).split()
    power = ["bytes", "KiB", "MiB", "GiB", "TiB"].index(unit)
    assert abs(float(number) * 1024**power - count) <= 0.01 * count + 0.5


@given(st.lists(st.text(min_size=1, max_size=4)), st.integers(1, 5))
def test_some_tells_how_many_it_leaves_out(values: list[str], most: int) -> None:
    told = phrases.some(values, most)
    assert (f"{len(values) - most} more" in told) == (len(values) > most) or not values


@given(st.lists(st.text()))
def test_distinct_keeps_the_first_of_each(values: list[str]) -> None:
    found = phrases.distinct(values)
    assert sorted(found) == sorted(set(values))
    assert [v for i, v in enumerate(values) if v not in values[:i]] == found


@pytest.mark.parametrize(
    ("known", "number"),
    [({"a": "0x1f"}, 31), ({"a": 7}, 7), ({"a": True}, None), ({"a": [1]}, None), ({"a": "x"}, None), ({}, None)],
)
def test_numbers_of_entities(known: phrases.Known, number: int | None) -> None:
    assert phrases.whole(known, "a") == number


def test_counted_and_capital() -> None:
    assert (phrases.counted(1, "row"), phrases.counted(2, "row")) == ("1 row", "2 rows")
    assert (phrases.capital("a b"), phrases.capital("")) == ("A b", "")
