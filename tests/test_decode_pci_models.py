"""Names of cards by their number, against the list of the PCI ids where it is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from triage.decode import pci_models

PCI_IDS = Path("/usr/share/misc/pci.ids")


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


def test_names_carry_no_vendor_and_numbers_fit() -> None:
    for number, name in pci_models.MODELS.items():
        assert 0 < number < 0x10000
        assert name == name.strip()
        assert not name.startswith("NVIDIA")
