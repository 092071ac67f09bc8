"""Vendors, functions and requester ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import pci


def test_vendors_and_functions() -> None:
    assert pci.vendor(0x10DE) == "NVIDIA"
    assert pci.vendor(0x1234) == "vendor 0x1234, not in the table"
    assert pci.function(0x10DE, 1) == "sound"
    assert pci.function(0x8086, 1) == ""
    assert pci.device(0x15B3, 0x101E) == "[15b3:101e], Mellanox"
    assert pci.device(0x10DE, 0x2330) == "[10de:2330], NVIDIA H100 SXM5 80GB"
    assert pci.device(0x10DE, 0xFFFF) == "[10de:ffff], NVIDIA"
    assert pci.model(0x8086, 0x2330) == ""


def test_windows_instances() -> None:
    assert pci.instance("PCI\\VEN_10DE&DEV_2204&SUBSYS_147D10DE") == (0x10DE, 0x2204)
    assert pci.instance("ROOT\\DISPLAY\\0000") is None


@given(st.integers(0, 0xFFFF))
def test_requester_ids_come_back_whole(word: int) -> None:
    bus, rest = pci.requester(word).split(":")
    device, function = rest.split(".")
    assert int(bus, 16) << 8 | int(device, 16) << 3 | int(function) == word
