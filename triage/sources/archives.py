"""The members of tar and zip archives as sources; imported only for an archive."""

from __future__ import annotations

import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from triage.model import Source
from triage.sources.escapes import harmless
from triage.sources.opening import open_stream, unreadable
from triage.sources.streams import CHUNK, RATIO, RATIO_FROM, Budget, Spool, Stream, reason

_LOCAL = struct.Struct("<4s5H3I2H")  # the local file header of a zip member (APPNOTE 4.3.7)


def tar_members(stream: Stream, name: str, budget: Budget, depth: int) -> Iterator[Source]:
    """Members in the order of the archive. One that was not read when the next is asked for is kept aside."""
    spool = Spool()
    try:
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|", errorlevel=0) as archive:
            for member in archive:
                archive.__dict__["members"] = []  # else it remembers all of them
                if not budget.member():
                    yield unreadable(name, "has too many members; extract it and give the folder")
                    return
                if not member.isreg():
                    continue
                file = archive.extractfile(member) if member.issparse() else archive.fileobj
                if file is None:
                    continue
                if not member.issparse():  # extractfile loses the last part of a member that is cut
                    file.seek(member.offset_data)
                inner = Stream(_member_chunks(cast(IO[bytes], file), member.size), member.size)
                yield from open_stream(inner, f"{name}!{_shown(member.name)}", budget, depth + 1)
                inner.detach(spool)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        stream.note(f"is truncated or damaged ({reason(error)}): members up to there were read; copy it again")
    if stream.notes:
        yield unreadable(name, "; ".join(stream.notes))


def _member_chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    left = size
    try:
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        raise OSError(f"the archive is truncated or damaged there ({reason(error)})") from error
    if left:
        raise OSError("the archive is truncated there; copy it again for the rest")


def _shown(name: str) -> str:
    return harmless(name.encode("utf-8", "replace").decode("utf-8", "replace")).replace("\n", "^J")


def zip_members(stream: Stream, name: str, budget: Budget, depth: int, path: str) -> Iterator[Source]:
    """Members in the order of the directory; `path` is the archive itself where it is a file."""
    file: IO[bytes] = open(path, "rb") if path else Spool(iter(stream.take, b"")).file  # noqa: SIM115 (read later)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        yield from _zip_without_end(file, name, budget, depth)
        return
    members = [member for member in archive.infolist() if not member.is_dir()]
    if any(member.filename.endswith("/data.pkl") for member in members):
        yield unreadable(name, "is a PyTorch checkpoint, not a log")
        return
    if not members:
        yield unreadable(name, "is an empty archive")
    for member in members:
        if not budget.member():
            yield unreadable(name, "has too many members; extract it and give the folder")
            return
        yield from _zip_member(archive, member, name, budget, depth)


def _zip_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, budget: Budget, depth: int
) -> Iterator[Source]:
    full = f"{name}!{_shown(_zip_name(member))}"
    if member.flag_bits & 1:
        yield unreadable(full, "is encrypted; extract it with its password and give the folder", member.file_size)
        return
    try:
        file = archive.open(member)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError) as error:
        why = f"cannot be unpacked ({reason(error)}); extract it and give the folder"
        yield unreadable(full, why, member.file_size)
        return
    inner = Stream(iter(()), member.file_size)
    inner.chunks = _bounded(_member_chunks(file, member.file_size), member.compress_size, inner, budget)
    yield from open_stream(inner, full, budget, depth + 1)


def _bounded(chunks: Iterator[bytes], packed: int, stream: Stream, budget: Budget) -> Iterator[bytes]:
    written = 0
    for chunk in chunks:
        written += len(chunk)
        if not budget.spend(len(chunk)) or (written > RATIO_FROM and written > RATIO * max(packed, 1)):
            stream.note(f"expands like a zip bomb: stopped after {written >> 20} MB; extract it if it is sound")
            return
        yield chunk


def _zip_name(member: zipfile.ZipInfo) -> str:
    """The name; without the UTF-8 flag, Windows wrote it in its own code page and zipfile read cp437."""
    if not member.flag_bits & 0x800 and not member.filename.isascii():
        try:
            data = member.filename.encode("cp437")
        except UnicodeEncodeError:
            return member.filename
        for encoding in ("utf-8", "gb18030"):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                continue
    return member.filename


def _zip_without_end(file: IO[bytes], name: str, budget: Budget, depth: int) -> Iterator[Source]:
    """The members of a zip whose directory, at its end, is missing: each member has a header of its own."""
    found = 0
    file.seek(0)
    data = file.read(1 << 30)
    at = data.find(b"PK\x03\x04")
    while at >= 0 and at + _LOCAL.size <= len(data) and budget.member():
        _, _, flags, method, _, _, _, packed, _, name_length, extra = _LOCAL.unpack_from(data, at)
        start = at + _LOCAL.size + name_length + extra
        member = data[at + _LOCAL.size : at + _LOCAL.size + name_length].decode("utf-8", "replace")
        end = start + packed if packed and not flags & 8 else -1
        nearest = data.find(b"PK\x03\x04", max(end, start))
        if not member.endswith("/") and method in (0, 8) and not flags & 1:
            found += 1
            content = data[start : end if end >= 0 else (nearest if nearest >= 0 else len(data))]
            inner = Stream(iter(()), len(content))
            inner.note("the archive is truncated: this member may be incomplete")
            plain = _inflate(content, inner) if method == 8 else iter((content,))
            inner.chunks = _bounded(plain, len(content), inner, budget)
            yield from open_stream(inner, f"{name}!{_shown(member)}", budget, depth + 1)
        at = nearest
    yield unreadable(name, f"is a truncated or damaged zip archive: {found} members were found; copy it again")


def _inflate(data: bytes, stream: Stream) -> Iterator[bytes]:
    decoder = zlib.decompressobj(wbits=-15)
    try:
        while data and not decoder.eof:
            yield decoder.decompress(data, CHUNK)
            data = decoder.unconsumed_tail
    except zlib.error as error:
        stream.note(f"damaged ({reason(error)}): read up to the damage")
