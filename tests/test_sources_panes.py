"""Two panes of a terminal that were copied together."""

from __future__ import annotations

import pytest

from triage.pipeline import analyze_text
from triage.sources import open_text
from triage.sources.panes import border_of

LEFT = [
    "ops@n7:~$ tail -f train.log", "step 100 loss 2.31", "Traceback (most recent call last):",
    '  File "/app/t.py", line 3, in step', "    y = m(x)", "RuntimeError: CUDA error: device-side assert triggered", "",
]  # fmt: skip
RIGHT = [
    "ops@n7:~$ dmesg -w", "[  800.100000] docker0: port 1 entered disabled state",
    "[  812.345678] NVRM: Xid (PCI:0000:3b:00): 43, pid=41, name=python, Ch 00000008", "", "", "[  820.000000] x", "",
]  # fmt: skip


def side_by_side(border: str, left: list[str] = LEFT) -> str:
    return "\n".join(f"{a:<60}{border}{b}" for a, b in zip(left, RIGHT, strict=True))


@pytest.mark.parametrize("border", ["│", "┃"])
def test_each_pane_is_read_for_itself(border: str) -> None:
    text = side_by_side(border)
    (block,) = open_text(text).blocks()
    lines = block.lines(0, block.count)
    left = [line for line in lines if "container" not in line.fields]
    right = [line for line in lines if line.fields.get("container") == "right pane"]
    assert [line.text for line in left] == LEFT
    assert [line.text for line in right] == [text for text in RIGHT if text]
    rows = text.split("\n")
    assert all(line.text in rows[line.number - 1] for line in lines)
    assert {finding.id for finding in analyze_text(text).findings} == {"cuda-assert", "xid-43"}


def test_wide_characters_do_not_move_the_border() -> None:
    texts = ["训练开始" + " " * 52 + "│x"] + [f"{a:<60}│{b}" for a, b in zip(LEFT, RIGHT, strict=True)]
    assert border_of(texts) == 60


@pytest.mark.parametrize(
    "texts",
    [
        ["│ a │ b │"] * 9,
        ["a │ b │ c"] * 9,
        [f"{'a' * n}│b" for n in range(20, 29)],
        ["plain text"] * 9,
        [f"{'a':<60}│" for _ in range(9)],
        [f"{n:4d} │ line" for n in range(9)],
        [],
    ],
)
def test_boxes_tables_and_numbers_are_no_panes(texts: list[str]) -> None:
    assert border_of(texts) == 0
