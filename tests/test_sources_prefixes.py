"""Prefixes of launchers, as captured from torchrun, srun, mpirun, Ray, vLLM, kubectl and docker compose."""

from __future__ import annotations

import pytest

from triage.sources.prefixes import peel


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
        ("##[error]RuntimeError: x", "RuntimeError: x", {}),
        ("::error file=train.py,line=3::RuntimeError: x", "RuntimeError: x", {}),
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
        "web | x", "[train] Starting", "## Heading", "std::error::x",
    ],
)  # fmt: skip
def test_text_that_only_looks_like_a_prefix_stays(text: str) -> None:
    fields: dict[str, str] = {}
    assert peel(text, fields) == text
    assert fields == {}
