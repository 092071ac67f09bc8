"""Bandwidth and times of PCIe links."""

from __future__ import annotations

import pytest

from triage.estimate.pcie import Link, bandwidth, flow
from triage.estimate.quantities import Unsuitable


@pytest.mark.parametrize(("generation", "gb"), [(1, 4.0), (2, 8.0), (3, 15.75), (4, 31.5), (5, 63.0)])
def test_sixteen_lanes_in_one_direction(generation, gb):
    assert bandwidth(generation, 16) == pytest.approx(gb, abs=0.02)
    assert bandwidth(generation, 8) == pytest.approx(gb / 2, abs=0.01)


def test_generation_6_is_marked_as_approximate():
    assert bandwidth(6, 16) == pytest.approx(118)
    assert flow(Link(6)).answer.startswith("about 118")


def test_a_ring_over_nine_cards():
    found = flow(Link(4, bytes=1e9, gpus=9))
    assert found.ring_factor == pytest.approx(1.78, abs=0.005)
    assert found.allreduce_ms == pytest.approx(70.5, abs=0.1)
    assert flow(Link(4, bytes=1e9)).transfer_ms == pytest.approx(39.67, abs=0.01)
    assert flow(Link(4, bytes=1e9, gpus=9, step_ms=300)).of_step_percent == pytest.approx(23.5, abs=0.1)


def test_a_shared_uplink_is_divided():
    assert flow(Link(4, behind=5)).each_gb_per_s == pytest.approx(6.3, abs=0.01)


@pytest.mark.parametrize(
    ("measured", "fits", "words"),
    [(26.0, True, "healthy: 83 %"), (24.0, True, "healthy"), (3.0, False, "too slow: 10 %"), (23.0, False, "75 to 90"), (31.6, None, "invalid"), (40.0, None, "invalid: 127 %")],
)
def test_measured_copies(measured, fits, words):
    found = flow(Link(4, measured_gb_per_s=measured))
    assert found.fits is fits
    assert words in found.answer


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"generation": 7}, "must be 1 to 6"), ({"generation": 4, "width": 3}, "no other width"), ({"generation": 4, "efficiency": 1.2}, "at most 1"), ({"generation": 4, "bytes": 0.0}, "above 0"), ({"generation": 4, "behind": 0}, "whole")],
)
def test_wrong_inputs(wrong, words):
    with pytest.raises(Unsuitable, match=words):
        Link(**wrong)
