"""Vendor numbers, functions and classes of PCI devices.

Vendors: the PCI-SIG numbers as in the pci.ids list (https://pci-ids.ucw.cz). On NVIDIA and AMD cards function 0 is the
graphics or compute device and function 1 its sound device; some NVIDIA cards add USB (2) and its port controller (3).
"""

from __future__ import annotations

from triage import lazy
from triage.decode.pci_models import MODELS

NVIDIA = 0x10DE
VENDORS = {
    0x10DE: "NVIDIA", 0x1002: "AMD graphics", 0x1022: "AMD processor or chipset", 0x8086: "Intel", 0x15B3: "Mellanox",
    0x144D: "Samsung drive", 0x1344: "Micron drive", 0x15B7: "SanDisk drive", 0x1C5C: "SK hynix drive",
    0x1E0F: "Kioxia drive", 0x1179: "Toshiba drive", 0x126F: "Silicon Motion drive", 0x1987: "Phison drive",
    0x14E4: "Broadcom", 0x1000: "Broadcom or LSI storage and switches", 0x10B5: "PLX switch",
    0x11F8: "Microchip switch", 0x10EC: "Realtek", 0x1A03: "ASPEED management controller",
    0x1AF4: "virtual device (virtio)", 0x1D0F: "Amazon", 0x1414: "Microsoft", 0x1B21: "ASMedia", 0x1DA3: "Habana",
}  # fmt: skip
FUNCTIONS = {
    0x10DE: {0: "graphics or compute", 1: "sound", 2: "USB", 3: "USB port controller"},
    0x1002: {0: "graphics or compute", 1: "sound"},
}
_INSTANCE = lazy.pattern(r"\bPCI\\VEN_([0-9A-Fa-f]{4})&DEV_([0-9A-Fa-f]{4})")


def vendor(number: int) -> str:
    """`NVIDIA` for 0x10de; an unknown number is named as such."""
    return VENDORS.get(number, f"vendor 0x{number:04x}, not in the table")


def model(vendor_id: int, device_id: int) -> str:
    """`NVIDIA H100 PCIe`, or nothing where the table does not hold the card."""
    name = MODELS.get(device_id) if vendor_id == NVIDIA else None
    return f"NVIDIA {name}" if name else ""


def device(vendor_id: int, device_id: int) -> str:
    """`[8086:6f04], Intel`; of a card that the table holds its name."""
    return f"[{vendor_id:04x}:{device_id:04x}], {model(vendor_id, device_id) or vendor(vendor_id)}"


def function(vendor_id: int, number: int) -> str:
    """What a function of a card is for, or nothing where the table does not say."""
    return FUNCTIONS.get(vendor_id, {}).get(number, "")


def requester(word: int) -> str:
    """A 16-bit requester id as an address: 0x8010 -> `80:02.0`."""
    return f"{word >> 8 & 0xFF:02x}:{word >> 3 & 0x1F:02x}.{word & 7}"


def instance(text: str) -> tuple[int, int] | None:
    """Vendor and device of a Windows instance id `PCI\\VEN_10DE&DEV_2204...`."""
    found = _INSTANCE.search(text)
    return (int(found[1], 16), int(found[2], 16)) if found else None
