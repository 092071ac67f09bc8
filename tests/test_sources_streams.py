"""Streams that can be looked at, kept aside, and that never raise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from triage.sources.streams import Budget, Spool, Stream, bytes_stream, file_chunks


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 30)))
def test_peek_and_read_lose_nothing(chunks: list[bytes], counts: list[int]) -> None:
    stream = Stream(iter(chunks))
    read = b""
    for count in counts:
        head = stream.peek(count)
        got = stream.read(count)
        assert got == head
        read += got
    assert read + stream.read() == b"".join(chunks)
    assert stream.taken == len(b"".join(chunks))


def test_an_error_becomes_a_note() -> None:
    def broken() -> Iterator[bytes]:
        yield b"abc"
        raise OSError(5, "Input/output error")

    stream = Stream(broken())
    assert stream.read() == b"abc"
    assert stream.notes == ["reading stopped: Input/output error"]


def test_detached_streams_share_a_spool() -> None:
    spool = Spool(in_memory=4)
    streams = [bytes_stream(b"first"), bytes_stream(b"second")]
    assert streams[0].peek(2) == b"fi"
    for stream in streams:
        stream.detach(spool)
    assert [stream.read() for stream in reversed(streams)] == [b"second", b"first"]


def test_file_is_read_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3_000_000)
    assert sum(len(chunk) for chunk in file_chunks(path)) == 3_000_000


def test_budget_follows_the_size_of_the_input() -> None:
    assert Budget(size=1000).spend(1 << 29)
    assert not Budget(size=1000).spend((1 << 30) + 1)
    assert Budget(size=0).spend(10 << 30)


def test_a_file_that_grows_is_read_up_to_its_first_size(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * 70_000)
    chunks = file_chunks(path, 70_000)
    read = len(next(chunks))
    path.write_bytes(b"x" * 200_000)
    assert read + sum(map(len, chunks)) == 70_000
    assert sum(map(len, file_chunks(path))) == 200_000
