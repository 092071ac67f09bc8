"""Bytes of a text -> blocks of whole lines with their numbers.

Plain text passes as it is, about a megabyte at a time, and its lines are built only when asked for. A part that
hides text (wrappers, colours, progress bars) is unwrapped line by line. Each part decides for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from triage import lazy
from triage.model import Block, Line, Source
from triage.sources.assemble import assembler_of
from triage.sources.encodings import Encoding, completed, decode_line, detect, utf8_chunks, valid, whole
from triage.sources.escapes import strip_escapes
from triage.sources.layouts import PLAIN, Layout, layout_of
from triage.sources.names import name_fields
from triage.sources.rows import Assembler, Row
from triage.sources.streams import HEAD, Stream
from triage.sources.unwrap import Unwrapper
from triage.sources.wrapped import Wrapped

_LAST_LINE = "its last line"
_SMALL = _PIECE = 1 << 18
_MOST = 1 << 20
_HEAD_LINES = 400
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n") + b"\x7f"
# What hides text from a scan of whole blocks: control characters, spelled escapes and newlines, entities, C1 controls,
# box borders, what a web form leaves of colours, escapes inside JSON, parts of a message that a runtime cut.
_hidden = lazy.holds(
    rb"(?m)[\x00-\x08\x0b-\x1f\x7f]|#012|#033|\^\[\[|\\x1|\\u001|\\033\[|\\nNVRM|\\n  File |&lt;|&quot;|&amp;"
    rb"|\xc2\x9b|\xe2\x94\x82|\xe2\x95|\[0m|\{\"[^\n\\]*\\[^\n]*\}\s*$|^[0-9TZ:.+-]{20,40} std(?:out|err) P "
)
# Any of these, and each line is looked at for what hides text: besides the above, invisible characters in UTF-8.
_STIRS = (b"&", b"\\", b"#0", b"^[", b"[0m")
_STIRS_WIDE = (
    b"\xe2\x80", b"\xe2\x81", b"\xe2\x86\x90", b"\xe2\x90\x9b", b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xc2",
)  # fmt: skip
_BARE = lazy.pattern(rb"^\[[0-9;]*m", re.MULTILINE)
_COLOUR = lazy.pattern(rb"\x1b\[[0-9;]*[mK]")


def text_source(stream: Stream, name: str, path: str = "", first: int = 1) -> Source:
    """A source over the text in `stream`; `path` (default: the name) may tell rank and host, `first` is the number of
    its first line."""
    encoding = detect(stream.peek(HEAD))
    source = Source(name, iter_nothing, size=stream.size)
    if encoding.note:
        stream.note(encoding.note)
    source.blocks = lambda: _blocks(stream, encoding, source, name_fields(path or name), first)
    source.note = "; ".join(stream.notes)
    return source


def iter_nothing() -> Iterator[Block]:
    """No blocks."""
    return iter(())


def lines_source(lines: list[Line], name: str, note: str, size: int) -> Source:
    """A source over lines that exist already."""
    source = Source(name, iter_nothing, note=note, size=size)

    def blocks() -> Iterator[Block]:
        for at in range(0, len(lines), 5000):
            yield _block(lines[at : at + 5000], source)

    source.blocks = blocks
    return source


def _blocks(
    stream: Stream, encoding: Encoding, source: Source, fields: dict[str, str], number: int
) -> Iterator[Block]:
    unwrapper: Unwrapper | None = None
    assembler: Assembler | None = None
    last = 0
    for data, advance in _whole_lines(stream, encoding, source):
        if b"\x1b" in data:
            data = _COLOUR.sub(b"", data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
        encoding = completed(encoding, data)
        if encoding.note:
            stream.note(encoding.note)
        if unwrapper is None:
            head = _head(data, encoding)
            assembler = assembler_of(head)
            unwrapper = Unwrapper(_layout(head, assembler), fields)
        wrapped = assembler or unwrapper.waiting or unwrapper.layout.html
        if len(data) >= _SMALL and not wrapped and not _hidden(data):
            block = _plain_block(data, number, encoding, unwrapper)
            source.lines += block.count
            number += block.count - 1 + advance
            yield block
        else:
            raw = data.split(b"\n")
            texts = [decode_line(line, encoding.fallback) for line in raw]
            numbers: Sequence[int] = range(number, number + len(texts))
            if b"</Event>" in data:
                texts, numbers = _split_events(texts, numbers)
            if assembler:
                rows = assembler.feed(Row(n, text, text) for n, text in zip(numbers, texts, strict=True))
                lines = _unwrapped(unwrapper, rows)
            else:
                lines = unwrapper.feed(texts, numbers, calm=_is_calm(data))
            number += len(raw) - 1 + advance
            if lines:
                yield _block(lines, source, last)
                last = lines[-1].number
        source.note = "; ".join(stream.notes)
    rest = _unwrapped(unwrapper, assembler.feed((), last=True) if assembler else (), last=True) if unwrapper else []
    if rest:
        yield _block(rest, source, last)
    source.note = "; ".join(stream.notes)


def _split_events(texts: Sequence[str], numbers: Sequence[int]) -> tuple[list[str], list[int]]:
    """Event Viewer writes all events of an export on one line: each gets a line of its own with the same number."""
    from triage.sources.evtx import split_events

    parts = [split_events(text).split("\n") for text in texts]
    counted = [number for own, number in zip(parts, numbers, strict=True) for _ in own]
    return [text for own in parts for text in own], counted


def _whole_lines(stream: Stream, encoding: Encoding, source: Source) -> Iterator[tuple[bytes, int]]:
    """Runs of whole lines without the last newline, at most a megabyte, and 1 where a newline followed.

    A single line longer than that is cut; its parts keep their line's number. Notes in the source whether it ends in a
    line without a newline.
    """
    kept: list[bytes] = []
    size = 0
    for piece in _pieces(utf8_chunks(stream, encoding)):
        if size + len(piece) > _MOST:
            data, rest = _cut(kept)
            if rest is None:
                stream.note("has a line of more than a megabyte, which was cut")
                data, rest = data[: whole(data)], data[whole(data) :]
                yield data, 0
            else:
                yield data, 1
            kept, size = [rest], len(rest)
        kept.append(piece)
        size += len(piece)
    data = b"".join(kept)
    source.cut = "" if data.endswith(b"\n") or not data else _LAST_LINE
    if data:
        yield data.removesuffix(b"\n"), 1


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        if len(chunk) <= _PIECE:
            yield chunk
        else:
            yield from (chunk[at : at + _PIECE] for at in range(0, len(chunk), _PIECE))


def _cut(pieces: list[bytes]) -> tuple[bytes, bytes | None]:
    """The text before the last newline of all pieces and what stands behind it: None where there is no newline."""
    *before, last = pieces
    end = last.rfind(b"\n")
    if end >= 0:
        return b"".join((*before, memoryview(last)[:end])), last[end + 1 :]  # copied once
    data = b"".join(pieces)
    end = data.rfind(b"\n")
    return (data[:end], data[end + 1 :]) if end >= 0 else (data, None)


def _head(data: bytes, encoding: Encoding) -> list[str]:
    return [strip_escapes(decode_line(line, encoding.fallback)) for line in data[:HEAD].split(b"\n")[:_HEAD_LINES]]


def _layout(head: Sequence[str], assembler: Assembler | None) -> Layout:
    """The layout of the lines as the assembler gives them: JSON has none."""
    if assembler is None:
        return layout_of(head) if len(head) > 1 else PLAIN
    if not isinstance(assembler, Wrapped):
        return PLAIN
    probe = Wrapped(assembler.width)
    return layout_of([row.text for row in probe.feed((Row(0, text, text) for text in head), last=True)])


def _unwrapped(unwrapper: Unwrapper, rows: Sequence[Row], last: bool = False) -> list[Line]:
    texts, raws = [row.text for row in rows], [row.raw for row in rows]
    return unwrapper.feed(texts, [row.number for row in rows], last, raws=raws)


def _is_calm(data: bytes) -> bool:
    """Whether no line of `data` can hold an escape, a control character or what spells one."""
    if len(data.translate(None, _CONTROLS)) != len(data) or _BARE.search(data):
        return False
    if any(mark in data for mark in _STIRS):
        return False
    return data.isascii() or (not any(mark in data for mark in _STIRS_WIDE) and valid(data))


def _plain_block(data: bytes, first: int, encoding: Encoding, unwrapper: Unwrapper) -> Block:
    def lines(block: Block, start: int, end: int) -> list[Line]:
        texts = (decode_line(row, encoding.fallback) for row in block.rows[start:end])
        numbered = zip(block.numbers[start:end], texts, strict=True)
        return [line for number, text in numbered for line in unwrapper.lines(text, number)]

    return Block(data, range(first, first + data.count(b"\n") + 1), lines)


def _block(lines: list[Line], source: Source, last: int = 0) -> Block:
    """One line of a file may give several; it counts once, also where its parts lie in two blocks (`last`)."""
    text = "\n".join([line.text for line in lines]).encode("utf-8", "replace")
    numbers = [line.number for line in lines]
    source.lines += len(set(numbers) - {last})
    return Block(text, numbers, lambda _, start, end: lines[start:end])
