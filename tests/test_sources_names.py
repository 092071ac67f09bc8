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
        ("worker-3", {}),
        ("dgx-a100-07/dmesg.txt", {"host": "dgx-a100-07"}),
        ("logs/ip-10-0-0-7.dmesg", {"host": "ip-10-0-0-7"}),
        ("var/log/pods/ml_trainer-0_3b1c4c2e-0001-4bb2-8d7f-111111111111/main/1.log", {"pod": "trainer-0"}),
        (f"containers/trainer-0_ml_main-{'9f' * 32}.log", {"pod": "trainer-0"}),
        ("must-gather/namespaces/ml/pods/trainer-0/main/main/logs/current.log", {"pod": "trainer-0"}),
        (f"logs/worker-{'0e' * 28}-01000000-5001.err", {"pid": "5001"}),
        (f"logs/python-core-worker-{'0e' * 28}_5001.log", {"pid": "5001"}),
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
