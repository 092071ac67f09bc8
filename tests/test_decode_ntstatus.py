"""Status words of Windows, in both signs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import ntstatus


def test_signed_and_unsigned_status() -> None:
    assert ntstatus.unsigned(-1073741819) == ntstatus.unsigned(3221225477) == 0xC0000005
    assert ntstatus.unsigned(137) is None
    assert ntstatus.unsigned(-9) is None


@given(st.integers(0, 2**32 - 1))
def test_a_status_reads_the_same_in_both_signs(status: int) -> None:
    signed = status - 2**32 if status >> 31 else status
    assert ntstatus.unsigned(signed) == ntstatus.unsigned(status)
    assert ntstatus.words(status).startswith(f"0x{status:08X}")


def test_an_unknown_status_says_only_its_kind() -> None:
    assert "the table does not hold" in ntstatus.words(0xC0FFEE00)
    assert ntstatus.words(0xC0000005).startswith("0xC0000005 STATUS_ACCESS_VIOLATION, ")


@given(st.integers())
def test_any_exit_code_is_a_status_or_none(code: int) -> None:
    value = ntstatus.unsigned(code)
    assert value is None or 0 <= value < 2**32
