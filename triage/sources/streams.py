"""Bytes of one input, in chunks, that can be looked at before they are read. Nothing here raises for bad input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO

CHUNK = 1 << 18
HEAD = 1 << 16
# Logs expand 100 to 1,000 times (repeated lines), so the bytes are bounded, and the ratio only beyond these.
RATIO, RATIO_FROM = 500, 256 << 20
TOTAL_RATIO, TOTAL_FROM, TOTAL_MOST = 2000, 1 << 30, 256 << 30
MEMBERS_MOST = 100_000
DEPTH_MOST = 6


@dataclass(slots=True)
class Budget:
    """What one input may expand to, over all its members and layers; `size` is its own size in bytes (0: unknown)."""

    size: int = 0
    spent: int = 0
    members: int = 0

    def spend(self, count: int) -> bool:
        """Whether `count` more expanded bytes are allowed."""
        self.spent += count
        most = max(TOTAL_FROM, TOTAL_RATIO * self.size) if self.size else TOTAL_MOST
        return self.spent <= min(most, TOTAL_MOST)

    def member(self) -> bool:
        """Whether one more archive member is allowed."""
        self.members += 1
        return self.members <= MEMBERS_MOST


@dataclass(slots=True)
class Stream:
    """An iterator of chunks with a look ahead. What went wrong on the way is in `notes`."""

    chunks: Iterator[bytes]
    size: int = 0
    notes: list[str] = field(default_factory=list)
    taken: int = 0
    _ahead: bytes = b""
    _ended: bool = False

    def _pull(self) -> bytes:
        if self._ended:
            return b""
        try:
            chunk = next((chunk for chunk in self.chunks if chunk), b"")
        except (OSError, EOFError, MemoryError, ValueError) as error:
            self.note(f"reading stopped: {reason(error)}")
            chunk = b""
        self._ended = not chunk
        return chunk

    def note(self, text: str) -> None:
        """Add what a reader must know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def peek(self, count: int = HEAD) -> bytes:
        """The next `count` bytes, fewer at the end; they stay."""
        if len(self._ahead) < count:
            parts = [self._ahead]
            have = len(self._ahead)
            while have < count and (chunk := self._pull()):
                parts.append(chunk)
                have += len(chunk)
            self._ahead = b"".join(parts)
        return self._ahead[:count]

    def take(self) -> bytes:
        """The next chunk, of any length; empty at the end."""
        chunk = self._ahead or self._pull()
        self._ahead = b""
        self.taken += len(chunk)
        return chunk

    def read(self, count: int = -1) -> bytes:
        """The next `count` bytes (all when negative), as a file would give them."""
        if count < 0:
            return b"".join(iter(self.take, b""))
        data = self.peek(count)
        self._ahead = self._ahead[len(data) :]
        self.taken += len(data)
        return data

    def detach(self, spool: Spool) -> None:
        """Keep the rest in `spool`, so that what this stream reads from may move on."""
        if not self._ended:
            self.chunks = spool.keep(iter(self._pull, b""))
            self._ended = False


class Spool:
    """Bytes kept for later: in memory while small, else in an unnamed temporary file."""

    def __init__(self, chunks: Iterable[bytes] = (), in_memory: int = 16 << 20) -> None:
        import tempfile

        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=in_memory)  # noqa: SIM115 (read later)
        self.keep(chunks)

    def keep(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Write `chunks` now; the iterator gives them back."""
        start = at = self.file.seek(0, 2)
        for chunk in chunks:
            self.file.write(chunk)
            at += len(chunk)
        return self._between(start, at)

    def whole(self) -> Iterator[bytes]:
        """All that was kept, from the start; may be called again."""
        return self._between(0, self.file.seek(0, 2))

    def _between(self, start: int, end: int) -> Iterator[bytes]:
        while start < end:
            self.file.seek(start)
            chunk = self.file.read(min(CHUNK, end - start))
            if not chunk:
                return
            start += len(chunk)
            yield chunk


def file_chunks(path: Path, size: int = 0) -> Iterator[bytes]:
    """The chunks of a regular file, open only while one is read: thousands of files may wait for their turn.

    What is written beyond `size` (0, as in /proc: unknown) while the file is read is left: a log may grow faster than
    anybody reads.
    """
    at, count = 0, HEAD
    while not size or at < size:
        with path.open("rb") as file:
            file.seek(at)
            chunk = file.read(min(count, size - at) if size else count)
        if not chunk:
            return
        at, count = at + len(chunk), CHUNK
        yield chunk


def pipe_chunks(file: BinaryIO) -> Iterator[bytes]:
    """The chunks of a pipe, as they come."""
    read = getattr(file, "read1", file.read)
    while chunk := read(CHUNK):
        yield chunk if isinstance(chunk, bytes) else bytes(chunk)


def bytes_stream(data: bytes) -> Stream:
    """A stream over bytes in memory."""
    return Stream(iter((data,)) if data else iter(()), len(data))


def reason(error: BaseException) -> str:
    """An exception in a few words, without the path that the reader knows already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
