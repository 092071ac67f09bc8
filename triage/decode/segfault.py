"""A crash line of the x86 kernel: `segfault at 0 ip ... error 4 in libc.so.6[19bc5c,7f7d2c828000+189000]`.

Bits of the error code: Linux arch/x86/include/asm/trap_pf.h (enum x86_pf_error_code), printed in hexadecimal by
arch/x86/mm/fault.c. Kernels since 6.12 print the offset in the file before the start of the mapping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.decode.phrases import Known, distinct, listed, named, some

PRESENT, WRITE, USER, RESERVED, FETCH, KEY, SHADOW, SGX, RMP = 0, 1, 2, 3, 4, 5, 6, 15, 31
_EXTRA = {
    RESERVED: "a page table entry with reserved bits set", KEY: "a protection key", SHADOW: "a shadow-stack access",
    SGX: "an SGX violation", RMP: "a violation of the reverse map",
}  # fmt: skip
_LINE = lazy.pattern(
    r"segfault at ([0-9a-f]{1,16}) ip (?:[0-9a-f]+:)?([0-9a-f]{1,16}) sp [0-9a-f]+ error ([0-9a-f]{1,8})"
    r"(?: in ([^\s\[]+)\[(?:([0-9a-f]{1,16}),)?([0-9a-f]{1,16})\+([0-9a-f]{1,16})\])?"
)
_NEAR = 0x10000  # no program may map the first pages (vm.mmap_min_addr is 64 KiB)


@dataclass(frozen=True, slots=True)
class Fault:
    """`offset` counts in the file where the kernel says so, else in the part that is mapped as code."""

    address: int
    code: int
    library: str = ""
    offset: int | None = None
    in_file: bool = False


def fault(text: str) -> Fault | None:
    """The crash that a line tells of."""
    m = _LINE.search(text)
    if not m:
        return None
    address, ip, code = int(m[1], 16), int(m[2], 16), int(m[3], 16)
    if not m[4]:
        return Fault(address, code)
    start, length = int(m[6], 16), int(m[7], 16)
    if m[5]:
        return Fault(address, code, m[4], int(m[5], 16), True)
    return Fault(address, code, m[4], ip - start if start <= ip < start + length else None)


def access(code: int) -> str:
    """`a read of an address where nothing is mapped`: what the bits of the error code say."""
    kind = "an instruction fetch from" if code >> FETCH & 1 else "a write to" if code >> WRITE & 1 else "a read of"
    where = "a page that does not allow it" if code >> PRESENT & 1 else "an address where nothing is mapped"
    rest = code & ~(1 << PRESENT | 1 << WRITE | 1 << USER | 1 << FETCH)
    extra = named(rest, _EXTRA)
    by = "" if code >> USER & 1 else ", by the kernel on behalf of the program"
    return f"{kind} {where}{by}" + (f" ({listed(extra)})" if extra else "")


def explain(texts: Sequence[str], known: Known) -> list[str]:
    faults = [one for one in map(fault, texts) if one is not None]
    if not faults:
        return []
    first = faults[0]
    found = [f"Error {first.code:x} is {access(first.code)}."]
    if not first.address:
        found.append("The address is zero: a null pointer.")
    elif first.address < _NEAR:
        found.append(f"Address 0x{first.address:x} is close to zero: a null pointer plus an offset.")
    if first.library and first.offset is not None:
        place = "in the file" if first.in_file else "in its mapped code"
        found.append(f"The instruction stands in {first.library} at offset 0x{first.offset:x} {place}.")
    spots = distinct(f"{f.library}+0x{f.offset:x}" for f in faults if f.library and f.offset is not None)
    if len(faults) > 1 and len(spots) == 1:
        found.append(f"All {len(faults)} crashes are at this same instruction.")
    elif len(spots) > 1:
        found.append(f"The crashes are at {len(spots)} places: {some(spots)}.")
    return found
