"""What hides a secret is taken off before the search: colours, JSON and URL escapes, entities, base64.

Each view is another reading of the same bytes; it knows which of them each of its own bytes came from.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from triage import lazy
from triage.library.patterns import compiled

# ECMA-48 sequences, real or spelled out; control and zero-width characters.
_NOISE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]"
    r"|(?:\\x1[bB]|\\u001[bB]|\\033|#033|\^\[)\[[0-9;?]*[A-Za-z]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+|[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]"
)
# Each alternative begins with one of four characters, which `re` looks for first.
_ESCAPE = lazy.pattern(
    rb"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|%([2-7][0-9a-fA-F])|&(?:amp|lt|gt|quot|apos|#[0-9]{2,4}|#x[0-9a-fA-F]{2});"
    rb"|\\([\"'/\\nrt])|#0(1[125])"
)
_CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_BASE64 = lazy.pattern(rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}")
_DEEPEST = 3  # JSON in JSON in JSON: a container's log of a logger's record


@dataclass(slots=True)
class View:
    """A reading of a text in pieces. Byte `i` of the piece at `starts[n]` came from the `widths[n]` bytes at
    `origins[n] + i * strides[n]` of the original; where an escape gives several bytes, the stride is 0."""

    text: bytes
    starts: list[int] = field(default_factory=lambda: [0])
    origins: list[int] = field(default_factory=lambda: [0])
    widths: list[int] = field(default_factory=lambda: [1])
    strides: list[int] = field(default_factory=lambda: [1])

    def origin(self, start: int, stop: int) -> tuple[int, int]:
        """The bytes of the original from which `text[start:stop]` came, what was hidden between them included."""
        number = bisect_right(self.starts, start) - 1
        first = self.origins[number] + (start - self.starts[number]) * self.strides[number]
        if number + 1 < len(self.starts) and self.starts[number + 1] < stop:
            number = bisect_right(self.starts, stop - 1) - 1
        last = self.origins[number] + (stop - 1 - self.starts[number]) * self.strides[number]
        return first, last + self.widths[number]

    def keep(self, other: View, start: int, stop: int, size: int) -> int:
        """Notes that the bytes from `size` on are those of `other` from `start` to `stop`; the size with them."""
        if stop > start:
            number = bisect_right(other.starts, start) - 1
            while start < stop:
                end = min(stop, other.starts[number + 1]) if number + 1 < len(other.starts) else stop
                stride = other.strides[number]
                origin = other.origins[number] + (start - other.starts[number]) * stride
                self._add(size, origin, other.widths[number], stride)
                size += end - start
                start = end
                number += 1
        return size

    def put(self, first: int, last: int, count: int, size: int) -> int:
        """Notes that `count` bytes from `size` on came from those from `first` to `last`; the size with them."""
        self._add(size, first, last - first, last - first if count == 1 else 0)
        return size + count

    def _add(self, start: int, origin: int, width: int, stride: int) -> None:
        if self.starts and stride and (self.strides[-1], self.widths[-1]) == (stride, width):  # noqa: SIM102
            if self.origins[-1] + (start - self.starts[-1]) * stride == origin:
                return  # goes on as the piece before
        self.starts.append(start)
        self.origins.append(origin)
        self.widths.append(width)
        self.strides.append(stride)


def views(text: bytes) -> Iterator[View]:
    """The readings of `text` in which a value may stand as it was written, the plainest first."""
    view = View(text)
    noise = compiled(_NOISE)
    if noise.search(text):
        view = _edited(view, noise, lambda _: b"")
    yield view
    for _ in range(_DEEPEST):
        view = _only_rows(view)
        if not view.text:
            return
        view = _edited(view, _ESCAPE, _unescaped)
        yield view


def _edited(view: View, pattern: Any, change: Callable[[Any], bytes]) -> View:
    """The view with each hit of the pattern replaced by fewer bytes."""
    parts: list[bytes] = []
    made = View(b"", [], [], [], [])
    size = at = 0
    for hit in pattern.finditer(view.text):
        start, stop = hit.span()
        size = made.keep(view, at, start, size)
        parts.append(view.text[at:start])
        if new := change(hit):
            size = made.put(*view.origin(start, stop), len(new), size)
            parts.append(new)
        at = stop
    made.keep(view, at, len(view.text), size)
    parts.append(view.text[at:])
    made.text = b"".join(parts)
    return made


def _only_rows(view: View) -> View:
    """The lines of the view that hold an escape."""
    made = View(b"", [], [], [], [])
    parts: list[bytes] = []
    size = at = 0
    while found := _ESCAPE.search(view.text, at):
        start = view.text.rfind(b"\n", 0, found.start()) + 1
        at = view.text.find(b"\n", found.end()) + 1 or len(view.text)
        size = made.keep(view, start, at, size)
        parts.append(view.text[start:at])
    made.text = b"".join(parts)
    return made


def _unescaped(hit: re.Match[bytes]) -> bytes:
    number = hit.lastindex
    if number is None:
        return html.unescape(hit[0].decode()).encode()
    if number < 4:
        return chr(int(hit[number], 16)).encode("utf-8", "replace")
    return _CONTROL.get(hit[4], hit[4]) if number == 4 else bytes([int(hit[5], 8)])


def encoded(text: bytes) -> tuple[bytes, list[tuple[int, int, int]]]:
    """What base64 in `text` says, one row for each run that is readable, and (place in the rows, start, stop) of
    each run."""
    rows: list[bytes] = []
    places: list[tuple[int, int, int]] = []
    size = 0
    for run in _BASE64.finditer(text):
        row = _decoded(run[0])
        if row:
            places.append((size, run.start(), run.end()))
            rows.append(row)
            size += len(row) + 1
    return b"\n".join(rows), places


def _decoded(run: bytes) -> bytes:
    data = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    head = _base64(data[:24])
    if not head or not _readable(head):
        return b""
    whole = _base64(data)
    return whole.replace(b"\n", b" ") if _readable(whole) else b""


def _base64(data: bytes) -> bytes:
    data = data[: len(data) - 1] if len(data) % 4 == 1 else data
    try:
        return base64.b64decode(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return b""


def _readable(data: bytes) -> bool:
    return bool(data) and all(32 <= byte < 127 or byte in b"\t\n\r" for byte in data)
