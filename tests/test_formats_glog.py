"""Google's log style in the spellings of PyTorch, torchrun, absl and TensorFlow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.formats.glog import Glog
from triage.model import Line, Record, Value


def take(text: str, **fields: str) -> Record | None:
    return Glog().take([Line(i, t, t, dict(fields)) for i, t in enumerate(text.split("\n"), 1)], 0)


@pytest.mark.parametrize(
    ("line", "text", "fields"),
    [
        (
            "[rank3]:[E311 10:02:11.123456789 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout",
            "[Rank 3] Watchdog caught collective operation timeout",
            {"level": "error", "rank": 3, "file": "ProcessGroupNCCL.cpp", "line_number": 632},
        ),
        ("[E ProcessGroupNCCL.cpp:474] [Rank 3] Watchdog", "[Rank 3] Watchdog", {"level": "error", "rank": 3}),
        (
            "[E1130 00:48:47.537961156 ProcessGroupNCCL.cpp:2303] [PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected",
            "[PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected",
            {"rank": 1, "pg": "0(default_pg)"},
        ),
        ("[E311 10:02:11.1 P.cpp:6] [PG 0 Rank 2] x", "[PG 0 Rank 2] x", {"rank": 2, "pg": "0"}),
        (
            "E1130 00:48:10.435000 2593 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: -9)",
            "failed (exitcode: -9)",
            {"level": "error", "_pid": 2593, "file": "torch/distributed/elastic/multiprocessing/api.py"},
        ),
        ("W0301 12:00:00.000000 77 torch/_dynamo/convert_frame.py:906] hit limit", "hit limit", {"level": "warning", "pid": 77}),
        (
            "E0000 00:00:1767686571.351004   61240 cuda_dnn.cc:8310] Unable to register cuDNN factory",
            "Unable to register cuDNN factory",
            {"level": "error", "tid": 61240, "file": "cuda_dnn.cc"},
        ),
        (
            "2026-01-06 08:02:51.337120: E external/local_xla/xla/cuda_fft.cc:477] Unable to register cuFFT factory",
            "Unable to register cuFFT factory",
            {"level": "error"},
        ),
        (
            "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 17)",
            "failed (exitcode: 1) local_rank: 0 (pid: 17)",
            {"level": "error"},
        ),
        (
            "[2024-03-01 10:00:00,123] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1)",
            "failed (exitcode: 1)",
            {"level": "error"},
        ),
        ("F1130 00:48:47.5 op.cc:1651] ncclCommInitRank failed", "ncclCommInitRank failed", {"level": "fatal"}),
    ],
)
def test_spellings(line: str, text: str, fields: dict[str, Value]) -> None:
    found = take(line)
    assert found is not None
    assert found.text == text
    assert fields.items() <= found.fields.items()
    assert "pid" not in found.fields or "pid" in fields


def test_time() -> None:
    absl = take("E0000 00:00:1767686571.351004   61240 cuda_dnn.cc:8310] x")
    assert absl is not None
    assert absl.time is not None
    assert (absl.time.kind, round(absl.time.seconds)) == ("zoned", 1767686571)
    torch = take("[E311 10:02:11.5 ProcessGroupNCCL.cpp:632] x")
    assert torch is not None
    assert torch.time is not None
    assert torch.time.kind == "naive"


def test_prefix_rank_is_kept() -> None:
    found = take("[E1130 00:48:47.5 P.cpp:1] [Rank 1] dump signal from rank 0", rank="0")
    assert found is not None
    assert found.fields["rank"] == "0"


def test_frames_belong_to_it() -> None:
    found = take(
        "[E1130 00:51:33.1 P.cpp:2119] [Rank 1] Process group watchdog thread terminated with exception: CUDA error\n"
        "CUDA kernel errors might be asynchronously reported at some other API call.\n"
        "\n"
        "Exception raised from checkTimeout at P.cpp:692 (most recent call first):\n"
        "frame #0: c10::Error::Error(c10::SourceLocation) + 0x9d (0x7f in libc10.so)\n"
        "\n"
        "terminate called after throwing an instance of 'c10::DistBackendError'"
    )
    assert found is not None
    assert len(found.lines) == 5
    stack = take("[E1130 00:48:51.0 P.cpp:733] Stack trace of the failed collective: \n#0 all_reduce from a.py:3068\n\nx")
    assert stack is not None
    assert stack.text.endswith("a.py:3068")


@pytest.mark.parametrize(
    "following",
    ["step 11 loss 0.0833 rank 1", "Traceback (most recent call last):", "node07:1:2 [0] NCCL INFO x", "ValueError: x", ""],
)
def test_ends_before(following: str) -> None:
    found = take("[E1130 00:48:47.5 P.cpp:689] [Rank 0] Watchdog caught collective operation timeout\n" + following)
    assert found is not None
    assert len(found.lines) == 1


@pytest.mark.parametrize("line", ["", "[ERROR] x", "E: Unable to locate package", "I think [E1] is odd"])
def test_others(line: str) -> None:
    assert take(line) is None


@settings(max_examples=200)
@given(st.sampled_from("EWIF"), st.text(max_size=30), st.lists(st.text(max_size=30), max_size=4))
def test_never_raises(level: str, text: str, more: list[str]) -> None:
    found = Glog().take([Line(1, f"[{level}1330 25:61:99.5 {text}:1] {text}", ""), *(Line(2, t, t) for t in more)], 0)
    assert found is None or 1 <= len(found.lines) <= 1 + len(more)
