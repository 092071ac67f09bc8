"""PCIe status words, both generations of bit names, and the packet header."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import aer
from triage.decode.phrases import bits

SURPRISE = (
    "pcieport 0000:80:02.0: AER: Uncorrected (Fatal) error received: id=8010\n"
    "pcieport 0000:80:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, id=8010(Receiver ID)\n"
    "pcieport 0000:80:02.0:   device [8086:6f04] error status/mask=00000020/00000000\n"
    "pcieport 0000:80:02.0:    [ 5] Surprise Down Error    (First)"
)
CORRECTED = (
    "nvidia 0000:01:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)\n"
    "nvidia 0000:01:00.0:   device [10de:2684] error status/mask=00001001/0000a000"
)


def test_a_surprise_down_says_where_and_how_it_was_seen() -> None:
    assert aer.explain([SURPRISE], {}) == [
        "0000:80:02.0 ([8086:6f04], Intel) reports: the link went down without being asked to (surprise down).",
        "0000:80:02.0 saw it in the transaction layer, as the receiver.",
    ]


def test_the_same_bit_means_other_things_in_the_two_words() -> None:
    assert "replay timeout" in aer.words("corrected", 1 << 12)[0]
    assert "poisoned" in aer.words("uncorrected", 1 << 12)[0]


def test_repeated_reports_are_counted_and_masked_bits_left_out() -> None:
    first = aer.explain([CORRECTED, CORRECTED.replace("00001001/0000a000", "00001001/00001000"), CORRECTED], {})[0]
    assert first.startswith(
        "0000:01:00.0 ([10de:2684], NVIDIA GeForce RTX 4090) reports, 2 times: the receiver could not"
    )
    assert aer.reports(CORRECTED.replace("0000a000", "00001000"))[0][2] == 1


def test_without_a_severity_the_names_of_the_bits_decide() -> None:
    old = "nvme 0000:04:00.0:   device [144d:a80a] error status/mask=00004000/00000000"
    assert aer.reports(old) == []
    assert aer.reports(f"{old}\nnvme 0000:04:00.0:    [14] CmpltTO                (First)")[0][1:3] == (
        "uncorrected",
        1 << 14,
    )


def test_devices_below_one_port_share_it() -> None:
    told = aer.shared({"0000:3b:00": "0000:3a:01.0", "0000:3b:01": "0000:3a:01.0"})
    assert told.startswith("2 devices report below the port 0000:3a:01.0: 0000:3b:00 and 0000:3b:01.")
    told = aer.shared({"0000:3b:00": "0000:3a:01.0", "0000:3c:00": "0000:3a:02.0"})
    assert told.startswith("The ports 0000:3a:01.0 and 0000:3a:02.0 report together and lie on one bus")
    assert aer.shared({"0000:3b:00": "0000:3a:01.0"}) == ""
    assert aer.shared({"0000:3b:00": "0000:3a:01.0", "0000:8c:00": "0000:80:02.0"}) == ""


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=5))
def test_any_places_give_a_sentence_or_none(places: dict[str, str]) -> None:
    assert aer.shared(places) == "" or aer.shared(places).endswith(".")


def test_the_sound_function_of_a_card_is_named() -> None:
    assert (
        "NVIDIA, its sound function) reports"
        in aer.explain([CORRECTED.replace("00.0", "00.1").replace("2684", "22ba")], {})[0]
    )


def test_firmware_records() -> None:
    text = "{1}[Hardware Error]:   aer_uncor_status: 0x00004000, aer_uncor_mask: 0x00000000"
    assert "completion timeout" in aer.explain([text], {})[0]
    assert "bit 30, which the table does not name" in aer.explain([text.replace("00004000", "40000000")], {})[0]


def test_every_name_stands_for_a_bit_of_its_own_table() -> None:
    for kind, bit in aer.NAMES.values():
        assert bit in (aer.CORRECTED if kind == "corrected" else aer.UNCORRECTED)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.sampled_from(["corrected", "uncorrected"]))
def test_one_phrase_for_each_bit_that_is_not_masked(status: int, mask: int, kind: aer.Kind) -> None:
    assert len(aer.words(kind, status, mask)) == len(bits(status & ~mask))


@given(st.text())
def test_never_raises(text: str) -> None:
    aer.explain([text, SURPRISE + text, f"nvidia 0000:01:00.0:   TLP Header: {text}"], {})
