"""Machine checks: the status word of a bank, AMD's decoded lines, and firmware-first (GHES/CPER) sections.

MCi_STATUS: Intel SDM volume 3B chapter 16, AMD64 APM volume 2 chapter 9; Linux arch/x86/include/asm/mce.h. Bits 55 and
below differ between the vendors and are left alone unless the vendor is known. SMCA units: smca_hwid_mcatypes in Linux
arch/x86/kernel/cpu/mce/amd.c. CPER sections: drivers/firmware/efi/cper.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, capital, distinct, listed, some

VALID, OVERFLOW, UNCORRECTED, ENABLED, MISC, ADDRESS, CORRUPT = 63, 62, 61, 60, 59, 58, 57
BITS = {
    VALID: "valid", OVERFLOW: "more errors came than could be kept", UNCORRECTED: "uncorrected", ENABLED: "enabled",
    MISC: "more details stored", ADDRESS: "address stored", CORRUPT: "the state of the processor is damaged",
}  # fmt: skip
AMD_BITS = {
    55: "one thread lost its state", 46: "corrected by ECC", 45: "beyond ECC", 44: "deferred until the data is used",
    43: "poisoned data was used", 40: "found while memory was scrubbed",
}  # fmt: skip
_SIMPLE = {
    0x0000: "no error code", 0x0001: "unclassified", 0x0002: "parity of the microcode",
    0x0003: "an external error signal", 0x0004: "processors disagree (FRC)", 0x0005: "parity inside the processor",
    0x0400: "a timer of the processor ran out while it waited for an answer", 0x0E0B: "an error of the I/O controller",
}  # fmt: skip
_LEVEL = ("level 0", "level 1", "level 2", "any level")
_MEMORY = ("an undefined request", "a read", "a write", "an address or command", "a scrub")
SMCA = {
    (0xB0, 0x0): "load and store unit", (0xB0, 0x10): "load and store unit", (0xB0, 0x1): "instruction fetch unit",
    (0xB0, 0x2): "L2 cache", (0xB0, 0x3): "decode unit", (0xB0, 0x5): "execution unit",
    (0xB0, 0x6): "floating point unit", (0xB0, 0x7): "L3 cache", (0x2E, 0x0): "coherent slave of the data fabric",
    (0x2E, 0x1): "power and interrupt unit", (0x2E, 0x2): "coherent slave of the data fabric",
    (0x96, 0x0): "memory controller", (0x96, 0x1): "memory controller", (0x05, 0x0): "parameter block",
    (0xFF, 0x0): "security processor", (0xFF, 0x1): "security processor", (0x01, 0x0): "system management unit",
    (0x01, 0x1): "system management unit", (0x18, 0x0): "I/O hub", (0x46, 0x0): "PCIe unit", (0x46, 0x1): "PCIe unit",
    (0x50, 0x0): "xGMI link",
}  # fmt: skip
_LINE = lazy.pattern(r"Machine Check(?: Exception| Event)?: [0-9a-f]{1,4} Bank (\d{1,3}): ([0-9a-f]{16})\b")
_AMD = lazy.pattern(r"\bMC(\d{1,3})_STATUS\[([^\]\n]{1,80})\]: 0x([0-9a-f]{16})\b")
_IPID = lazy.pattern(r"IPID: 0x([0-9a-f]{16})\b")
_UNIT = lazy.pattern(r"\[Hardware Error\]: ([A-Z][\w ]{3,40}?) Ext\. Error Code: (\d{1,3})")
_SECTION = lazy.pattern(r"section_type: ([^\n]{3,60})")
_SEVERITY = lazy.pattern(r"event severity: (\w+)")
_PHYSICAL = lazy.pattern(r"physical_address: (?:0x)?([0-9a-f]{1,16})\b")


def code(word: int) -> str:
    """The low 16 bits of a status word. Bit 12 only says that corrected errors were filtered."""
    value = word & 0xFFFF & ~0x1000
    if value in _SIMPLE:
        return _SIMPLE[value]
    if value >> 4 == 0x1:
        return f"the address cache (TLB), {_LEVEL[value & 3]}"
    if value >> 2 == 0x3:
        return f"a cache, {_LEVEL[value & 3]}"
    if value >> 7 in (0x1, 0x5) and value >> 4 & 7 < len(_MEMORY):
        channel = "an unknown channel" if value & 0xF == 0xF else f"channel {value & 0xF}"
        return f"the memory controller, {_MEMORY[value >> 4 & 7]} on {channel}"
    if value >> 8 == 0x1:
        return f"a cache or the memory behind it, {_LEVEL[value & 3]}"
    if value >> 11 == 0x1:
        return "a bus or interconnect"
    return f"code 0x{value:04x}, which the table does not hold"


def flags(status: int, amd: bool = False) -> list[str]:
    """What the flag bits say that a reader can use."""
    told = [BITS[CORRUPT]] if status >> CORRUPT & 1 else []
    told = ["uncorrected" if status >> UNCORRECTED & 1 else "corrected", *told]
    if status >> OVERFLOW & 1:
        told.append(BITS[OVERFLOW])
    if amd:
        told += [words for at, words in AMD_BITS.items() if status >> at & 1]
    return told


def sentence(bank: str, status: int, amd: bool = False) -> str:
    where = f"Bank {bank}" if bank else "The bank"
    if not status >> VALID & 1:
        return f"{where} holds no valid error (status 0x{status:016x})."
    return f"{where}: {code(status)}; {listed(flags(status, amd))}."


def smca(ipid: int) -> str:
    """The unit that an AMD MCA_IPID register names."""
    key = (ipid >> 32 & 0xFFF, ipid >> 48 & 0xFFFF)
    return SMCA.get(key, f"unit {key[0]:#x}/{key[1]:#x}, not in the table")


def explain(texts: Sequence[str], known: Known) -> list[str]:
    found: list[str] = []
    for text in texts:
        found += [sentence(m[1], int(m[2], 16)) for m in _LINE.finditer(text)]
        found += [sentence(m[1], int(m[3], 16), True) for m in _AMD.finditer(text)]
        if m := _UNIT.search(text):
            found.append(f"The unit is the {m[1]}, its own error code {m[2]}.")
        elif m := _IPID.search(text):
            found.append(f"The unit is the {smca(int(m[1], 16))}.")
    unique = distinct(found)
    if len(unique) > 3:
        unique = [*unique[:2], f"{len(unique) - 2} further status words differ."]
    return unique + _firmware(texts)


def _firmware(texts: Sequence[str]) -> list[str]:
    """Sections of a record that the firmware handed to the kernel."""
    sections = distinct(m[1].strip() for text in texts for m in _SECTION.finditer(text))
    if not sections:
        return []
    severity = distinct(m[1] for text in texts for m in _SEVERITY.finditer(text))
    places = distinct(m[1] for text in texts for m in _PHYSICAL.finditer(text))
    kind = f", severity {some(severity)}" if severity else ""
    where = f", at physical address {some([f'0x{p}' for p in places], 2)}" if places else ""
    return [capital(f"the firmware reports: {some(sections)}{kind}{where}.")]
