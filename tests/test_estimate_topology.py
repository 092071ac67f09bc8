"""How cards can be joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.estimate.quantities import Unsuitable
from triage.estimate.topology import Board, plan, spread


def test_nine_cards_on_two_sockets():
    found = plan(Board(9, sockets=2))
    layouts = {one.layout: one for one in found.layouts}
    assert found.slots_x16 == 8
    assert not layouts["x16 each"].fits
    assert layouts["x8 each"].fits
    assert layouts["2 switches, up to 5 cards"].each_gb_per_s == pytest.approx(31.5 / 5, abs=0.01)
    assert (found.pairs, found.crossing_pairs) == (36, 20)
    assert "20 of 36 pairs cross the sockets" in found.answer


def test_no_fractions_of_lanes():
    """32 lanes over nine cards are not x3.5: with two slots of x16 and no switch only x2 slots would do, so a switch."""
    found = plan(Board(9, lanes=32))
    assert {one.layout: one.fits for one in found.layouts}["x4 each"] is False
    assert "2 switches" in found.answer


def test_four_cards_on_one_socket_fit():
    found = plan(Board(4, lanes=64))
    assert found.fits
    assert found.crossing_pairs == 0
    assert not plan(Board(4, lanes=64, reserved=16)).fits


def test_no_room_at_all():
    assert "does not fit" in plan(Board(16, lanes=8)).answer


@given(st.integers(1, 100), st.integers(1, 16))
def test_spread_is_whole_and_even(gpus, places):
    found = spread(gpus, places)
    assert sum(found) == gpus
    assert max(found) - min(found) <= 1


@given(st.integers(1, 64), st.integers(1, 4), st.integers(1, 160), st.integers(1, 6))
def test_a_card_never_gets_more_than_its_link(gpus, sockets, lanes, generation):
    for one in plan(Board(gpus, sockets, lanes, generation=generation)).layouts:
        assert 0 < one.each_gb_per_s <= one.alone_gb_per_s


@pytest.mark.parametrize("wrong", [{"gpus": 0}, {"reserved": 64}, {"reserved": -1}, {"generation": 0}, {"lanes": 0}])
def test_wrong_inputs(wrong):
    with pytest.raises(Unsuitable):
        Board(**{"gpus": 2} | wrong)
