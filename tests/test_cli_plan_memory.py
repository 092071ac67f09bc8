"""`triage plan memory`: training, serving and what would have fitted."""

from __future__ import annotations

import pytest

from tests.planned import CONFIG, LLAMA, data, refused, run


def test_a_step_that_does_not_fit():
    found = data(f"memory training {LLAMA} --gpu-memory 80GB --batch 2")
    assert found["inputs"]["batch"] == {"value": 2, "origin": "given"}
    assert found["inputs"]["parameters"] == {"value": 8030261248, "origin": "computed"}
    assert found["result"]["fits"] is False
    assert any(option["fits"] for option in found["result"]["options"])


def test_every_way_to_train_can_be_asked_for():
    ways = "--precision mixed-half --optimizer adamw-8bit --attention eager --sharding zero2 --gpus 8 --checkpointing --dropout"
    found = data(f"memory training {LLAMA} --gpu-memory 80GB {ways} --lora-rank 8 --lora-target q_proj --lora-target down_proj")
    assert found["inputs"]["lora_targets"]["value"] == ["q_proj", "down_proj"]
    assert found["result"]["trained_parameters"] == 32 * 8 * (4096 + 4096 + 14336 + 4096)


def test_a_configuration_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(CONFIG)
    found = data(f"memory serving --config {path} --shape layers=16 --gpu-memory 24GB")
    assert found["inputs"]["kv_heads"] == {"value": 8, "origin": "config"}
    assert found["inputs"]["layers"] == {"value": 16, "origin": "given"}
    assert found["result"]["cache_per_token_bytes"] == 65536


def test_the_numbers_of_a_message():
    line = ["memory", "oom", "--requested", "4.00 GiB", "--free", "989.12 MiB", "--total", "139.80 GiB", "--allocated", "137.07 GiB", "--idle", "1.03 GiB"]
    assert "at most 98 % of the batch fits" in " ".join(run(line).stdout.split())
    known = run([*line, "--batch", "64", "--parameters", "6B", "--gpus", "2"]).stdout
    assert "a batch of at most 61" in known
    assert '{0: "133GiB", 1: "133GiB"}' in known


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("training", "--parameters is needed"), ("training --shape layers=3", "--shape does not name hidden and heads and vocab"), ("training --parameters 7B --batch 0", "--batch must be a positive whole number"),
        ("training --shape depth=3", "--shape holds 'depth'; known are layers, hidden"), ("training --shape layers=x", "--shape needs a whole number for layers"),
        ("training --parameters x", "'x' is not a number; write e.g. 7B"), ("serving --parameters 7B --gpu-memory 24", "with its unit"),
        ("serving --parameters 7B --weights q9", "--weights must be one of fp32"), ("training --config /no/such.json", "--config could not be read"),
        ("oom --requested <requested> --free 1GiB --total 2GiB", "copy it from the message"), ("oom --requested 1GiB --free 1GiB", "Missing option '--total'"),
        ("oom --requested 1GiB --free 1GiB --total 9GiB --parameters 7B", "--fixed must not be more than was allocated"),
    ],
)  # fmt: skip
def test_errors_name_the_option_and_what_to_do(line, words):
    refused(f"memory {line}", words)
