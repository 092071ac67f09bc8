"""Air flow and temperature rise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.estimate.cooling import Heat, air, heat_capacity
from triage.estimate.quantities import Unsuitable


@pytest.mark.parametrize(("watts", "flow", "cfm"), [(3150, 627, 369), (3780, 752, 443)])
def test_the_air_that_a_heat_needs(watts, flow, cfm):
    found = air(Heat(watts))
    assert found.flow_m3h == pytest.approx(flow, abs=0.5)
    assert found.flow_cfm == pytest.approx(cfm, abs=0.5)
    assert found.fits


def test_the_constant():
    assert air(Heat(1, rise_kelvin=1)).flow_m3h == pytest.approx(2.985, abs=0.0005)


def test_an_absurd_flow_is_named():
    found = air(Heat(3780, flow_m3h=2.5))
    assert found.rise_kelvin == pytest.approx(4513, abs=1)
    assert found.fits is False
    assert "no machine runs like this" in found.answer


@pytest.mark.parametrize(("rise", "fits", "words"), [(12, True, "enough"), (25, True, "warm"), (40, False, "too little air"), (101, False, "check the air flow")])
def test_verdicts(rise, fits, words):
    found = air(Heat(1000, rise_kelvin=rise))
    assert found.fits is fits
    assert words in found.answer


def test_fans_lose_half_inside_a_case():
    assert air(Heat(3150, fan_m3h=100)).fans == 13
    assert air(Heat(3150, fan_m3h=100, fan_share=1.0)).fans == 7
    assert air(Heat(3150)).fans is None


def test_air_is_thinner_above_the_sea():
    """ISO 2533: 0.9075 of the density at 1000 m, 0.8216 at 2000 m."""
    assert heat_capacity(1000) / heat_capacity() == pytest.approx(0.9075, abs=0.0005)
    assert heat_capacity(2000) / heat_capacity() == pytest.approx(0.8216, abs=0.0005)


@given(st.floats(1, 1e5), st.floats(1, 90), st.floats(0, 9000))
def test_flow_and_rise_are_inverse(watts, rise, altitude):
    flow = air(Heat(watts, rise_kelvin=rise, altitude_meters=altitude)).flow_m3h
    assert air(Heat(watts, flow_m3h=flow, altitude_meters=altitude)).rise_kelvin == pytest.approx(rise)


@pytest.mark.parametrize("wrong", [{"heat_watts": 0}, {"rise_kelvin": -1}, {"altitude_meters": 20000}, {"fan_share": 0}])
def test_wrong_inputs(wrong):
    with pytest.raises(Unsuitable):
        Heat(**{"heat_watts": 100} | wrong)
