"""Crash lines: bits of the error code, library and offset in both kernel wordings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import segfault

NEW = "python3[2045]: segfault at 0 ip 00007f7d2c99bc5c sp 00007ffe237ab2e8 error 4 in libc.so.6[19bc5c,7f7d2c828000+189000] likely on CPU 63 (core 63, socket 0)"
OLD = "python3[41877]: segfault at 7f51c3e00000 ip 00007f54ba069a10 sp 00007f5452fd6b20 error 6 in libcuda.so.550.90.07[7f54ba000000+d3d3000]"


def test_a_null_pointer_and_the_offset_in_the_file() -> None:
    assert segfault.explain([NEW], {}) == [
        "Error 4 is a read of an address where nothing is mapped.",
        "The address is zero: a null pointer.",
        "The instruction stands in libc.so.6 at offset 0x19bc5c in the file.",
    ]


def test_older_kernels_give_the_offset_in_the_mapping() -> None:
    assert segfault.explain([OLD], {}) == [
        "Error 6 is a write to an address where nothing is mapped.",
        "The instruction stands in libcuda.so.550.90.07 at offset 0x69a10 in its mapped code.",
    ]


def test_several_crashes_at_one_or_many_places() -> None:
    assert segfault.explain([OLD, OLD], {})[-1] == "All 2 crashes are at this same instruction."
    assert segfault.explain([OLD, NEW], {})[-1].startswith(
        "The crashes are at 2 places: libcuda.so.550.90.07+0x69a10 and"
    )


def test_unknown_bits_are_numbers() -> None:
    assert "bit 9, which the table does not name" in segfault.access(0x204)
    assert segfault.access(0x15) == "an instruction fetch from a page that does not allow it"
    assert "by the kernel" in segfault.access(0)


@given(st.integers(0, 2**32 - 1))
def test_codes_come_back_whole(code: int) -> None:
    found = segfault.fault(f"a[1]: segfault at 10 ip 20 sp 30 error {code:x} in x[10+20]")
    assert found is not None
    assert (found.code, found.offset) == (code, 0x10)
    assert segfault.access(code)


@given(st.text())
def test_never_raises(text: str) -> None:
    segfault.explain([text, NEW + text, f"segfault at {text}"], {})
