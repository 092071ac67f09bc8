"""Compressed streams, decompressed in pieces of bounded size. What is cut short or damaged gives what could be read."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Protocol, cast

from triage.sources.streams import CHUNK, RATIO, RATIO_FROM, Budget, Stream, reason

_GZIP = b"\x1f\x8b\x08"
_LZMA_MEMORY = 1 << 30


class _Decoder(Protocol):
    """The shape that bz2 and lzma decompressors share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def decompressed(kind: str, packed: Stream, budget: Budget) -> Stream:
    """The content of `packed`, a stream of `kind` (gzip, bzip2, xz, zstd). Both share their notes."""
    makers = {"gzip": _gzip, "bzip2": _bzip2, "xz": _xz, "zstd": _zstd}
    return Stream(_bounded(makers[kind](packed), packed, budget), 0, packed.notes)


def _bounded(chunks: Iterator[bytes], packed: Stream, budget: Budget) -> Iterator[bytes]:
    written = 0
    for chunk in chunks:
        written += len(chunk)
        if not budget.spend(len(chunk)) or (written > RATIO_FROM and written > RATIO * max(packed.taken, 1)):
            packed.note(f"expands like a zip bomb: stopped after {written >> 20} MB; unpack it if it is sound")
            return
        yield chunk


def _gzip(packed: Stream) -> Iterator[bytes]:
    """All members; a damaged one is left at the error and the next one looked for (bug reports hold hundreds)."""
    data = packed.take()
    members = 0
    while data:
        decoder = zlib.decompressobj(wbits=31)
        try:
            while not decoder.eof:
                if not data and not (data := packed.take()):
                    packed.note("is truncated: read up to the cut; copy the file again for the rest")
                    yield decoder.flush()
                    return
                yield decoder.decompress(data, CHUNK)
                data = decoder.unconsumed_tail
            data = decoder.unused_data
            members += 1
        except zlib.error as error:
            packed.note(f"is damaged in gzip member {members + 1} ({reason(error)}): that part is missing")
            data = data[1:]
        data = _next_member(data, packed)


def _next_member(data: bytes, packed: Stream) -> bytes:
    """The data from the next gzip magic on; what stands before it (padding, garbage) is skipped."""
    skipped = False
    while True:
        while len(data) < len(_GZIP) and (more := packed.take()):
            data += more
        at = data.find(_GZIP)
        if at >= 0:
            skipped = skipped or data[:at].strip(b"\0") != b""
            data = data[at:]
            break
        skipped = skipped or data.strip(b"\0") != b""
        data = data[-2:]
        more = packed.take()
        if not more:
            data = b""
            break
        data += more
    if skipped:
        packed.note("holds bytes that are no gzip data; they were skipped")
    return data


def _bzip2(packed: Stream) -> Iterator[bytes]:
    return _members(packed, bz2.BZ2Decompressor, (OSError, ValueError))


def _xz(packed: Stream) -> Iterator[bytes]:
    return _members(packed, lambda: lzma.LZMADecompressor(memlimit=_LZMA_MEMORY), (lzma.LZMAError, ValueError))


def _members(packed: Stream, make: Callable[[], _Decoder], errors: tuple[type[Exception], ...]) -> Iterator[bytes]:
    data = packed.take()
    while data:
        decoder = make()
        try:
            while not decoder.eof:
                if decoder.needs_input and not data and not (data := packed.take()):
                    packed.note("is truncated: read up to the cut; copy the file again for the rest")
                    return
                yield decoder.decompress(data, CHUNK)
                data = b""
        except errors as error:
            packed.note(f"is damaged ({reason(error)}): read up to the damage; copy the file again")
            return
        data = decoder.unused_data.lstrip(b"\0")
        while not data and (more := packed.take()):
            data = more.lstrip(b"\0")


def _zstd(packed: Stream) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        packed.note("needs the package zstandard, which is not installed: `pip install zstandard`, or use `zstd -d`")
        return
    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 30)
    reader = decoder.stream_reader(cast(IO[bytes], packed), read_across_frames=True)
    try:
        while chunk := reader.read(CHUNK):
            yield chunk
    except zstandard.ZstdError as error:
        packed.note(f"is damaged ({reason(error)}): read up to the damage; copy the file again")
