"""Archives of all kinds, nested, cut, encrypted, hostile."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.model import Source
from triage.sources.archives import open_stream
from triage.sources.streams import TOTAL_FROM, Budget, bytes_stream

LOG = b"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"


def tar_bytes(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zip_bytes(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def opened(data: bytes, name: str = "a") -> list[Source]:
    return list(open_stream(bytes_stream(data), name, Budget(len(data))))


def texts(sources: list[Source]) -> dict[str, list[str]]:
    return {
        source.name: [line.text for block in source.blocks() for line in block.lines(0, block.count)]
        for source in sources
        if source.readable
    }


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress, lambda data: data]
)
@pytest.mark.parametrize("make", [tar_bytes, zip_bytes])
def test_members_have_names_and_text_even_when_listed_first(pack, make) -> None:  # type: ignore[no-untyped-def]
    data = pack(make({"var/log/kern.log": LOG, "rank 3.log": b"a\nb\n"}))
    sources = opened(data, "bundle.tar.gz")
    assert texts(sources) == {"bundle.tar.gz!var/log/kern.log": [LOG.decode().strip()], "bundle.tar.gz!rank 3.log": ["a", "b"]}


def test_gzip_with_many_members_is_one_source() -> None:
    assert texts(opened(gzip.compress(b"a\n") + gzip.compress(b"b\n"), "r.log.gz")) == {"r.log.gz": ["a", "b"]}


def test_tar_in_tar_in_gzip() -> None:
    inner = gzip.compress(tar_bytes({"kern.log": LOG}))
    assert list(texts(opened(tar_bytes({"sos.tar.gz": inner}), "o.tar"))) == ["o.tar!sos.tar.gz!kern.log"]


def test_large_members_of_a_list_are_kept_aside() -> None:
    big = b"INFO step of a training run\n" * 200_000
    sources = opened(tar_bytes({"a": big, "b": LOG}))
    assert [sum(block.count for block in source.blocks()) for source in sources] == [200_000, 1]


def test_cut_tar_gives_what_there_is() -> None:
    data = tar_bytes({"a": LOG, "b": LOG * 1000})
    sources = opened(data[:40_000])
    assert texts(sources)["a!a"] == [LOG.decode().strip()]
    assert len(texts(opened(data[:40_000]))["a!b"]) > 300
    assert any("truncated" in source.note for source in sources)


def test_cut_zip_gives_what_there_is() -> None:
    data = zip_bytes({"a.log": LOG, "b.log": LOG * 5})
    sources = opened(data[: data.index(b"PK\x01\x02")])
    assert texts(sources)["a!a.log"] == [LOG.decode().strip()]
    assert "damaged zip" in sources[-1].note


def test_encrypted_member_is_named() -> None:
    data = bytearray(zip_bytes({"secret.log": LOG}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (source,) = opened(bytes(data), "a.zip")
    assert not source.readable
    assert source.note.startswith("a.zip!secret.log is encrypted")


def test_nesting_has_an_end() -> None:
    data = LOG
    for _ in range(12):
        data = gzip.compress(data)
    (source,) = opened(data)
    assert "nested" in source.note


def test_a_zip_bomb_ends() -> None:
    bomb = zip_bytes({"zeros": b"0" * (64 << 20)})
    outer = zip_bytes({f"{n}.zip": bomb for n in range(60)})
    sources = open_stream(bytes_stream(outer), "bomb", Budget(len(outer), spent=TOTAL_FROM - (200 << 20)))
    total = sum(len(block.text) for source in sources for block in source.blocks())
    assert total <= 201 << 20


def test_hostile_names_drive_no_terminal() -> None:
    names = [source.name for source in opened(tar_bytes({"../../etc/\x1b[31mx\n": LOG}))]
    assert names == ["a!../../etc/x^J"] or "\x1b" not in names[0]


def test_checkpoint_is_one_source() -> None:
    (source,) = opened(zip_bytes({"model/data.pkl": b"\x80\x02", "model/data/0": bytes(99)}))
    assert "checkpoint" in source.note


def test_broken_event_log_is_named() -> None:
    (source,) = opened(b"ElfFile\0" + bytes(5000), "System.evtx")
    assert source.note


@settings(max_examples=60)
@given(st.sampled_from([tar_bytes, zip_bytes]), st.integers(0, 2000), st.binary(min_size=1, max_size=6), st.integers(0, 3000))
def test_damage_never_raises(make, at: int, change: bytes, end: int) -> None:  # type: ignore[no-untyped-def]
    data = make({"a": LOG, "b/c": LOG * 3})
    data = (data[:at] + change + data[at + len(change) :])[: max(end, 20)]
    for source in opened(data):
        assert source.readable or source.note
        for block in source.blocks():
            block.lines(0, block.count)
