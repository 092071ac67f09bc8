"""Vendors, functions and requester ids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import pci, pci_models

PCI_IDS = Path("/usr/share/misc/pci.ids")


def test_vendors_and_functions() -> None:
    assert pci.vendor(0x10DE) == "NVIDIA"
    assert pci.vendor(0x1234) == "vendor 0x1234, not in the table"
    assert pci.function(0x10DE, 1) == "sound"
    assert pci.function(0x8086, 1) == ""
    assert pci.device(0x15B3, 0x101E) == "[15b3:101e], Mellanox"
    assert pci.device(0x10DE, 0x2330) == "[10de:2330], NVIDIA H100 SXM5 80GB"
    assert pci.device(0x10DE, 0xFFFF) == "[10de:ffff], NVIDIA"
    assert pci.model(0x8086, 0x2330) == ""


@pytest.mark.skipif(not PCI_IDS.is_file(), reason="the package pci.ids is not installed")
def test_models_are_those_of_the_list() -> None:
    text = PCI_IDS.read_text(encoding="utf-8", errors="replace")
    own = text[text.index("\n10de  ") :]
    names = dict(re.findall(r"^\t([0-9a-f]{4})  [^\n]*\[([^\]\n]+)\]", own[: own.index("\n10df  ")], re.M))
    listed = {number: name for number, name in pci_models.MODELS.items() if f"{number:04x}" in names}
    assert len(listed) > 60
    for number, name in listed.items():
        words = set(re.findall(r"RTX|GTX|[A-Z]{1,2}\d{1,4}[A-Z]?|\d{4}", name)) & set(re.findall(r"\w+", name))
        assert all(word in names[f"{number:04x}"] for word in words), (hex(number), name, names[f"{number:04x}"])


def test_windows_instances() -> None:
    assert pci.instance("PCI\\VEN_10DE&DEV_2204&SUBSYS_147D10DE") == (0x10DE, 0x2204)
    assert pci.instance("ROOT\\DISPLAY\\0000") is None


@given(st.integers(0, 0xFFFF))
def test_requester_ids_come_back_whole(word: int) -> None:
    bus, rest = pci.requester(word).split(":")
    device, function = rest.split(".")
    assert int(bus, 16) << 8 | int(device, 16) << 3 | int(function) == word
