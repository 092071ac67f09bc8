"""Prefixes that most lines of a source share, as captured from srun, pdsh, compose, grep, ts, CI and dashboards."""

from __future__ import annotations

import pytest

from triage.sources.layouts import doubtful, layout_of

JOB = ["Traceback (most recent call last):", '  File "/app/train.py", line 3, in <module>', "    main()", "", "RuntimeError: x"]


def peeled(lines: list[str]) -> list[str]:
    """The lines without their layers (a collector's stamp excepted, which the unwrapper takes off)."""
    layers = layout_of(lines).layers
    out = []
    for text in lines:
        rest = layers
        while rest and (found := doubtful(text, {}, rest)):
            text, rest = found[0], rest[found[1] :]
        out.append(text)
    return out


@pytest.mark.parametrize(
    "prefixes",
    [
        ["> "] * 5, ["[2026-01-06 08:02:51] "] * 5, ["[2026-01-06T08:02:51Z] "] * 5, ["Jan 06 08:02:51 "] * 5,
        ["2026/01/06 08:02:51 "] * 5, ["2026-01-06 08:02:51:123 "] * 5, ["08:02:51 "] * 5, ["[08:02:51.123] "] * 5,
        ["1767686571123\t"] * 5, ["2026-01-06 08:02:51,123 - INFO - "] * 5, ["train-0 main "] * 5, ["[train-0] "] * 5,
        ["train-0 main "] * 3 + ["train-1 main "] * 2, ['{pod="t-0", namespace="ml"} '] * 5, ["+"] * 5, ["# "] * 5,
        ["    "] * 5, [f"{n}:" for n in range(7, 12)], [f"{n}-" for n in range(7, 12)], [f"train.log:{n}:" for n in range(1, 6)],
        [f"logs/rank_0/stderr.log-{n}-" for n in range(1, 6)], [f"{n:6d}\t" for n in range(1, 6)],
        [f"{n:5d}  " for n in range(1, 6)], [f"{n:4d} │ " for n in range(1, 6)], [f"L{n}: " for n in range(1, 6)],
        [f"train.log:{n}:[2026-01-06 08:02:5{n}] train-0 main " for n in range(1, 6)],
    ],
)  # fmt: skip
def test_what_stands_before_every_line_of_a_traceback_is_a_wrapper(prefixes: list[str]) -> None:
    assert peeled([prefix + text for prefix, text in zip(prefixes, JOB, strict=True)]) == JOB


@pytest.mark.parametrize(
    "lines",
    [
        ["[    1.000000] NVRM: a", "[    1.000000] NVRM: b", "[    1.000000] NVRM: c"],
        ["NVRM: Xid (PCI:0000:3b:00): 79, a", "NVRM: Xid (PCI:0000:3b:00): 45, b", "NVRM: GPU 0000:3b:00.0: c"],
        ["Jan  6 08:02:51 n7 kernel: [    1.000000] NVRM: a"] * 4,
        ["2026-01-06 08:02:51,123 - INFO - step 1", "2026-01-06 08:02:52,123 - ERROR - ValueError: x", "2026-01-06 08:02:53,123 - INFO - end"],
        ["node-d4:7340:7340 [0] NCCL INFO a", "node-d4:7340:7341 [0] NCCL INFO b", "node-d4:7340:7341 [0] NCCL WARN c"],
        ["INFO: [rank0] a", "ERROR: [rank0] b", "INFO: c"],
        ["  4711 pts/0 python", "  4712 pts/0 python", "  4799 pts/0 bash"],
        ["0, NVIDIA H200, 45", "1, NVIDIA H200, 46", "2, NVIDIA H200, 47"],
        JOB,
        ["[2026-01-06 08:02:51,123] [INFO] a", "[2026-01-06 08:02:52,123] [INFO] b", "[2026-01-06 08:02:53,123] [ERROR] c"],
    ],
)  # fmt: skip
def test_the_programs_own_headers_stay(lines: list[str]) -> None:
    assert peeled(lines) == lines


def test_the_hour_of_a_clock_is_no_rank_and_no_line_number() -> None:
    lines = ["19:14:43  NVRM: Xid (PCI:0000:1a:00): 13", "19:15:34  NVRM: Xid (PCI:0000:9a:00): 31", "   MMU Fault: E", "19:24:03  NVRM: loading"]
    assert layout_of(lines).kinds == ()
    assert layout_of([f"{n}:{line}" for n, line in enumerate(lines, 1)]).kinds[:1] == ("numbers",)


def test_srun_labels_need_most_lines_and_must_come_back() -> None:
    lines = [" 0: loading", " 1: loading", "10: loading", " 0: Traceback (most recent call last):", " 0:   File \"x\""]
    layout = layout_of(lines)
    fields: dict[str, str] = {}
    assert layout.kinds == ("labelled",)
    assert doubtful(lines[4], fields, layout.layers) == ("  File \"x\"", 1)
    assert fields == {"rank": "0"}
    assert not layout_of(["1: lo: <UP>", "2: eth0: <UP>", "3: ib0: <UP>"]).layers
    assert not layout_of([*lines, "a", "b", "c", "d", "e"]).layers


def test_pdsh_takes_addresses_too() -> None:
    lines = ["10.0.0.11: a", "10.0.0.12: a", "10.0.0.11: b", "10.0.0.12: b", "10.0.0.11: Traceback"]
    fields: dict[str, str] = {}
    assert doubtful(lines[3], fields, layout_of(lines).layers) == ("b", 1)
    assert fields == {"host": "10.0.0.12"}


def test_pdsh_names_need_most_lines() -> None:
    lines = ["node07: a", "node08: a", "node07: b", "node08: b", "node07: Traceback"]
    fields: dict[str, str] = {}
    assert doubtful(lines[4], fields, layout_of(lines).layers) == ("Traceback", 1)
    assert fields == {"host": "node07"}
    assert not layout_of(["node07: a", "x", "y", "z", "w"]).layers
    assert not layout_of(["eth0: a", "eth0: b", "eth1: c", "eth1: d"]).layers


def test_compose_bars_and_tables() -> None:
    lines = ["trainer-1  | loss 1", "trainer-1  | Traceback (most recent call last):", "db-1       | ready"]
    layout = layout_of(lines)
    assert layout.kinds == ("services",)
    assert doubtful(lines[1], {}, layout.layers) == ("Traceback (most recent call last):", 1)
    sel = ["1a | 05/02/31 | 12:01:58 | Power Supply", "1b | 05/02/31 | 12:02:58 | Power Supply"]
    assert not layout_of(sel).layers
    assert not layout_of(["| GPU  Name |", "|======|", "| 0 | A100 |"]).layers


def test_quote_marks_of_a_ticket() -> None:
    lines = ["> RuntimeError: CUDA error", "> at step 3", ">", "thanks"]
    layout = layout_of(lines)
    assert layout.kinds == ("quoted",)
    assert doubtful(lines[0], {}, layout.layers) == ("RuntimeError: CUDA error", 1)
    assert not layout_of([">>>  [Device Install]", ">>>  Section start", "!!!  dvi: x"]).layers
