"""Lines that a terminal cut at its width, and those that are only as long as others."""

from __future__ import annotations

import pytest

from triage.sources import open_text
from triage.sources.assemble import assembler_of
from triage.sources.wrapped import Wrapped, begins, columns, width_of


def pairs(text: str) -> list[tuple[int, str]]:
    blocks = open_text(text).blocks()
    return [(line.number, line.text) for block in blocks for line in block.lines(0, block.count)]


LONG = [f"[    {n}.000000] NVRM: Xid (PCI:0000:3b:00): {n}, pid=1, name=python3, " + "word " * n * 3 + "end" for n in range(1, 9)]


def cut(lines: list[str], width: int) -> list[str]:
    return [line[n : n + width] for line in lines for n in range(0, len(line), width)]


def test_lines_that_a_terminal_cut() -> None:
    rows = cut(LONG, 80)
    assert [text for _, text in pairs("\n".join(rows))] == LONG
    assert pairs("\n".join(rows))[2][0] == rows.index(LONG[2][:80]) + 1


@pytest.mark.parametrize(
    "lines",
    [
        [f"step {n:06d} loss 0.1234 throughput 12.5 samples/s memory 41.2 GiB" for n in range(50)],
        ["+" + "-" * 78 + "+", *["| " + "x" * 76 + " |"] * 5, "+" + "-" * 78 + "+"],
        LONG,
    ],
)
def test_lines_that_are_only_as_long_as_others_stay(lines: list[str]) -> None:
    assert not isinstance(assembler_of(lines), Wrapped)


def test_wide_characters_take_two_columns() -> None:
    assert columns("错误 CUDA") == 9
    lines = [f"[   {n}.000000] 驱动程序 " + "设备管理器报告错误代码" * 4 + f"第{n}次" for n in range(6)]
    rows = [part for line in lines for part in (line[:47], line[47:])]
    assert [text for _, text in pairs("\n".join(rows))] == lines


DMON = [f"    {n % 8}   {300 + n:4d}     61     70    {n:3d}     44      0      0      0      0   1593  141" for n in range(60)]
EVENT = [
    "Log Name:      System", "Source:        nvlddmkm", "Event ID:      153", "Description:",
    "The description for Event ID 153 from source nvlddmkm cannot be found. Either the component that",
    "raises this event is not installed on your local computer or the installation is corrupted. You.",
]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        [text for n in range(0, 60, 8) for text in ("$ nvidia-smi dmon -c 1", "# gpu    pwr", *DMON[n : n + 8])],
        EVENT * 6,
        [text.replace("Log Name:      ", "Protokollname: ") for text in EVENT * 6],
    ],
)
def test_rows_and_headings_are_no_rest_of_the_line_above(lines: list[str]) -> None:
    rows = pairs("\n".join(lines))
    assert [text for _, text in rows] == lines
    assert Wrapped(max(map(columns, lines))).feed([], last=True) == []


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("Source:        Display", True), ("Ereignis-ID:   41", True), ('  File "/app/t.py", line 3', True), ("", True),
        ("$ dmesg", True), ("of the line above", False), ("3b:00): 79, GPU has fallen off", False),
    ],
)  # fmt: skip
def test_what_begins_anew(text: str, new: bool) -> None:
    assert begins(text) is new


def test_no_width_without_long_lines() -> None:
    assert width_of(["short"] * 20) == 0
    assert width_of([]) == 0
