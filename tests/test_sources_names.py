"""What file names tell about rank and node."""

from __future__ import annotations

import pytest

from triage.sources.names import name_fields


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("run/none_x1/attempt_0/2/stderr.log", {"local_rank": "2"}),
        ("attempt_1/10/stdout.log", {"local_rank": "10"}),
        ("rank3.log", {"rank": "3"}),
        ("logs/rank_3/train.log", {"rank": "3"}),
        ("nccl-rank0.log", {"rank": "0"}),
        ("nccl_trace_rank_12", {"rank": "12"}),
        ("node07-rank3.log", {"rank": "3", "host": "node07"}),
        ("worker-3", {"rank": "3"}),
        ("local_rank_4.log", {"local_rank": "4"}),
        ("bundle.tar.gz!rank7.log", {"rank": "7"}),
        ("C:\\logs\\rank_5.log", {"rank": "5"}),
        ("exp-rank1/logs/train.log", {}),
        ("lora-rank16/train.log", {}),
        ("train-lora-rank16.log", {}),
        ("lora_rank16_rank3.log", {"rank": "3"}),
        ("logs/node07-rank3/stderr.log", {"rank": "3", "host": "node07"}),
        ("out/gpu-a01_rank12/err.txt", {"rank": "12"}),
        ("out/local_rank_2/err.txt", {"local_rank": "2"}),
        ("ranks/rank1/rank2.log", {"rank": "2"}),
        ("worker-0e1f22-01000000-4242.out", {}),
        ("train-worker-3.log", {}),
        ("franking3.log", {}),
        ("dmesg.txt", {}),
        ("slurm-81234.out", {}),
        ("", {}),
    ],
)
def test_names(path: str, fields: dict[str, str]) -> None:
    assert name_fields(path) == fields
