"""Pseudonyms keep shape and relations, depend on the key, and are left when met again."""

from __future__ import annotations

import ipaddress
import re

from hypothesis import given
from hypothesis import strategies as st

from triage.redact.pseudonyms import Pseudonyms

ONE, OTHER = Pseudonyms(b"one"), Pseudonyms(b"other")
VALUES = {
    "ip": "10.1.2.3", "mac": "b8:ce:f6:01:02:03", "uuid": "8e6f9a52-1234-5678-9abc-def012345678", "host": "node07.a.org",
    "email": "alice@example.org", "user": "alice", "serial": "1324021012345", "hex": "0xb8cef60300a1b2c3",
    "sid": "S-1-5-21-1004336348-1177238915-682003330-512",
}  # fmt: skip


def test_a_value_has_one_pseudonym_for_each_key() -> None:
    for kind, value in VALUES.items():
        assert ONE.of(kind, value) == Pseudonyms(b"one").of(kind, value) != value
        assert ONE.of(kind, value) != OTHER.of(kind, value)


def test_a_pseudonym_stays() -> None:
    for kind, value in VALUES.items():
        made = ONE.of(kind, value)
        assert ONE.of(kind, made) == OTHER.of(kind, made) == made


def test_shapes_stay() -> None:
    assert re.fullmatch(r"0x[0-9a-f]{16}", ONE.of("hex", VALUES["hex"]))
    assert re.fullmatch(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", ONE.of("mac", VALUES["mac"]))
    assert re.fullmatch(r"(?:[0-9A-F]{2}-){5}[0-9A-F]{2}", ONE.of("mac", "B8-CE-F6-01-02-03"))
    assert len(ONE.of("uuid", VALUES["uuid"])) == 36
    assert ONE.of("sid", VALUES["sid"]).endswith("-512")


@given(st.ip_addresses(v=4), st.integers(0, 255))
def test_a_network_stays_a_network(address: ipaddress.IPv4Address, last: int) -> None:
    near = ipaddress.IPv4Address(int(address) & ~0xFF | last)
    made, beside = ONE.of("ip", str(address)), ONE.of("ip", str(near))
    assert ipaddress.ip_address(made)
    assert (made == beside) == (address == near)
    assert made.rsplit(".", 1)[0] == beside.rsplit(".", 1)[0]


@given(st.ip_addresses(v=6))
def test_an_address_of_version_6_is_one(address: ipaddress.IPv6Address) -> None:
    made = ONE.of("ip", str(address))
    assert ipaddress.ip_address(made).version == 6
    assert ONE.of("ip", made) == made


def test_what_names_nobody_stays() -> None:
    for text in ("127.0.0.1", "0.0.0.0", "255.255.255.0", "224.0.0.1", "::1", "::"):
        assert ONE.of("ip", text) == text
    assert ONE.of("mac", "00:00:00:00:00:00") == "00:00:00:00:00:00"
    assert ONE.of("uuid", "00000000-0000-0000-0000-000000000000").strip("0-") == ""


def test_a_host_with_and_without_its_domain_share_a_name() -> None:
    assert ONE.of("host", "node07.a.org").split(".")[0] == ONE.of("host", "NODE07")
    assert ONE.of("host", "node07.a.org") != ONE.of("host", "node07.b.org")
