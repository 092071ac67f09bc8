"""Power of a machine against supplies, connectors and the wall."""

from __future__ import annotations

import pytest

from triage.estimate.power import Machine, budget
from triage.estimate.quantities import Unsuitable


@pytest.mark.parametrize(
    ("machine", "load", "fits"),
    [
        (Machine(9, 350, (1600,)), 3465, False),
        (Machine(1, 450, (850,), cpu_watts=150), 660, True),
        (Machine(1, 450, (850,), cpu_watts=150, rest_share=0.15), 690, False),
        (Machine(1, 450, (850,), cpu_watts=253), 773, False),
        (Machine(2, 450, (1000,)), 990, False),
        (Machine(2, 450, (1600,), cpu_watts=250), 1265, True),
    ],
)
def test_eighty_percent_of_the_supplies(machine, load, fits):
    found = budget(machine)
    assert found.load_watts == pytest.approx(load, abs=0.5)
    assert found.fits is fits
    assert (found.spare_watts >= 0) is fits


def test_the_cards_alone_are_too_much_for_one_supply():
    found = budget(Machine(9, 350, (1600,)))
    assert found.boards_watts == 3150 > found.allowed_watts == 1280
    assert "3465 W of load" in found.answer


def test_peaks_need_supplies_that_are_built_for_them():
    plain = budget(Machine(4, 450, (1250, 1250), rest_share=0.05, peak_factor=2.05))
    modern = budget(Machine(4, 450, (1250, 1250), rest_share=0.05, peak_factor=2.05, atx3=True))
    assert plain.load_ok
    assert not plain.peak_ok
    assert "of peaks" in plain.answer
    assert modern.peak_ok


@pytest.mark.parametrize(
    ("connectors", "board", "ok"),
    [(("slot", "8pin"), 350, False), (("slot", "8pin", "8pin"), 350, True), (("12vhpwr",), 450, True), (("6pin", "8pin", "slot"), 350, False)],
)
def test_connectors_of_a_card(connectors, board, ok):
    assert budget(Machine(1, board, (2000,), connectors=connectors)).connectors_ok is ok


@pytest.mark.parametrize(("volts", "amps", "circuit", "continuous"), [(230, 16, 3680, 2944), (120, 15, 1800, 1440)])
def test_the_circuit(volts, amps, circuit, continuous):
    found = budget(Machine(4, 350, (1600, 1600), mains_volts=volts, mains_amps=amps))
    assert (found.circuit_watts, found.circuit_allowed_watts) == (circuit, continuous)
    assert found.wall_watts == pytest.approx(1540 / 0.9)
    assert found.circuit_ok is (continuous > 1540 / 0.9)


def test_energy_of_a_year():
    assert budget(Machine(4, 450, (3000,))).boards_kwh_per_year == pytest.approx(15_768)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"psu_watts": ()}, "rating of each supply"), ({"psu_watts": (0.0,)}, "above 0"), ({"gpus": 0}, "whole"), ({"peak_factor": 0.5}, "1 or more"),
        ({"connectors": ("molex",)}, "known are slot"), ({"mains_volts": 230}, "belong together"), ({"efficiency": 0}, "at most 1"),
    ],
)  # fmt: skip
def test_wrong_inputs(wrong, words):
    with pytest.raises(Unsuitable, match=words):
        Machine(**{"gpus": 1, "board_watts": 350, "psu_watts": (850,)} | wrong)
