"""Prefixes of launchers, as captured from torchrun, srun, mpirun, Ray, vLLM, kubectl and docker compose."""

from __future__ import annotations

import pytest

from triage.sources.prefixes import doubtful, layout_of, peel


@pytest.mark.parametrize(
    ("text", "rest", "fields"),
    [
        ("[rank3]: Traceback (most recent call last):", "Traceback (most recent call last):", {"rank": "3"}),
        ("[rank3]:   File \"a.py\", line 1", "  File \"a.py\", line 1", {"rank": "3"}),
        ("[rank2]:[E608 07:52:14.2 ProcessGroupNCCL.cpp:616] x", "[E608 07:52:14.2 ProcessGroupNCCL.cpp:616] x", {"rank": "2"}),
        ("[default3]:[rank11]: text", "text", {"local_rank": "3", "rank": "11"}),
        ("[default1]:/pytorch/aten/x.cu:1: block", "/pytorch/aten/x.cu:1: block", {"local_rank": "1"}),
        ("[1,2]<stderr>:  File \"train.py\"", "  File \"train.py\"", {"rank": "2"}),
        ("[1,mpirank:3,algo-2]<stdout>:loss", "loss", {"rank": "3", "host": "algo-2"}),
        ("(EngineCore_DP0 pid=24880) ERROR 05-02", "ERROR 05-02", {"process": "EngineCore_DP0", "pid": "24880"}),
        ("(pid=81) x", "x", {"pid": "81"}),
        ("(RayTrainWorker pid=123, ip=10.0.0.1) x", "x", {"process": "RayTrainWorker", "pid": "123", "host": "10.0.0.1"}),
        ("(Worker(rank=3) pid=8) x", "x", {"process": "Worker(rank=3)", "pid": "8", "rank": "3"}),
        ("(raylet) [2026-11-29 14:26:19,206 E] x", "[2026-11-29 14:26:19,206 E] x", {"process": "raylet"}),
        ("[pod/trainer-0/main] loss", "loss", {"pod": "trainer-0", "container": "main"}),
    ],
)
def test_unmistakable_prefixes_go(text: str, rest: str, fields: dict[str, str]) -> None:
    found: dict[str, str] = {}
    assert peel(text, found) == rest
    assert found == fields


@pytest.mark.parametrize(
    "text",
    [
        "[rank 3] INFO step", "[Rank 3] Watchdog caught", "[2026-11-03 02:20:13,441] [INFO] x", "[   12.345] NVRM: Xid",
        "3: text", "node07: text", "(venv) $ ls", "[GPU0] Epoch 1", "[1,2] matrix", "(see pid=3 above) x y", "systemd[1]: x",
        "web | x", "[train] Starting",
    ],
)  # fmt: skip
def test_text_that_only_looks_like_a_prefix_stays(text: str) -> None:
    fields: dict[str, str] = {}
    assert peel(text, fields) == text
    assert fields == {}


def test_srun_labels_need_most_lines_and_must_come_back() -> None:
    lines = [" 0: loading", " 1: loading", "10: loading", " 0: Traceback (most recent call last):", " 0:   File \"x\""]
    layout = layout_of(lines)
    fields: dict[str, str] = {}
    assert layout.labelled
    assert doubtful(lines[4], fields, layout) == "  File \"x\""
    assert fields == {"rank": "0"}
    assert not layout_of(["1: lo: <UP>", "2: eth0: <UP>", "3: ib0: <UP>"]).labelled
    assert not layout_of([*lines, "a", "b", "c", "d", "e"]).labelled


def test_pdsh_names_need_most_lines() -> None:
    lines = ["node07: a", "node08: a", "node07: b", "node08: b", "node07: Traceback"]
    layout = layout_of(lines)
    fields: dict[str, str] = {}
    assert doubtful(lines[4], fields, layout) == "Traceback"
    assert fields == {"host": "node07"}
    assert not layout_of(["node07: a", "x", "y", "z", "w"]).nodes
    assert not layout_of(["eth0: a", "eth0: b", "eth1: c", "eth1: d"]).nodes


def test_compose_bars_and_tables() -> None:
    lines = ["trainer-1  | loss 1", "trainer-1  | Traceback (most recent call last):", "db-1       | ready"]
    layout = layout_of(lines)
    assert layout.services
    assert doubtful(lines[1], {}, layout) == "Traceback (most recent call last):"
    sel = ["1a | 05/02/31 | 12:01:58 | Power Supply", "1b | 05/02/31 | 12:02:58 | Power Supply"]
    assert not layout_of(sel).services
    assert not layout_of(["| GPU  Name |", "|======|", "| 0 | A100 |"]).services


def test_quote_marks_of_a_ticket() -> None:
    lines = ["> RuntimeError: CUDA error", "> at step 3", ">", "thanks"]
    layout = layout_of(lines)
    assert layout.quoted
    assert doubtful(lines[0], {}, layout) == "RuntimeError: CUDA error"
    assert not layout_of([">>>  [Device Install]", ">>>  Section start", "!!!  dvi: x"]).quoted
