"""Errors of the NVSwitch: unit, link and weight."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import sxid


def test_switch_errors() -> None:
    text = "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)"
    assert sxid.explain([text], {}) == [
        "It comes from the exit of a port of link 32.",
        "Printed as non-fatal: that speaks of the fabric; the GPU on the port can still lose its traffic.",
        "(First) marks the error that its unit latched before all others.",
    ]
    assert "unit group 77, which the table does not hold" in sxid.explain([text.replace("12028", "77001")], {})[0]


@given(st.text())
def test_switch_lines_never_raise(noise: str) -> None:
    sxid.explain([noise, f"SXid (PCI:0000:05:00.0): 20034, Fatal, Link 3 {noise}"], {})
