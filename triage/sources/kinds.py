"""What some bytes are, by content: a packing, an event log, text, or something that no log reader can use."""

from __future__ import annotations

from typing import Literal

from triage import lazy

Kind = Literal["gzip", "bzip2", "xz", "zstd", "zip", "tar", "evtx", "pickle", "dump", "text", "binary"]

_PACKED: tuple[tuple[bytes, Kind], ...] = (
    (b"\x1f\x8b\x08", "gzip"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"PK\x07\x08", "zip"), (b"ElfFile\x00", "evtx"),
    (b"\x80\x02}", "pickle"),  # a mapping, as of a flight recorder; a checkpoint begins with a number
)  # fmt: skip
# What it is and what to do instead.
_KNOWN: tuple[tuple[bytes, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; extract it and give the folder"),
    (b"Rar!\x1a\x07", "is a RAR archive; extract it and give the folder"),
    (b"\x04\x22\x4d\x18", "is lz4-compressed; decompress it with `lz4 -d`"),
    (b"MSCF", "is a Windows cabinet; extract it with `expand` and give the folder"),
    (b"LPKSHHRH", "is a binary journal; export it with `journalctl --file FILE -o short-iso-precise`"),
    (b"PAGEDU64", "is a Windows crash dump; give the text of WinDbg's `!analyze -v`"),
    (b"PAGEDUMP", "is a Windows crash dump; give the text of WinDbg's `!analyze -v`"),
    (b"MDMP", "is a Windows minidump; give the text of WinDbg's `!analyze -v`"),
    (b"\x7fELF", "is a program or core dump; give the log or the backtrace instead"),
    (b"MZ\x90", "is a Windows program; give its log instead"),
    (b"SQLite format 3\x00", "is an SQLite database; export the log as text"),
    (b"\x89PNG", "is a picture; paste the text instead"),
    (b"\xff\xd8\xff", "is a picture; paste the text instead"),
    (b"%PDF-", "is a PDF; paste the text instead"),
    (b"\x80\x02", "is a pickle (a checkpoint, say), not a log"),
    (b"\xe5\xac\x02", "is binary"),
)
# The state of a flight recorder (sorted keys, or as its code writes them) or of NCCL's RAS in JSON.
_DUMP = lazy.pattern(
    rb'\s*\{\s*"(?:comm_lib_version|entries|nccl_version|nccl_comm_state|pg_config|pg_status|version)"\s*:'
)
_IN_DUMP = (b'"pg_config"', b'"collective_seq_id"', b'"communicators"')
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)  # fmt: skip
# Legal in text, besides printable characters: tab, line ends, form feed, backspace, bell, escape.
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x08\x07\x1b")
_STRANGE = bytes(code for code in range(1, 32) if code not in _TEXT_CONTROLS) + b"\x7f"


def kind_of(head: bytes) -> Kind:
    """The kind of input that begins with `head` (64 KB are enough)."""
    for magic, kind in _PACKED:
        if head.startswith(magic):
            return kind
    if head[:3] == b"BZh" and head[3:4] in b"123456789" and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return "bzip2"
    if head[:4] >= b"\x50\x2a\x4d\x18" and head[:4] <= b"\x5f\x2a\x4d\x18" and head[1:4] == b"\x2a\x4d\x18":
        return "zstd"  # a skippable frame comes first
    if len(head) >= 512 and _tar_header(head[:512]):
        return "tar"
    if binary_reason(head) is not None:
        return "binary"
    return "dump" if _DUMP.match(head) and any(key in head for key in _IN_DUMP) else "text"


def _tar_header(block: bytes) -> bool:
    if block[257:262] != b"ustar" and not block[148:154].strip(b" \0").isdigit():
        return False
    import tarfile

    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def binary_reason(head: bytes) -> str | None:
    """Why `head` is no text ("is a picture; ..."), or None when it is text, NUL bytes of a crash included."""
    for magic, what in _KNOWN:
        if head.startswith(magic):
            return what
    if wide_encoding(head):
        return None
    full = head.replace(b"\0", b"")
    if not full:
        return "holds only NUL bytes, as a file does after a power loss; look for an older copy" if head else None
    strange = len(full) - len(full.translate(None, _STRANGE))
    # Scattered NULs are those of a binary format; a crash leaves them in runs.
    scattered = head.count(b"\0") - 2 * head.count(b"\0\0")
    if strange > 0.05 * len(full) + 2 or (scattered > 0.1 * len(head) and strange + head.count(b"\xff") > 2):
        return "is binary, not a log; give the text log instead"
    return None


def wide_encoding(head: bytes) -> str:
    """`utf-16-le`, `utf-16-be` or the same of 32 bits, by byte order mark or by the place of the NULs; else empty."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    even, odd = head[0::2], head[1::2]
    if len(head) < 8 or b"\0" not in head:
        return ""
    zeros = even.count(0), odd.count(0)
    for name, much, little in (("utf-16-le", zeros[1], zeros[0]), ("utf-16-be", zeros[0], zeros[1])):
        # Chinese text has few NULs, but its blanks and line ends have them, always on one side.
        if much > 0.05 * len(even) and little <= 0.02 * much and _decodes(head, name):
            return name
    return ""


def _decodes(head: bytes, name: str) -> bool:
    text = head[: len(head) // 2 * 2].decode(name, "replace")
    good = sum(1 for c in text[:4000] if c.isprintable() or c in "\r\n\t")
    return good > 0.95 * len(text[:4000])
