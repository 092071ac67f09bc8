"""What people type: files, folders, patterns, links, pipes, and what is not there."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path

import pytest

from triage.model import Source
from triage.sources import open_inputs, open_text


def by_name(*paths: str | Path, stdin: bytes = b"") -> dict[str, Source]:
    return {source.name: source for source in open_inputs(paths, io.BytesIO(stdin))}


def lines_of(source: Source) -> list[str]:
    return [line.text for block in source.blocks() for line in block.lines(0, block.count)]


def test_folder_members_are_relative_sorted_and_know_their_rank(tmp_path: Path) -> None:
    for rank in (1, 0):
        folder = tmp_path / "run" / "attempt_0" / str(rank)
        folder.mkdir(parents=True)
        (folder / "stderr.log").write_text("RuntimeError: x\n")
    sources = by_name(tmp_path / "run")
    assert list(sources) == ["attempt_0/0/stderr.log", "attempt_0/1/stderr.log"]
    (block,) = sources["attempt_0/1/stderr.log"].blocks()
    assert block.lines(0, 1)[0].fields == {"local_rank": "1"}


def test_file_pattern_and_standard_input(tmp_path: Path) -> None:
    for name in ("b.log", "a.log"):
        (tmp_path / name).write_text("x\n")
    assert list(by_name(str(tmp_path / "*.log"), tmp_path / "a.log")) == [str(tmp_path / "a.log"), str(tmp_path / "b.log")]
    sources = by_name("-", stdin=b"from a pipe\n")
    assert lines_of(sources["-"]) == ["from a pipe"]


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "core").write_bytes(b"\x7fELF" + bytes(200))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    words = {
        "empty.log": "is empty", "core": "core dump", "folder": "without files", "loop": "cannot be opened",
        "dangling": "link to a file that does not exist", "gone.log": "does not exist", "*.nothing": "matches no file",
        "a\0b": "cannot be opened",
    }  # fmt: skip
    for name, word in words.items():
        (source,) = by_name(str(tmp_path / name)).values()
        assert not source.readable
        assert word in source.note
        assert list(source.blocks()) == []


def test_folder_loops_and_pipes_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "x.log").write_text("x\n")
    assert list(by_name(tmp_path)) == ["a/x.log"]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no device files")
def test_devices_are_refused() -> None:
    (source,) = by_name("/dev/zero").values()
    assert "device" in source.note


def test_pasted_text() -> None:
    assert lines_of(open_text("[rank1]: x\ny\n")) == ["x", "y"]
    assert open_text("").note == "paste is empty"
    assert lines_of(open_text("设备 代码 12".encode("gbk"))) == ["设备 代码 12"]


def test_what_nobody_writes_to_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's name is short
        server.bind("sock")
        (tmp_path / "a.log").write_text("x")
        os.symlink(tmp_path, tmp_path / "loop")
        found = {source.name: source.readable for source in open_inputs([tmp_path])}
    assert found == {"a.log": True, "pipe": False, "sock": False}


def test_files_of_several_folders_keep_their_folder(tmp_path: Path) -> None:
    for name in ("node1", "node2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dmesg.txt").write_text("x")
    assert [source.name for source in open_inputs([tmp_path / "node1"])] == ["dmesg.txt"]
    assert [source.name for source in open_inputs([tmp_path / "node1", tmp_path / "node2"])] == ["node1/dmesg.txt", "node2/dmesg.txt"]
