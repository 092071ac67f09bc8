"""Blocks: lines and numbers are those of the file, memory is bounded, large plain text passes as it is."""

from __future__ import annotations

import tracemalloc
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triage.model import Line, Source
from triage.sources.blocks import text_source
from triage.sources.streams import Stream, bytes_stream


def all_lines(source: Source) -> list[Line]:
    return [line for block in source.blocks() for line in block.lines(0, block.count)]


def test_large_plain_text_passes_as_it_is() -> None:
    data = b"".join(b"[%5d.000000] NVRM: line %d\n" % (n, n) for n in range(100_000))
    source = text_source(bytes_stream(data), "dmesg")
    first, text = 1, []
    for block in source.blocks():
        assert block.numbers[0] == first
        assert len(block.text) <= 1 << 20
        assert block.lines(3, 5)[1].number == first + 4
        assert block.lines(3, 5)[1].text.encode() == block.text.split(b"\n")[4]
        first += block.count
        text.append(block.text)
    assert b"\n".join(text) + b"\n" == data
    assert source.lines == 100_000


def test_a_part_that_hides_text_is_unwrapped_alone() -> None:
    plain = b"INFO nothing to see here at all\n" * 50_000
    source = text_source(bytes_stream(plain + b"\x1b[31mRuntime\x1b[0mError: x\n" + plain), "log")
    lines = {line.number: line.text for line in all_lines(source)}
    assert lines[50_001] == "RuntimeError: x"
    assert max(lines) == 100_001


@pytest.mark.parametrize("filler", ["", r"C:\dir #1 & more", r"\\\\##&&" * 8], ids=["none", "few", "many"])
@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        (r"a\u001b[31mRuntime\u001b[0mError", "aRuntimeError"),
        ("a#033[31mRuntime#033[0mError", "aRuntimeError"),
        ("a^[[31mRuntime^[[0mError", "aRuntimeError"),
        ("GPU &lt;1&gt; lost &amp; gone", "GPU <1> lost & gone"),
        (r'Traceback (most recent call last):\n  File \"a.py\", line 1', "Traceback (most recent call last):"),
    ],
)
def test_what_hides_text_is_seen_in_a_large_block(spelled: str, text: str, filler: str) -> None:
    plain = f"INFO nothing to see {filler}\n".encode() * 20_000
    lines = all_lines(text_source(bytes_stream(plain + spelled.encode() + b"\n" + plain), "log"))
    assert text in [line.text for line in lines if line.number == 20_001]


@pytest.mark.parametrize("count", [2_000, 20_000])
def test_another_encoding_may_begin_late(count: int) -> None:
    plain = b"INFO a line of plain text, nothing to be seen\n" * count
    text = "设备描述: NVIDIA Tesla V100，该设备找不到足够资源可以使用。 (代码 12)"
    source = text_source(bytes_stream(plain + text.encode("gbk") + b"\n"), "x")
    assert all_lines(source)[-1].text == text
    assert source.note == "mostly UTF-8; other lines read as GBK (Chinese Windows)"


def test_crlf_and_missing_last_newline() -> None:
    assert [(line.number, line.text) for line in all_lines(text_source(bytes_stream(b"a\r\n\r\nb"), "x"))] == [
        (1, "a"), (2, ""), (3, "b"),
    ]  # fmt: skip


def test_an_enormous_line_is_cut_and_keeps_its_number() -> None:
    source = text_source(bytes_stream(b"a\n" + "ä".encode() * 1_500_000 + b"\nb\n"), "x")
    lines = all_lines(source)
    assert [line.number for line in lines] == [1, 2, 2, 2, 3]
    assert sum(line.text.count("ä") for line in lines) == 1_500_000
    assert "cut" in source.note


def test_memory_is_bounded() -> None:
    def endless() -> Iterator[bytes]:
        for n in range(60):
            yield b"[%5d.000000] NVRM: a line of the kernel\n" % n * 25_000

    source = text_source(Stream(endless()), "stdin")
    tracemalloc.start()
    count = sum(block.count for block in source.blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60 * 25_000
    assert peak < 20 << 20


def test_parts_across_blocks_are_joined() -> None:
    filler = b"2025-03-11T10:02:11.1Z stdout F step\n" * 40_000
    data = b"2025-03-11T10:02:11.1Z stderr P Runtime\n" + filler + b"2025-03-11T10:02:11.1Z stderr F Error: x\n"
    lines = all_lines(text_source(bytes_stream(data), "x"))
    numbers = [line.number for line in lines]
    assert numbers == sorted(numbers)
    assert len(lines) >= 40_001
    assert lines[0].text.startswith("Runtime")


def check(data: bytes, source: Source) -> None:
    """What must hold for any text: numbers monotone and complete, nothing that drives a terminal."""
    numbers: list[int] = []
    count = 0
    for block in source.blocks():
        lines = block.lines(0, block.count)
        assert len(lines) == block.count
        assert block.numbers[0] == lines[0].number
        assert len(block.text.split(b"\n")) >= block.count
        for line in lines:
            assert not [c for c in line.raw + line.text if unicodedata.category(c) == "Cc" and c not in "\t\n"]
            assert "\n" not in line.raw
        numbers += [line.number for line in lines]
        count += block.count
    assert numbers == sorted(numbers)
    assert source.lines == len(set(numbers)), "a line that holds several messages counts once"
    if numbers:
        assert set(numbers) == set(range(1, numbers[-1] + 1))


@given(st.binary(max_size=400))
@example(b"\r\n\r\r\n")
@example(b"\0\0\0\n")
@example(b"\xff\xfea\0\n\0")
@example(b'{"log":"a","stream":"x"}\n{"log":"b\\n","stream":"x"}')
@example(b'{"msg":"\\ud800"}')
def test_any_bytes(data: bytes) -> None:
    check(data, text_source(bytes_stream(data), "x"))


PIECES = st.sampled_from(
    [
        "[rank3]: ", "[default1]:", "[1,2]<stderr>:", "(Worker pid=3) ", "[pod/a/b] ", "> ", "3: ", "node07: ", "web-1  | ", "\r",
        "\x1b[31m", "\x1b[0m", "^[[0m", "\\x1b[1m", "#012", "\\n", "&lt;", "│ ", " │", "\x0c", "\0", "\x08\x08", "2025-03-11T10:02:11.1Z ",
        "stderr F ", "stderr P ", '{"log":"a\\n","stream":"b"}', '{"msg":"x\\r\\ny"}', "Traceback (most recent call last):", "text",
        "Jun 28 14:21:05 host kernel: ", "\ufeff", "\u2028", "\u202e", "ä", "设备",
    ]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, max_size=6).map("".join), min_size=1, max_size=12))
def test_any_mixture_of_wrappers(texts: list[str]) -> None:
    data = "\n".join(texts).encode("utf-8", "replace")
    source = text_source(bytes_stream(data), "x")
    numbers = []
    for block in source.blocks():
        for line in block.lines(0, block.count):
            numbers.append(line.number)
            assert not [c for c in line.raw if unicodedata.category(c) == "Cc" and c != "\t"]
    assert numbers == sorted(numbers)


def test_words_are_never_lost() -> None:
    words = [f"word{n}" for n in range(50)]
    data = "\r".join(f"[rank{n}]: \x1b[31m{word}\x1b[0m" for n, word in enumerate(words)).encode()
    text = " ".join(line.text for line in all_lines(text_source(bytes_stream(data), "x")))
    assert all(word in text.split() for word in words)
