"""Quoted lines are cut around what was matched, and keep what decides."""

from __future__ import annotations

import pytest

from triage.render.excerpt import cut, marked_rows, message
from triage.render.text import cells


@pytest.mark.parametrize(
    ("line", "span", "width", "want"),
    [
        ("short", (0, 5), 20, ("", "short", "")),
        ("a" * 50 + "MATCH" + "b" * 50, (50, 55), 25, ("…aaaaaa", "MATCH", "bbbbbbbbbbbb…")),
        ("MATCH" + "b" * 50, (0, 5), 20, ("", "MATCH", "bbbbbbbbbbbbb…")),
        ("x" * 100, (0, 100), 10, ("", "xxxxxxxx", "…")),
        ("中文" * 10 + "E", (20, 21), 11, ("…中文中文"[:5], "E", "")),
    ],
)  # fmt: skip
def test_long_lines_are_cut_around_the_match(line, span, width, want):
    got = cut(line, span, width)
    assert sum(map(cells, got)) <= width
    assert got[1] == want[1]
    assert got[0].startswith("…") == want[0].startswith("…")
    assert got[2].endswith("…") == want[2].endswith("…")


def test_a_long_line_of_evidence_is_wrapped_whole_when_there_is_room():
    line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 139.29 GiB is free."
    rows = marked_rows(cut(line, (24, 43), 300), 40)
    assert "".join("".join(row) for row in rows) == line
    assert all(sum(map(cells, row)) <= 40 for row in rows)
    assert "".join(row[1] for row in rows) == "CUDA out of memory."


def test_the_decisive_part_of_a_long_match_stays():
    line = "/pytorch/aten/src/THCUNN/SpatialClassNLLCriterion.cu:106: cunn_SpatialClassNLLCriterion_updateOutput_kernel: block: [3,0,0], thread: [911,0,0] Assertion `t >= 0 && t < n_classes` failed."
    parts = cut(line, (0, len(line) - 1), 100)
    assert sum(map(cells, parts)) <= 100
    assert "".join(parts).startswith("/pytorch/aten")
    assert "".join(parts).endswith("Assertion `t >= 0 && t < n_classes` failed.")
    long = "Watchdog caught " + "a" * 90 + " SeqNum=5323, " + "b" * 200
    assert "SeqNum=5323" in "".join(cut(long, (0, len(long)), 90, terms=["5323"]))


def test_of_a_journal_in_json_the_message_is_quoted():
    line = '{"_HOSTNAME": "dgx-c3", "MESSAGE": "NVRM: Xid (PCI:0000:1f:00): 64, pid=5", "PRIORITY": "4"}'
    at = line.index("NVRM")
    assert message(line, (at, at + 9)) == ("NVRM: Xid (PCI:0000:1f:00): 64, pid=5", (0, 9))
    assert message('{"MESSAGE": [88, 105, 100], "x": 1}', (0, 5)) == ("Xid", (0, 3))
    assert message("{not json", (0, 4)) == ("{not json", (0, 4))


def test_of_an_object_the_text_under_the_match_is_quoted():
    line = '{"msg": "step failed", "exc": "Traceback:\\n  File \\"t.py\\"\\nMemoryError: 2 GiB", "at": {"note": "x y"}}'
    at = line.index("MemoryError")
    assert message(line, (at, at + 11)) == ("MemoryError: 2 GiB", (0, 11))
    at = line.index("File")
    assert message(line, (at, at + 13)) == ('  File "t.py"', (2, 13))
    assert message(line, (line.index("x y"), line.index("x y") + 3)) == ("x y", (0, 3))
    assert message(line, (0, len(line))) == ("step failed", (0, 11))
