"""Whole files: encodings, packings, sizes, keys; the command line."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from triage.redact import Redactor
from triage.redact.stream import NotText, redacted
from triage.sources.streams import CHUNK

ROOT = Path(__file__).resolve().parent.parent
LINE = "Mar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, token=q9w8e7r6t5y4 10.1.2.3\r\n"


def whole(*inputs: Path | io.BytesIO, size: int = CHUNK) -> list[str]:
    return ["".join(pieces) for pieces in redacted(inputs, Redactor(b"k"), size)]


def run(*arguments: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "triage", "redact", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **env}, timeout=60)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-8-sig", "gb18030"])
def test_encodings_and_packings(encoding: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.log", tmp_path / "a.log.gz"
    text = LINE + "显卡驱动程序已停止响应\r\n" * 3
    plain.write_bytes(text.encode(encoding))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    first, second = whole(plain, packed)
    assert first == second
    assert "显卡驱动程序已停止响应\r\n" in first
    for gone in ("node07", "q9w8e7r6t5y4", "10.1.2.3"):
        assert gone not in first
    assert "NVRM: Xid (PCI:0000:3b:00): 79" in first


def test_a_name_that_the_last_line_tells_is_known_in_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("alice started\n")
    out = whole(tmp_path / "a.log", io.BytesIO(b'File "/home/alice/train.py"\n'))
    assert "alice" not in "".join(out)


def test_bytes_that_are_no_text_pass(tmp_path: Path) -> None:
    data = b"step 1 \xff\xfe 10.1.2.3 loss\n" + b"plain\n" * 20
    (tmp_path / "a.log").write_bytes(data)
    (text,) = whole(tmp_path / "a.log")
    assert text.encode("utf-8", "surrogateescape").startswith(b"step 1 \xff\xfe 24") or "\ufffd" not in text


def test_archives_and_binaries_say_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF" + bytes(2000))
    with pytest.raises(NotText, match="core dump"):
        whole(tmp_path / "core")


def _peak(size: int) -> int:
    """The most bytes that were in use while a text of so many bytes was redacted."""
    source = io.BytesIO(b"step 1 loss 2.0\n" * (size // 16))
    tracemalloc.start()
    assert sum(len(piece) for piece in next(redacted([source], Redactor(b"k"), 1 << 16))) == size
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - size  # the spool keeps small inputs in memory


def test_memory_is_bounded() -> None:
    _peak(1 << 10)
    assert _peak(6 << 20) < _peak(3 << 20) + (1 << 20)


@pytest.mark.parametrize("shift", range(0, 4800, 599))
def test_a_private_key_is_not_cut_between_two_pieces(shift: int) -> None:
    rows = "".join(f"{'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw' * 2}{n:04d}\n" for n in range(60))
    key = f"-----BEGIN PRIVATE KEY-----\n{rows}-----END PRIVATE KEY-----\n"
    data = (b"step loss ok\n" * 1300)[shift:] + key.encode() + b"step loss ok\n" * 1000
    (text,) = whole(io.BytesIO(data), size=1 << 13)
    assert "MIIEvQIBADAN" not in text
    assert text.count("[REDACTED:private-key]") == 1
    assert text.count("\n") == data.count(b"\n")


def test_a_line_longer_than_a_piece_is_read() -> None:
    data = b" ".join(b"10.1.2.%d" % (n % 250) for n in range(5000))
    (text,) = whole(io.BytesIO(data), size=1 << 13)
    assert "10.1.2." not in text
    assert text.count(" ") == 4999


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "node07.log").write_text(LINE, newline="")
    (tmp_path / "b.log").write_text("node07:1:2 [0] NCCL INFO x\n")
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123")
    done = run(str(tmp_path / "node07.log"), "--key-file", str(key))
    assert done.returncode == 0
    assert b"1 secret" in done.stderr
    same = run("-", stdin=LINE.encode(), TRIAGE_REDACT_KEY="0123456789abcdef0123")
    assert same.stdout == done.stdout
    assert done.stdout.endswith(b"\r\n")
    both = run(str(tmp_path / "node07.log"), str(tmp_path / "b.log"), "-o", str(tmp_path / "out"), "-q")
    assert both.returncode == 0, both.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[0] == "b.log"
    assert names[1].startswith("host-")
    assert not both.stderr


def test_wrong_use_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LINE)
    (tmp_path / "short").write_text("x")
    assert b"--output" in run("a", "b").stderr
    assert run("missing.log").returncode == 2
    assert b"missing.log" in run("missing.log").stderr
    assert b"openssl rand" in run(str(tmp_path / "a.log"), "--key-file", str(tmp_path / "short")).stderr
    over = run(str(tmp_path / "a.log"), "-o", str(tmp_path / "a.log"))
    assert over.returncode == 2
    assert (tmp_path / "a.log").read_text() == LINE.replace("\r\n", "\n")
