"""Compressed streams: whole, of many members, cut, damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.packed import decompressed
from triage.sources.streams import Budget, Stream, bytes_stream

LINES = b"".join(b"line %d of a kernel log\n" % n for n in range(20000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstandard.ZstdCompressor().compress,
}  # fmt: skip


def read(kind: str, data: bytes, step: int = 1000) -> tuple[bytes, list[str]]:
    packed = Stream(iter([data[at : at + step] for at in range(0, len(data), step)]), len(data))
    stream = decompressed(kind, packed, Budget(len(data)))
    return stream.read(), stream.notes


@pytest.mark.parametrize("kind", PACKERS)
def test_whole_and_many_members(kind: str) -> None:
    assert read(kind, PACKERS[kind](LINES)) == (LINES, [])
    assert read(kind, PACKERS[kind](b"a\n") * 300, 7) == (b"a\n" * 300, [])


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_cut(kind: str) -> None:
    packed = PACKERS[kind](bytes(LINES) * 4)
    data, notes = read(kind, packed[: len(packed) * 3 // 4])
    assert (LINES * 4).startswith(data)
    assert "truncated" in notes[0]


def test_a_damaged_gzip_member_does_not_hide_the_next() -> None:
    bad = bytearray(gzip.compress(b"b\n" * 100))
    bad[15] ^= 0xFF
    data, notes = read("gzip", gzip.compress(b"a\n") + bytes(bad) + gzip.compress(b"c\n"))
    assert data.startswith(b"a\n")
    assert data.endswith(b"c\n")
    assert "damaged in gzip member 2" in notes[0]


def test_padding_behind_gzip_is_no_damage() -> None:
    assert read("gzip", gzip.compress(b"a\n") + bytes(5000)) == (b"a\n", [])
    assert "skipped" in read("gzip", gzip.compress(b"a\n") + b"garbage")[1][0]


def test_a_bomb_stops() -> None:
    packed = gzip.compress(bytes(1 << 20), 9) * 400
    stream = decompressed("gzip", bytes_stream(packed), Budget(len(packed)))
    total = sum(len(chunk) for chunk in iter(stream.take, b""))
    assert total <= (1 << 28) + (1 << 20)
    assert "zip bomb" in stream.notes[0]


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=300), st.integers(0, 40), st.binary(max_size=4))
def test_damage_never_raises(kind: str, data: bytes, at: int, change: bytes) -> None:
    packed = PACKERS[kind](data)
    read(kind, packed[:at] + change + packed[at + len(change) :], 11)
