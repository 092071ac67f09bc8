"""Stable stand-ins that keep the shape of what they replace, so that a log still reads and correlates as before.

All are keyed (HMAC-SHA256): without the key nobody can find out by trying which address or name stands behind one.
Each kind has a mark that no real value has, so that redacting twice changes nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Callable

from triage import lazy

# 240.0.0.0/4 is reserved (RFC 1112 section 4), 2001:db8::/32 is for documentation (RFC 3849).
_OWN_V6 = ipaddress.IPv6Network("2001:db8::/32")
# RFC 5737.
_DOCUMENTATION = tuple(map(ipaddress.IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))
_OWN_UUID = lazy.pattern(r"(?i)^[0-9a-f]{8}-0000-8000-8000-[0-9a-f]{12}$")
_OWN_NAME = lazy.pattern(r"(?i)^(?:user|host|net|mail)-[0-9]{8}(?:\.net[0-9]{8})?$")
_OWN_SERIAL = lazy.pattern(r"^SN[0-9]{10}$")
_OWN_MAC = "0e:dc:"
_OWN_HEX = "0dc0de"


class Pseudonyms:
    """The pseudonyms under one key: `of(kind, value)`; equal values have equal pseudonyms in all files and runs."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: dict[tuple[str, str], str] = {}
        self._makers: dict[str, Callable[[str], str]] = {
            "ip": self._ip, "mac": self._mac, "uuid": self._uuid, "email": self._email, "user": self._user,
            "host": self._host, "serial": self._serial, "hex": self._hex, "sid": self._sid,
        }  # fmt: skip

    def of(self, kind: str, value: str) -> str:
        """The stand-in for a value of one of the kinds ip, mac, uuid, email, user, host, serial, hex (an identifier
        of hexadecimal digits), sid (of Windows); the value itself where it names nobody."""
        found = self._known.get((kind, value))
        if found is None:
            found = self._makers[kind](value)
            if len(self._known) < 1 << 16:
                self._known[kind, value] = found
        return found

    def _number(self, kind: str, value: str, bits: int) -> int:
        digest = hmac.digest(self._key, f"{kind}\0{value}".encode("utf-8", "replace"), hashlib.sha256)
        return int.from_bytes(digest[:16], "big") >> (128 - bits)

    def _digits(self, kind: str, value: str, count: int) -> str:
        return f"{self._number(kind, value, 100) % 10**count:0{count}d}"

    def _ip(self, text: str) -> str:
        address = ipaddress.ip_address(text)
        if isinstance(address, ipaddress.IPv4Address):
            return text if _speaks_for_itself(address) else self._ipv4(address)
        if address.is_unspecified or address.is_loopback or address.is_multicast or address in _OWN_V6:
            return text
        host = self._number("ip6", str(address), 48)
        if address.is_link_local:
            own = ":db8:" in text
            return text if own else f"fe80::db8:{host >> 32:x}:{host >> 16 & 0xFFFF:x}:{host & 0xFFFF:x}"
        net = self._number("net6", str(int(address) >> 64), 32)
        return f"2001:db8:{net >> 16:x}:{net & 0xFFFF:x}:{host >> 32 | 1:x}:{host >> 16 & 0xFFFF:x}:{host & 0xFFFF:x}:1"

    def _ipv4(self, address: ipaddress.IPv4Address) -> str:
        """The same /24 stays one /24, and inside it no two addresses fall together."""
        number = int(address)
        network = self._number("net", str(number >> 8), 20)
        last = (number + self._number("host", str(number >> 8), 8)) & 0xFF
        return str(ipaddress.IPv4Address(0xF0 << 24 | network << 8 | last))

    def _mac(self, text: str) -> str:
        low = text.lower().replace("-", ":")
        if low.startswith(_OWN_MAC) or set(low) <= {"0", ":"} or set(low) <= {"f", ":"}:
            return text
        count = low.count(":") - 1
        digits = f"{self._number('mac', low, 8 * count if count < 16 else 128):0{2 * count}x}"
        made = _OWN_MAC + ":".join(digits[i : i + 2] for i in range(0, 2 * count, 2))
        made = made.replace(":", "-") if "-" in text else made
        return made.upper() if text.upper() == text else made

    def _uuid(self, text: str) -> str:
        if _OWN_UUID.match(text) or set(text) <= {"0", "-"}:
            return text
        digits = f"{self._number('uuid', text.lower(), 80):020x}"
        made = f"{digits[:8]}-0000-8000-8000-{digits[8:]}"
        return made.upper() if text.upper() == text else made

    def _email(self, text: str) -> str:
        return text if text.endswith("@mail.invalid") else f"mail-{self._digits('email', text.lower(), 8)}@mail.invalid"

    def _user(self, text: str) -> str:
        return text if _OWN_NAME.match(text) else f"user-{self._digits('user', text.lower(), 8)}"

    def _host(self, text: str) -> str:
        """`node07.a.org` and `node07` share their first part."""
        if _OWN_NAME.match(text):
            return text
        name, _, domain = text.lower().partition(".")
        made = f"host-{self._digits('host', name, 8)}"
        return f"{made}.net{self._digits('domain', domain, 8)}" if domain else made

    def _serial(self, text: str) -> str:
        return text if _OWN_SERIAL.match(text) else f"SN{self._digits('serial', text, 10)}"

    def _hex(self, text: str) -> str:
        """Hexadecimal digits of the same number; separators stay where they are."""
        digits = re.sub(r"[^0-9A-Fa-f]", "", text.removeprefix("0x"))
        if digits.lower().startswith(_OWN_HEX) or not digits.strip("0"):
            return text
        new = f"{self._number('hex', digits.lower(), 128):032x}" * (1 + len(digits) // 32)
        rest = iter((_OWN_HEX + new)[: len(digits)])
        made = "".join(next(rest) if char in "0123456789abcdefABCDEF" else char for char in text.removeprefix("0x"))
        return ("0x" if text.startswith("0x") else "") + made

    def _sid(self, text: str) -> str:
        parts = text.split("-")
        if parts[4] == "240":
            return text
        number = self._number("sid", "-".join(parts[4:7]), 64)
        return "-".join([*parts[:4], "240", str(number >> 32), str(number & 0xFFFFFFFF), *parts[7:]])


def _speaks_for_itself(address: ipaddress.IPv4Address) -> bool:
    """Addresses that name no machine: any, loopback, masks, multicast, those of documentation, and our own."""
    return (
        address.is_unspecified or address.is_loopback or address.is_multicast or int(address) >> 28 == 0xF
        or int(address) >> 24 == 0 or any(address in network for network in _DOCUMENTATION)
    )  # fmt: skip
