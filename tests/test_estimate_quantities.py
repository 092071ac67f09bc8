"""Numbers and sizes as people and logs write them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.estimate import quantities
from triage.estimate.quantities import GIB, Unsuitable


@pytest.mark.parametrize(
    ("text", "want"),
    [("7B", 7e9), ("6.74e9", 6.74e9), ("340M", 3.4e8), ("13_000_000_000", 13e9), ("1.5 T", 1.5e12), ("512", 512), ("8,030,261,248", 8030261248)],
)
def test_counts(text, want):
    assert quantities.count(text) == want


@pytest.mark.parametrize("text", ["", "B", "seven", "7X", "-7B", "7B B", "nan", "1e999"])
def test_what_is_no_count_is_told_with_an_example(text):
    with pytest.raises(ValueError, match=r"write e\.g\. 7B"):
        quantities.count(text)


def test_data_is_decimal_and_binary_as_written():
    assert quantities.size("1GB") == 1e9
    assert quantities.size("1.5 GiB") == 1.5 * GIB
    assert quantities.size("4096bytes") == 4096
    assert quantities.size("10kB") == 10_000
    with pytest.raises(ValueError, match="with its unit"):
        quantities.size("24")


def test_sizes_of_logs_are_binary():
    assert quantities.logged("989.12 MiB") == pytest.approx(989.12 * 2**20)
    assert quantities.logged("1,073,741,824 bytes") == GIB
    assert quantities.logged("2GB") == 2 * GIB  # as TensorFlow and nvidia-smi's users write it
    with pytest.raises(ValueError, match="copy it from the message"):
        quantities.logged("<free>")


@pytest.mark.parametrize(
    ("sold", "seen"),  # what PyTorch's messages name as total capacity of such cards
    [("24GB", 23.69), ("24GB", 23.65), ("80GB", 79.10), ("141GB", 139.80), ("16GB", 15.75)],
)
def test_a_card_as_sold_is_what_pytorch_sees_of_it(sold, seen):
    assert quantities.card(sold) / GIB == pytest.approx(seen, rel=0.012)


def test_a_card_as_shown_is_taken_as_it_is():
    assert quantities.card("139.8GiB") == 139.8 * GIB
    assert quantities.card("143771MiB") == 143771 * 2**20


@given(st.text(max_size=30))
def test_readers_raise_value_errors_only(text):
    for read in (quantities.count, quantities.size, quantities.logged, quantities.card):
        with suppress(ValueError):
            assert read(text) >= 0


def test_checks_name_the_field_and_the_need():
    with pytest.raises(Unsuitable) as raised:
        quantities.whole(batch=0)
    assert (raised.value.name, raised.value.need) == ("batch", "must be a positive whole number")
    quantities.whole(batch=None, gpus=1)
    for check, bad in ((quantities.positive, 0.0), (quantities.positive, float("inf")), (quantities.not_negative, -1.0), (quantities.share, 1.1), (quantities.share, float("nan"))):
        with pytest.raises(Unsuitable):
            check(value=bad)
        check(value=1.0)


@given(st.integers(0, 10**9))
def test_the_largest_that_holds(limit):
    assert quantities.largest(lambda n: n <= limit) == limit


def test_a_search_without_end_ends():
    assert quantities.largest(lambda n: True, most=1000) < 1024
