"""The logged header of a PCI Express packet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import tlp


def test_a_memory_read_from_a_gpu() -> None:
    assert tlp.sentence("AER:   TLP Header: 00000001 0100000f 92000000 00000000") == (
        "The logged packet was a memory read, asked for by 01:00.0, address 0x92000000."
    )
    long = tlp.header((0x60004001, 0x3B00000F, 0x0000007F, 0x2D000004))
    assert (long.kind, long.requester, long.address, long.poisoned) == ("a memory write", "3b:00.0", 0x7F2D000004, True)


def test_an_answer_names_who_gave_it_and_who_asked() -> None:
    packet = tlp.header((0x4A000001, 0x3B002004, 0x80100000, 0))
    assert (packet.kind, packet.target, packet.requester) == ("an answer (unsupported request)", "3b:00.0", "80:02.0")


def test_headers_that_say_nothing() -> None:
    assert tlp.sentence("TLP Header: ffffffff ffffffff ffffffff ffffffff") == ""
    assert tlp.sentence("TLP Header: 00000000 00000000 00000000 00000000") == ""
    assert tlp.words_in("TLP Header: " + " ".join(["00000001"] * 14) + " (Flit)") is None


@given(*(st.integers(0, 2**32 - 1) for _ in range(4)))
def test_any_header_is_named(a: int, b: int, c: int, d: int) -> None:
    packet = tlp.header((a, b, c, d))
    assert packet.kind
    line = f"TLP Header: {a:08x} {b:08x} {c:08x} {d:08x}"
    assert tlp.words_in(line) == (a, b, c, d)
    assert tlp.sentence(line) == "" or packet.kind in tlp.sentence(line)
