import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import entities


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("00000000:3B:00.0", "0000:3b:00"),
        ("0000:3b:00", "0000:3b:00"),
        ("3b:00.0", "0000:3b:00"),
        ("PCI:0008:01:00", "0008:01:00"),
        ("0000:3b:00.0.", "0000:3b:00"),
        ("not an address", None),
        ("10:02:11.5.3", None),
    ],
)
def test_pci_addresses_have_one_spelling(text: str, wanted: str | None) -> None:
    assert entities.pci(text) == wanted


def test_the_function_of_a_port_stays() -> None:
    assert entities.bdf("0000:80:02.3") == "0000:80:02.3"


def test_nccl_bus_ids_are_hexadecimal() -> None:
    assert entities.ncclbus("8a000") == "0000:8a:00"
    assert entities.ncclbus("70") == "0000:00:07"
    assert entities.ncclbus("x") is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("2.00 GiB", 2 * 2**30), ("322,122,547,200 bytes", 300 * 2**30), ("64kB", 65536), ("0 bytes", 0), ("879.50 KiB", 879.5 * 1024)],
)
def test_sizes_are_compared_in_bytes_and_shown_as_logged(text: str, wanted: float) -> None:
    value, shown = entities.read("bytes", text)
    assert value == pytest.approx(wanted)
    assert shown == text


def test_durations_are_milliseconds() -> None:
    assert entities.milliseconds("1800000") == 1_800_000
    assert entities.milliseconds("10 min") == 600_000


@given(st.sampled_from(sorted(entities.TYPES)), st.text(max_size=40))
def test_no_text_makes_a_type_raise(kind: str, text: str) -> None:
    entities.read(kind, text)
