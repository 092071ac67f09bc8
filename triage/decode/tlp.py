"""The header of a PCI Express packet (TLP), as AER logs it: four words of 32 bits.

Fields by the PCI Express Base Specification, chapter 2 (non-flit mode): word 0 holds format (31:29), type (28:24),
poison EP (14) and length (9:0); word 1 the requester (31:16) of a request or the completer of an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from triage import lazy
from triage.decode import pci

_LINE = lazy.pattern(r"TLP Header:((?: +(?:0x)?[0-9a-fA-F]{8}){4})(?! +(?:0x)?[0-9a-fA-F]{8}\b)(?! *\(Flit)")
_ANSWERS = {0: "successful", 1: "unsupported request", 2: "configuration retry", 4: "completer abort"}
_ATOMICS = {0b01100: "fetch-and-add", 0b01101: "swap", 0b01110: "compare-and-swap"}


@dataclass(frozen=True, slots=True)
class Tlp:
    """`kind` in words, the requester, the address or target, and whether the sender marked the data as bad."""

    kind: str
    requester: str = ""
    address: int | None = None
    target: str = ""
    poisoned: bool = False


def header(words: tuple[int, int, int, int]) -> Tlp:
    """The packet of four header words; a type that the table does not hold is named by its numbers."""
    first, second, third, fourth = words
    shape, kind = first >> 29 & 7, first >> 24 & 0x1F
    poisoned = bool(first >> 14 & 1)
    asker = pci.requester(second >> 16)
    long, data = bool(shape & 1), bool(shape & 2)
    if shape > 3:
        return Tlp(f"a prefix (format {shape}, type {kind})")
    if kind in (0b00000, 0b00001, *_ATOMICS):
        address = (third << 32 | fourth & ~3) if long else third & ~3
        if kind in _ATOMICS:
            name = f"an atomic {_ATOMICS[kind]}"
        elif kind == 1:
            name = "a locked memory read"
        else:
            name = "a memory write" if data else "a memory read"
        return Tlp(name, asker, address, poisoned=poisoned)
    if kind == 0b00010:
        return Tlp("an I/O write" if data else "an I/O read", asker, third & ~3, poisoned=poisoned)
    if kind in (0b00100, 0b00101):
        name = "a configuration write" if data else "a configuration read"
        return Tlp(name, asker, third & 0xFFC, pci.requester(third >> 16), poisoned)
    if kind in (0b01010, 0b01011):
        status = second >> 13 & 7
        answer = _ANSWERS.get(status, f"status {status}, not in the table")
        return Tlp(f"an answer ({answer})", pci.requester(third >> 16), None, asker, poisoned)
    if kind >> 3 == 0b10:
        return Tlp(f"a message (code 0x{second & 0xFF:02x})", asker, poisoned=poisoned)
    return Tlp(f"a packet of format {shape} and type {kind}, not in the table")


def words_in(text: str) -> tuple[int, int, int, int] | None:
    """The four words of a `TLP Header:` line; None where there is none, or one of the longer flit mode."""
    found = _LINE.search(text)
    if not found:
        return None
    a, b, c, d = (int(word, 16) for word in found[1].split())
    return a, b, c, d


def sentence(text: str) -> str:
    """What a logged header says, or nothing. A header of only zeros or ones was never recorded."""
    words = words_in(text)
    if words is None or set(words) in ({0}, {0xFFFFFFFF}):
        return ""
    packet = header(words)
    parts = [f"The logged packet was {packet.kind}"]
    if packet.requester:
        parts.append(f"asked for by {packet.requester}")
    if packet.target:
        parts.append(f"{'from' if packet.kind.startswith('an answer') else 'to'} {packet.target}")
    if packet.address is not None:
        parts.append(f"{'register' if packet.target else 'address'} 0x{packet.address:x}")
    end = "; its sender had marked the data as bad." if packet.poisoned else "."
    return ", ".join(parts) + end
