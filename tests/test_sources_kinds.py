"""Detection by content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.kinds import binary_reason, kind_of, wide_encoding

TEXT = b"NVRM: Xid (PCI:0000:3b:00): 79\n" * 40


def tar_bytes(**members: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zip_bytes(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (TEXT, "text"),
        (gzip.compress(TEXT, mtime=0), "gzip"),
        (bz2.compress(TEXT), "bzip2"),
        (lzma.compress(TEXT), "xz"),
        (zstandard.ZstdCompressor().compress(TEXT), "zstd"),
        (tar_bytes(a=TEXT), "tar"),
        (zip_bytes(a=TEXT), "zip"),
        (b"ElfFile\0" + bytes(100), "evtx"),
        (b"\x7fELF\x02\x01\x01" + bytes(100), "binary"),
        (bytes(range(256)) * 20, "binary"),
        (bytes(5000), "binary"),
        (b"\0" * 300 + b"Oct 11 15:19:39 aibox kernel: NVRM: Xid\n", "text"),
        ("Gerät wurde gestartet".encode("cp1252"), "text"),
        ("设备".encode("utf-16"), "text"),
        (b"BZhello is no bzip2", "text"),
        (b"\x1b[31mred\x1b[0m\r\n", "text"),
    ],
)
def test_kinds(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


def test_reasons_say_what_to_do() -> None:
    assert "journalctl" in str(binary_reason(b"LPKSHHRH" + bytes(9)))
    assert "extract" in str(binary_reason(b"7z\xbc\xaf\x27\x1c"))


def test_wide() -> None:
    text = "Gerät: 12 (0x0C)\r\n设备 驱动\r\n"
    for name in ("utf-16-le", "utf-16-be"):
        assert wide_encoding(text.encode(name)) == name
    assert wide_encoding(b"a\0\0\0b") == ""


@given(st.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    assert kind_of(data)
