"""Bytes of a text -> blocks of whole lines with their numbers.

Plain text passes as it is, about a megabyte at a time, and its lines are built only when asked for. A part that
hides text (wrappers, colours, progress bars) is unwrapped line by line. Each part decides for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from triage import lazy
from triage.model import Block, Line, Source
from triage.sources.assemble import assembler_of
from triage.sources.encodings import Encoding, decode_line, detect, utf8_chunks
from triage.sources.escapes import strip_escapes
from triage.sources.layouts import PLAIN, Layout, layout_of
from triage.sources.names import name_fields
from triage.sources.rows import Assembler, Row
from triage.sources.streams import CHUNK, HEAD, Stream
from triage.sources.unwrap import Unwrapper
from triage.sources.wrapped import Wrapped

_SMALL = 1 << 18
_HEAD_LINES = 400
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n") + b"\x7f"
# What hides text and is not seen in a few lines: spelled escapes and newlines, entities, C1 controls, box borders.
# Each begins with one byte, which is found far faster.
_HINTS = {
    b"#": (b"#012", b"#033"), b"^": (b"^[[",), b"\\": (b"\\x1", b"\\u001", b"\\033[", b"\\nNVRM", b"\\n  File "),
    b"&": (b"&lt;", b"&quot;", b"&amp;"), b"\xc2": (b"\xc2\x9b",), b"\xe2": (b"\xe2\x94\x82", b"\xe2\x95"),
}  # fmt: skip
_RARE = 4000  # per block: beyond it a search for the whole hint is the faster one


# Any of these, and each line is looked at for what hides text: besides the above, invisible characters in UTF-8.
_STIRS = (b"&", b"\\", b"#0", b"^[", b"[0m")
_STIRS_WIDE = (
    b"\xe2\x80", b"\xe2\x81", b"\xe2\x86\x90", b"\xe2\x90\x9b", b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xc2",
)  # fmt: skip
_JSON = lazy.pattern(rb"\{\"[^\n\\]*\\[^\n]*\}\s*$", re.MULTILINE)
_PART = lazy.pattern(rb"^[0-9TZ:.+-]{20,40} std(?:out|err) P ", re.MULTILINE)
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
    for data, advance in _whole_lines(stream, encoding):
        if b"\x1b" in data:
            data = _COLOUR.sub(b"", data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if unwrapper is None:
            head = _head(data, encoding)
            assembler = assembler_of(head)
            unwrapper = Unwrapper(_layout(head, assembler), fields)
        if len(data) >= _SMALL and not assembler and not unwrapper.waiting and _is_plain(data, unwrapper):
            block = _plain_block(data, number, encoding, unwrapper)
            source.lines += block.count
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
            if lines:
                yield _block(lines, source, last)
                last = lines[-1].number
        number += data.count(b"\n") + advance
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


def _whole_lines(stream: Stream, encoding: Encoding) -> Iterator[tuple[bytes, int]]:
    """Runs of whole lines without the last newline, at most about a megabyte, and 1 where a newline followed.

    A single line longer than that is cut; its parts keep their line's number.
    """
    kept: list[bytes] = []
    size = 0
    for chunk in utf8_chunks(stream, encoding):
        kept.append(chunk)
        size += len(chunk)
        if size < CHUNK:
            continue
        data = b"".join(kept)
        while len(data) >= CHUNK:
            end = data.rfind(b"\n", 0, CHUNK)
            if end >= 0:
                yield data[:end], 1
                data = data[end + 1 :]
            else:
                end = _character_end(data, CHUNK)
                stream.note("has a line of more than a megabyte, which was cut")
                yield data[:end], 0
                data = data[end:]
        kept, size = [data], len(data)
    data = b"".join(kept)
    if data:
        yield data.removesuffix(b"\n"), 1


def _character_end(data: bytes, end: int) -> int:
    """`end`, or a little before it where it would cut a UTF-8 character."""
    while end < len(data) and end > CHUNK - 4 and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


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
    return data.isascii() or (not any(mark in data for mark in _STIRS_WIDE) and _is_utf8(data))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(data: bytes, unwrapper: Unwrapper) -> bool:
    """Whether a scan reads the lines of `data` as they are: prefixes and plain JSON stand around their text, but
    escapes in JSON and parts of a message hide it."""
    if unwrapper.layout.html or len(data.translate(None, _CONTROLS)) != len(data):
        return False
    if b"[0m" in data or any(_spelled(data, byte, hints) for byte, hints in _HINTS.items()):
        return False
    return not _JSON.search(data) and not (b" P " in data and _PART.search(data))


def _spelled(data: bytes, byte: bytes, hints: tuple[bytes, ...]) -> bool:
    """Whether one of the hints, all of which begin with `byte`, is in `data`."""
    if data.count(byte) > _RARE:
        return any(hint in data for hint in hints)
    at = data.find(byte)
    while at >= 0:
        if data.startswith(hints, at):
            return True
        at = data.find(byte, at + 1)
    return False


def _plain_block(data: bytes, first: int, encoding: Encoding, unwrapper: Unwrapper) -> Block:
    parts: list[bytes] = []

    def lines(start: int, end: int) -> list[Line]:
        if not parts:
            parts.extend(data.split(b"\n"))
        wanted = parts[max(start, 0) : max(end, 0)]
        texts = (decode_line(line, encoding.fallback) for line in wanted)
        numbered = enumerate(texts, first + max(start, 0))
        return [line for number, text in numbered for line in unwrapper.lines(text, number)]

    return Block(first, data, data.count(b"\n") + 1, lines)


def _block(lines: list[Line], source: Source, last: int = 0) -> Block:
    """One line of a file may give several; it counts once, also where its parts lie in two blocks (`last`)."""
    text = "\n".join([line.text for line in lines]).encode("utf-8", "replace")
    numbers = {line.number for line in lines}
    source.lines += len(numbers - {last})
    return Block(lines[0].number, text, len(lines), _slicer(lines))


def _slicer(lines: Sequence[Line]) -> Callable[[int, int], list[Line]]:
    return lambda start, end: list(lines[max(start, 0) : max(end, 0)])
