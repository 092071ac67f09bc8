"""Files of any size, redacted in pieces of whole lines: memory stays bounded, and time grows with the size only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from triage import lazy
from triage.redact.detector import PEM_ROWS
from triage.redact.redactor import Redactor
from triage.sources.encodings import detect, utf8_chunks
from triage.sources.kinds import binary_reason, kind_of
from triage.sources.packed import decompressed
from triage.sources.streams import CHUNK, HEAD, Budget, Spool, Stream, file_chunks, pipe_chunks

_BREAK = lazy.pattern(rb"[\s,;]")
_BACK = 1 << 16
_COMPRESSED = ("gzip", "bzip2", "xz", "zstd")


class NotText(ValueError):
    """An input is no text; the message says which, what it is and what to do."""


def redacted(inputs: Iterable[Path | BinaryIO], redactor: Redactor, size: int = CHUNK) -> Iterator[Iterator[str]]:
    """The pieces of each input without secrets and with pseudonyms, in the inputs' order.

    A piece has `size` to three times `size` bytes. All inputs are read twice, so that a name that the last line tells
    is known in the first. Text in any encoding, compressed or not. Raises OSError for an input that cannot be opened,
    NotText for one that is no text.
    """
    sources = [_Again(one, size) for one in inputs]
    for source in sources:
        for piece in source.pieces():
            redactor.learn(piece)
    for source in sources:
        yield (redactor.redact(piece) for piece in source.pieces())


class _Again:
    """An input that can be read twice: what comes through a pipe is kept in a temporary file meanwhile."""

    def __init__(self, source: Path | BinaryIO, size: int) -> None:
        self._size = size
        self._name = str(source) if isinstance(source, Path) else "standard input"
        self._path = source if isinstance(source, Path) else None
        self._spool = None if isinstance(source, Path) else Spool(pipe_chunks(source))

    def pieces(self) -> Iterator[str]:
        if self._path is not None:
            size = self._path.stat().st_size
            yield from _pieces(Stream(file_chunks(self._path, size), size), self._name, self._size)
        elif self._spool is not None:
            yield from _pieces(Stream(self._spool.whole()), self._name, self._size)


def _pieces(stream: Stream, name: str, size: int) -> Iterator[str]:
    head = stream.peek(HEAD)
    kind = kind_of(head) if head else "text"
    if kind in _COMPRESSED:
        yield from _pieces(decompressed(kind, stream, Budget(stream.size)), name, size)
        return
    if kind != "text":
        why = binary_reason(head) if kind == "binary" else f"is a {kind} file; extract it and give its files"
        raise NotText(f"{name} {why}")
    for data in _whole_lines(utf8_chunks(stream, detect(head)), size):
        yield data.decode("utf-8", "surrogateescape")


def _whole_lines(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Runs of whole lines of about `size` bytes, none of which ends inside a private key."""
    kept = b""
    for chunk in chunks:
        kept += chunk
        while len(kept) >= 2 * size:
            end = _end(kept, size)
            yield kept[:end]
            kept = kept[end:]
    if kept:
        yield kept


def _end(data: bytes, size: int) -> int:
    """Where to cut: behind a line, else (one long line) where a value ends."""
    end = data.rfind(b"\n", size, 2 * size) + 1
    if end:
        key = data.rfind(b"-----BEGIN ", 0, end)
        if key > 0 and data.count(b"\n", key, end) < PEM_ROWS and data.find(b"-----END ", key, end) < 0:
            start = data.rfind(b"\n", 0, key) + 1
            return start or end
        return end
    breaks = [found.end() for found in _BREAK.finditer(data, max(size, 2 * size - _BACK), 2 * size)]
    return breaks[-1] if breaks else 2 * size
