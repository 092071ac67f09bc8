"""Machine check words: flags, codes of both vendors, firmware sections."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import mce


def test_an_uncorrected_timer_error() -> None:
    text = "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400"
    assert mce.explain([text], {}) == [
        "Bank 7: a timer of the processor ran out while it waited for an answer; uncorrected and the state of the processor is damaged."
    ]


def test_memory_controller_words_of_intel() -> None:
    text = "EDAC skx MC1: CPU 7: Machine Check Event: 0 Bank 8: fc00010001010092"
    said = mce.explain([text], {})[0]
    assert said.startswith("Bank 8: the memory controller, a read on channel 2; uncorrected")
    assert "more errors came than could be kept" in said


def test_amd_lines_name_the_unit() -> None:
    text = (
        "[Hardware Error]: CPU:8 (19:1:1) MC17_STATUS[-|UE|MiscV|AddrV|-|TCC|-|UECC|-|-]: 0xb880200000000100\n"
        "[Hardware Error]: IPID: 0x0000009600050f00, Syndrome: 0x0"
    )
    told = mce.explain([text], {})
    assert "one thread lost its state" in told[0]
    assert "beyond ECC" in told[0]
    assert told[1] == "The unit is the memory controller."
    assert mce.smca(0x1234_0777_0000_0000) == "unit 0x777/0x1234, not in the table"


def test_an_empty_bank_says_so() -> None:
    assert "no valid error" in mce.sentence("3", 0x0400)


def test_firmware_sections() -> None:
    text = (
        "{1}[Hardware Error]: event severity: fatal\n{1}[Hardware Error]:   section_type: memory error\n"
        "{1}[Hardware Error]:   physical_address: 0x00000003f2c41000"
    )
    assert mce.explain([text], {}) == [
        "The firmware reports: memory error, severity fatal, at physical address 0x00000003f2c41000."
    ]


@given(st.integers(0, 0xFFFF))
def test_the_filter_bit_changes_nothing(word: int) -> None:
    assert mce.code(word) == mce.code(word ^ 0x1000)


@given(st.integers(0, 2**64 - 1), st.booleans())
def test_any_word_gives_a_sentence(status: int, amd: bool) -> None:
    said = mce.sentence("1", status, amd)
    assert said.endswith(".")
    if status >> 63:
        assert ("uncorrected" in said) == bool(status >> 61 & 1)
        assert ("state of the processor is damaged" in said) == bool(status >> 57 & 1)


@given(st.text())
def test_never_raises(text: str) -> None:
    mce.explain([text, f"Machine Check: 0 Bank 7: be00000000800400{text}", f"section_type: {text}"], {})
