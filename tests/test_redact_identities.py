"""Addresses, UUIDs and serials are found by shape; PCI addresses, versions, times and C++ names are not taken for one."""

from __future__ import annotations

import pytest

from triage.redact.identities import identities

FOUND = (
    ("eth0:10.1.2.3<0>", "ip", "10.1.2.3"), ("connect to [10.1.2.3]:29500", "ip", "10.1.2.3"), ("at 10.1.2.3.", "ip", "10.1.2.3"),
    ("from 2a01:4f8:c17::7 port", "ip", "2a01:4f8:c17::7"), ("ib0:fe80::1ff:fe23:4567:890a%ib0<0>", "ip", "fe80::1ff:fe23:4567:890a"),
    ("link/ether b8:ce:f6:01:02:03 brd", "mac", "b8:ce:f6:01:02:03"), ("MAC 00-1A-2B-3C-4D-5E", "mac", "00-1A-2B-3C-4D-5E"),
    ("(UUID: GPU-8e6f9a52-1234-5678-9abc-def012345678)", "uuid", "8e6f9a52-1234-5678-9abc-def012345678"),
    ("mail bob.b@corp.example.com now", "email", "bob.b@corp.example.com"), ("Serial Number        : 1324021012345", "serial", "1324021012345"),
    ("    Serial Number                                      : 1324021012345", "serial", "1324021012345"),  # nvidia-smi -q
    ("<serial>1324021012345</serial>", "serial", "1324021012345"), ("node_guid: b8ce:f603:00a1:b2c3", "hex", "b8ce:f603:00a1:b2c3"),
    ("_MACHINE_ID=4d36e968e32511cebfc108002be10318", "hex", "4d36e968e32511cebfc108002be10318"),
    ("SID: S-1-5-21-1004336348-1177238915-682003330-512", "sid", "S-1-5-21-1004336348-1177238915-682003330-512"),
)  # fmt: skip
LEFT = (
    "NVRM: Xid (PCI:0000:3b:00): 79", "0000:3b:00.0: AER: Corrected error", "c10::Error::Error at::native::add", "12:30:45.123",
    "NCCL version 2.18.3.1", "driver 10.18.13.6472", "VBIOS 96.00.61.00.01", "python 3.11.4.1", "libcudart.so.12.4.1.0",
    "std::__cxx11::basic_string", "nvidia-persistenced@0.service", "memcpy@GLIBC_2.14", "2026-11-30T00:47:49.966", "d::e",
    "ClassGuid: {4d36e968-e325-11ce-bfc1-08002be10318}", "Serial: 8250/16550 driver", "inet 300.1.2.3", "1.2.3.4.5", "-1.-1.-1.-1",
    "Provider Guid='{331c3b3a-2005-44c2-ac5e-77220c37d6b4}'",
)  # fmt: skip


def found(text: str) -> list[tuple[str, str]]:
    data = text.encode()
    return [(one.kind, data[one.start : one.stop].decode()) for one in identities(data)]


@pytest.mark.parametrize(("text", "kind", "value"), FOUND)
def test_identities_are_found(text: str, kind: str, value: str) -> None:
    assert (kind, value) in found(text)


@pytest.mark.parametrize("text", LEFT)
def test_what_only_looks_like_one_is_left(text: str) -> None:
    assert found(text) == []
