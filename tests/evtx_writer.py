"""Writes small binary event logs for tests: one inline template per record, all values as strings.

Layout: https://github.com/libyal/libevtx/blob/main/documentation/Windows%20XML%20Event%20Log%20(EVTX).asciidoc
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

_CHUNK, _CHUNK_HEAD, _FILE_HEAD = 65536, 512, 4096


@dataclass
class Event:
    provider: str
    event_id: int
    data: Sequence[str] | Mapping[str, str] = ()
    level: int = 2
    time: str = "2025-02-20T18:44:07.101200Z"
    host: str = "WS-LAB-07"
    record_id: int = 0


@dataclass
class _Element:
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[_Element | str] = field(default_factory=list)


def evtx(events: Sequence[Event], per_chunk: int = 60) -> bytes:
    """The bytes of an .evtx that holds `events`; record ids count from 1 where an event names none."""
    numbered = [(event.record_id or i, event) for i, event in enumerate(events, 1)]
    parts = [numbered[i : i + per_chunk] for i in range(0, len(numbered), per_chunk)] or [[]]
    head = b"ElfFile\0" + struct.pack("<QQQIHHHH", 0, len(parts) - 1, len(events) + 1, 128, 1, 3, _FILE_HEAD, len(parts))
    head = head.ljust(120, b"\0")
    head += struct.pack("<II", 0, zlib.crc32(head))
    return head.ljust(_FILE_HEAD, b"\0") + b"".join(_chunk(part, i * per_chunk + 1) for i, part in enumerate(parts))


def _chunk(records: Sequence[tuple[int, Event]], first: int) -> bytes:
    body = bytearray(_CHUNK_HEAD)
    names: dict[str, int] = {}
    last = _CHUNK_HEAD
    for number, event in records:
        last = len(body)
        body += _record(number, event, len(body), names)
    assert len(body) <= _CHUNK, "too many events for a chunk"
    ids = [number for number, _ in records] or [first]
    head = b"ElfChnk\0" + struct.pack(
        "<QQQQIIII", first, first + max(len(records), 1) - 1, ids[0], ids[-1], 128, last, len(body),
        zlib.crc32(bytes(body[_CHUNK_HEAD:])),
    )  # fmt: skip
    head = head.ljust(120, b"\0")
    tables = bytes(_CHUNK_HEAD - 128)
    head += struct.pack("<II", 0, zlib.crc32(head + tables)) + tables
    return (head + bytes(body[_CHUNK_HEAD:])).ljust(_CHUNK, b"\0")


def _record(number: int, event: Event, at: int, names: dict[str, int]) -> bytes:
    moment = datetime.fromisoformat(event.time.replace("Z", "+00:00"))
    ticks = int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds() * 10_000_000)
    xml = _template(_tree(number, event), at + 24, number, names)
    size = 24 + len(xml) + 4
    padding = -size % 8
    size += padding
    return struct.pack("<IIQQ", 0x2A2A, size, number, ticks) + xml + bytes(padding) + struct.pack("<I", size)


def _tree(number: int, event: Event) -> _Element:
    def leaf(name: str, text: str) -> _Element:
        return _Element(name, {}, [text])

    system = _Element("System", {}, [
        _Element("Provider", {"Name": event.provider}), leaf("EventID", str(event.event_id)),
        leaf("Level", str(event.level)), _Element("TimeCreated", {"SystemTime": event.time}),
        leaf("EventRecordID", str(number)), leaf("Channel", "System"), leaf("Computer", event.host),
    ])  # fmt: skip
    data: list[_Element | str]
    if isinstance(event.data, Mapping):
        data = [_Element("Data", {"Name": name}, [value]) for name, value in event.data.items()]
    else:
        data = [leaf("Data", value) for value in event.data]
    return _Element("Event", {}, [system, _Element("EventData", {}, data)])


def _template(root: _Element, at: int, number: int, names: dict[str, int]) -> bytes:
    # Fragment header, template instance with its definition inline, no values, end of stream.
    start = b"\x0f\x01\x01\x00" + struct.pack("<BBI", 0x0C, 1, number)
    definition_at = at + len(start) + 4
    content_at = definition_at + 24
    content = b"\x0f\x01\x01\x00" + _element(root, content_at + 4, names) + b"\x00"
    definition = struct.pack("<I16sI", 0, struct.pack("<QQ", number, 0), len(content)) + content
    return start + struct.pack("<I", definition_at) + definition + struct.pack("<I", 0) + b"\x00"


def _element(element: _Element, at: int, names: dict[str, int]) -> bytes:
    inside = at + 7  # token, dependency id, size
    body = _name(element.name, inside, names)
    if element.attributes:
        attributes = bytearray()
        start = inside + len(body) + 4
        for i, (key, value) in enumerate(element.attributes.items(), 1):
            attributes += b"\x46" if i < len(element.attributes) else b"\x06"
            attributes += _name(key, start + len(attributes), names) + _value(value)
        body += struct.pack("<I", len(attributes)) + bytes(attributes)
    body += b"\x02"
    for child in element.children:
        body += _value(child) if isinstance(child, str) else _element(child, inside + len(body), names)
    body += b"\x04"
    token = 0x41 if element.attributes else 0x01
    return struct.pack("<BHI", token, 0xFFFF, len(body)) + body


def _name(name: str, at: int, names: dict[str, int]) -> bytes:
    """A reference to a name, with the name itself where the chunk holds it for the first time."""
    if name in names:
        return struct.pack("<I", names[name])
    names[name] = at + 4
    code = 0
    for letter in name:
        code = (code * 65599 + ord(letter)) & 0xFFFFFFFF
    return struct.pack("<IIHH", at + 4, 0, code & 0xFFFF, len(name)) + name.encode("utf-16-le") + b"\0\0"


def _value(text: str) -> bytes:
    data = text.encode("utf-16-le")
    return struct.pack("<BBH", 0x05, 0x01, len(data) // 2) + data
