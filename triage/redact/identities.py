"""Finds what names a machine, a device or a person by its shape: addresses, UUIDs, serials, e-mail."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from triage import lazy
from triage.library.patterns import compiled

_IPV4 = r"\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b"
_INTERFACE = r"\b(?:eth|en|ib|bond|wl|br|docker|veth|vlan|team|roce|mlx|hsn|rdma|net)[a-z0-9._-]{0,14}:"
_IPV6 = rf"(?:{_INTERFACE})?((?:[0-9A-Fa-f]{{0,4}}:){{2,7}}[0-9A-Fa-f]{{0,4}})"
_MAC = r"\b[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5,19}|(?:-[0-9A-Fa-f]{2}){5})\b"
_UUID = r"\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b"
_EMAIL = r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
_SID = r"\bS-1-5-21-[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,10}(?:-[0-9]{1,10})?\b"
# A label, then the value: a serial has no shape of its own.
_SERIAL = (
    r"(?i)\b(?:serial(?:[ _]?(?:number|no\.?|num|short))?|S/N|asset[ _]tag|service[ _]tag)"
    r"(?:\"?\s{0,60}[:=>]\s{0,40}\"?|\s{2,40}|</?[a-z]{1,20}>)([A-Za-z0-9][A-Za-z0-9_.-]{3,63})"
)
_HEX = (
    r"(?i)\b(?:_?(?:machine|boot|invocation)[ _-]?id|(?:node|port|system[ _]image|sys_image|base)[ _]?guid|"
    r"cluster[ _]?uuid|chip[ _]?id|pdi)\"?\s{0,3}[:=]?\s{0,40}\"?((?:0x)?[0-9a-f]{4}(?::?[0-9a-f]{4}){3,7})\b"
)
_NAMED = lazy.pattern((_INTERFACE + r"\Z").encode())
# Numbers with four parts that are no addresses stand behind one of these words.
_VERSION_BEFORE = lazy.pattern(
    rb"(?i)(?:version|ver|driver|firmware|\bfw|vbios|bios|cuda|cudnn|nccl|kernel|release|build|revision|rev|torch|python|"
    rb"package|module|library|\.so|image|inforom|gsp|\bv|==|>=|<=|~=|open ?mpi|\bucx|ofed|libfabric|rdma-core|section)"
    rb"[\s:=/\"'(,v-]{0,8}\Z"
    rb"|-cu1[0-9](?:==|[\s:=,|]{1,40})\Z"  # a row of `pip list`
)
# The same GUID on every Windows machine: it names a class, an interface or a provider.
_TYPE_BEFORE = lazy.pattern(rb"(?i)(?:class|interface|provider|\bguid)[\w ]{0,12}\W{1,6}\Z")
_UNITS = (b".service", b".socket", b".timer", b".mount", b".target", b".scope", b".slice", b".device", b".path")
_JOINTS = (b":", b"_", b".")
_NOBODY = (b"git@", b"noreply@", b"nobody@")
_NO_SERIAL = lazy.pattern(rb"(?i)\A(?:n/?a|none|unknown|not|number|error|failed|0+|driver|console|port|bus|device)\Z")


@dataclass(slots=True, frozen=True)
class Identity:
    """Bytes `start` to `stop` of a text name something of this kind (see `Pseudonyms.of`)."""

    start: int
    stop: int
    kind: str


def identities(text: bytes) -> Iterator[Identity]:
    """All identities in `text` that their shape or a label shows; they may overlap."""
    for kind, regex, needle, holds in _SHAPES:
        if needle in text:
            pattern = compiled(regex)
            group = pattern.groups
            for hit in pattern.finditer(text):
                start, stop = hit.span(group)
                if holds(text, start, stop):
                    yield Identity(start, stop, kind)


def _is_ipv4(text: bytes, start: int, stop: int) -> bool:
    parts = text[start:stop].split(b".")
    if any(int(part) > 255 or (len(part) > 1 and part[:1] == b"0") for part in parts):
        return False
    before, after = text[start - 1 : start], text[stop : stop + 2]
    if before == b"." or (after[:1] == b"." and after[1:].isalnum()) or (after[:1] in b"-_+" and after[1:].isalnum()):
        return False
    return not _VERSION_BEFORE.search(text[max(0, start - 48) : start])


def _is_ipv6(text: bytes, start: int, stop: int) -> bool:
    before, after = text[start - 1 : start], text[stop : stop + 1]
    value = text[start:stop]
    named = before == b":" and _NAMED.search(text[max(0, start - 24) : start])
    if before.isalnum() or after.isalnum() or (before in _JOINTS and not named) or after in _JOINTS:
        return False
    if value.count(b":") < 7 and b"::" not in value:
        return False
    try:
        address = ipaddress.IPv6Address(value.decode())
    except ValueError:
        return False
    # `::` stands in C++ names and slices, and `a::b` may be one; an address has more.
    return value.count(b":") > 2 and int(address) > 0xFFFF


def _is_email(text: bytes, start: int, stop: int) -> bool:
    value = text[start:stop].lower()
    return not value.endswith(_UNITS) and not value.startswith(_NOBODY)


def _is_mac(text: bytes, start: int, stop: int) -> bool:
    return text[start - 1 : start] not in (b":", b"-", b".") and text[stop : stop + 1] not in (b":", b"-")


def _is_uuid(text: bytes, start: int, stop: int) -> bool:
    return not _TYPE_BEFORE.search(text[max(0, start - 32) : start])


def _is_serial(text: bytes, start: int, stop: int) -> bool:
    value = text[start:stop]
    if text[stop : stop + 1] == b"/":  # `Serial: 8250/16550 driver`
        return False
    return not _NO_SERIAL.match(value) and any(48 <= byte <= 57 for byte in value)


def _always(_text: bytes, _start: int, _stop: int) -> bool:
    return True


_SHAPES: tuple[tuple[str, str, bytes, Callable[[bytes, int, int], bool]], ...] = (
    ("uuid", _UUID, b"-", _is_uuid),
    ("email", _EMAIL, b"@", _is_email),
    ("mac", _MAC, b"", _is_mac),
    ("ip", _IPV4, b".", _is_ipv4),
    ("ip", _IPV6, b":", _is_ipv6),
    ("sid", _SID, b"S-1-5-21-", _always),
    ("serial", _SERIAL, b"", _is_serial),
    ("hex", _HEX, b"", _always),
)
