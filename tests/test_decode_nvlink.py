"""NVLink registers and sub-codes, and the words of NVSwitch errors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import nvlink
from triage.decode.nvlink_table import ROWS
from triage.decode.phrases import bits

EVENT = "NVRM: Xid (PCI:0018:01:00): {xid}, {unit} {word} XC0 i0 Link {link} (0x{info:08x} 0x{status:08x} 0x00000000 0x0 0x0 0x0)"


def line(xid: int, unit: str, info: int, status: int = 0, word: str = "Fatal", link: str = "08") -> str:
    return EVENT.format(xid=xid, unit=unit, word=word, link=link, info=info, status=status)


def test_a_link_down_with_its_reason() -> None:
    assert nvlink.explain([line(149, "NETIR_LINK_EVT", 0x004505C6)], {}) == [
        "NETIR_LINK_EVT on link 8, reason 4: fatal for the link: let the running jobs end, then reset the GPU.",
        "NVIDIA's table asks now for a reset of the GPU; when it comes back, for a check of the signal quality of the link.",
    ]


def test_the_far_end_and_the_operator() -> None:
    assert "the other end of the link" in nvlink.explain([line(149, "NETIR_LINK_DOWN", 0x20 << 20)], {})[1]
    assert "on purpose" in nvlink.explain([line(149, "NETIR_LINK_EVT", 0x026001C6)], {})[1]


def test_a_promoted_row_follows_the_printed_word() -> None:
    fatal = nvlink.explain([line(145, "RLW_RXPIPE", 0xC6, 0x4)], {})
    calm = nvlink.explain([line(145, "RLW_RXPIPE", 0xC6, 0x4, "Nonfatal")], {})
    assert "asks now for a reset of the GPU" in fatal[1]
    assert "asks now for nothing" in calm[1]


def test_unknown_words_are_named_and_not_guessed() -> None:
    assert (
        "reason 63 with status 0x0 is not in the table"
        in nvlink.explain([line(149, "NETIR_LINK_EVT", 63 << 20)], {})[0]
    )
    both = nvlink.explain([line(149, "NETIR_NEW", 0b01110_00110)], {})[0]
    assert "NETIR_LINK_EVT to drivers before R575 and 70, not in the table to newer ones" in both


def test_registers_of_xid_74() -> None:
    text = "74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
    assert nvlink.registers([text], {}) == [
        "Link 14: bit 16 of the third register: a case for the field diagnostic when it repeats."
    ]
    train = "74, NVLink: failed to train link 3 to remote PCI:0000:8a:00"
    assert nvlink.registers([train], {}) == ["Link 3 could not be trained; its other end is 0000:8a:00."]


def test_several_links_speak_for_the_chip() -> None:
    text = "NVLink: fatal error detected on link {}(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
    assert "rather than for one cable" in nvlink.registers([text.format(1), text.format(2)], {})[-1]


@given(st.integers(0, 2**32 - 1))
def test_unit_codes_keep_their_bits(info: int) -> None:
    old, new = nvlink.unit_codes(info)
    assert (old << 5 | info & 0x1F) == info & 0x3FF
    assert new == info & 0x7F


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_every_register_bit_gets_a_reading(place: int, value: int) -> None:
    assert len(nvlink.register_words(place, value)) == len(bits(value))


@given(st.sampled_from([row.xid for row in ROWS]), st.sampled_from(sorted({u for r in ROWS for u in r.units.split("/")})),
       st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.text())  # fmt: skip
def test_never_raises(xid: int, unit: str, info: int, status: int, noise: str) -> None:
    for text in (line(xid, unit, info, status), noise, line(xid, unit, info, status) + noise):
        assert all(said.endswith(".") for said in nvlink.explain([text], {}) + nvlink.registers([text], {}))
    one = nvlink.event(line(xid, unit, info, status))
    assert one is not None
    assert (one.info, one.status) == (info, status)
