"""Typed values out of log text: one spelling for each thing, so that sources can be joined."""

from __future__ import annotations

import re
from collections.abc import Callable

from triage import lazy
from triage.model import Value

_PCI = lazy.pattern(r"^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?\.?$")
_BYTES = lazy.pattern(r"^([0-9][0-9,]*(?:\.[0-9]+)?) ?(?:([KMGTPE]?)(i?)B|bytes?|B)?$", re.IGNORECASE)
_DURATION = lazy.pattern(r"^([0-9]+(?:\.[0-9]+)?) ?(ms|milliseconds|s|sec|seconds|min|minutes|h|hours)?$")
_UNIT_MS = {
    "ms": 1.0, "milliseconds": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3, "min": 6e4, "minutes": 6e4, "h": 3.6e6,
    "hours": 3.6e6,
}  # fmt: skip


def pci(text: str) -> str | None:
    """`00000000:3B:00.0`, `PCI:0000:3b:00`, `3b:00.0` -> `0000:3b:00` (lower case, 4-digit domain, no function)."""
    full = bdf(text)
    return full.split(".")[0] if full else None


def bdf(text: str) -> str | None:
    """Like `pci`, but the function stays when it was written: `0000:3b:00.0`."""
    found = _PCI.match(text.strip().lower().removeprefix("pci:"))
    if not found:
        return None
    domain, bus, device, function = found.groups()
    base = f"{int(domain or '0', 16):04x}:{bus}:{device}"
    return f"{base}.{function}" if function is not None else base


def ncclbus(text: str) -> str | None:
    """NCCL's busId, `8a000` or `0x8a000` -> `0000:8a:00`.

    It is domain << 20 | bus << 12 | device << 4 | function (NCCL src/include/utils.h, `busIdToInt64`).
    """
    try:
        number = int(text, 16)
    except ValueError:
        return None
    return f"{number >> 20:04x}:{number >> 12 & 0xFF:02x}:{number >> 4 & 0xFF:02x}"


def integer(text: str) -> int | None:
    """A decimal number, with or without thousands separators; `0x...` is read as hexadecimal."""
    clean = text.strip().replace(",", "").replace("_", "")
    try:
        return int(clean, 16) if clean.lower().startswith("0x") else int(clean)
    except ValueError:
        return None


def hexadecimal(text: str) -> str | None:
    """`00E5`, `0xe5` -> `0xe5`."""
    try:
        return hex(int(text, 16))
    except ValueError:
        return None


def number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def size(text: str) -> float | None:
    """A size in bytes. `kB` of the kernel and `GiB`, `GB`, `G` of the frameworks all count in powers of 1024,
    as the kernel (mm/oom_kill.c) and PyTorch (c10/cuda/CUDACachingAllocator.cpp, format_size) print them."""
    found = _BYTES.match(text.strip())
    if not found:
        return None
    power = " KMGTPE".index((found[2] or " ").upper())
    return float(found[1].replace(",", "")) * 1024.0**power


def milliseconds(text: str) -> float | None:
    found = _DURATION.match(text.strip())
    return float(found[1]) * _UNIT_MS[found[2] or "ms"] if found else None


def uuid(text: str) -> str | None:
    return text.strip() or None


def string(text: str) -> str | None:
    return text.strip() or None


# The reading of each type for expressions, and whether the report shows that reading or the text as logged.
TYPES: dict[str, tuple[Callable[[str], Value | None], bool]] = {
    "pci": (pci, True),
    "bdf": (bdf, True),
    "ncclbus": (ncclbus, True),
    "int": (integer, True),
    "hex": (hexadecimal, True),
    "float": (number, True),
    "bytes": (size, False),
    "duration_ms": (milliseconds, True),
    "uuid": (uuid, True),
    "version": (string, True),
    "list": (string, True),
    "ranklist": (string, True),
    "str": (string, True),
}


def read(kind: str, text: str) -> tuple[Value | None, Value | None]:
    """The value of `text` for expressions and for the report; (None, None) if it does not fit the type."""
    reader, shown = TYPES[kind]
    value = reader(text)
    if value is None:
        return None, None
    return value, value if shown else text.strip()
