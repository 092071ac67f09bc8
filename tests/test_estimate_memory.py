"""Memory of a training step: published sums, sharding, and the measurement on a real GPU."""

from __future__ import annotations

import pytest

from tests.measured import cases
from triage.estimate.architecture import Architecture
from triage.estimate.memory import Training, need
from triage.estimate.quantities import Unsuitable
from triage.estimate.recipes import Optimizer, Precision, Sharding

LLAMA = Architecture(layers=32, hidden=4096, heads=32, vocab=32000, intermediate=11008, gated=True, rms_norm=True)
GB = 1e9


@pytest.mark.parametrize(
    ("parameters", "precision", "gb"),
    [
        (13_000_000_000, Precision.fp32, 208), (13_000_000_000, Precision.mixed_half, 208), (13_000_000_000, Precision.mixed, 234),
        (6_740_000_000, Precision.fp32, 107.84), (6_740_000_000, Precision.mixed, 121.32),
    ],
)  # fmt: skip
def test_weights_gradients_and_optimizer(parameters, precision, gb):
    """16 or 18 bytes a parameter; not the 24 and 12 of a popular formula (312 and 156 GB for 13 billion)."""
    assert need(Training(parameters, precision=precision)).states_bytes / GB == pytest.approx(gb)


@pytest.mark.parametrize(
    ("optimizer", "bytes_"),
    [(Optimizer.adamw, 16), (Optimizer.adamw_fused, 16), (Optimizer.adamw_8bit, 10), (Optimizer.sgd_momentum, 12), (Optimizer.sgd, 8)],
)
def test_optimizers_by_bytes_a_parameter(optimizer, bytes_):
    assert need(Training(1000, precision=Precision.fp32, optimizer=optimizer)).states_bytes == 1000 * bytes_


def test_the_step_of_the_default_adamw_makes_one_more_list():
    plain, fused = (need(Training(1000, precision=Precision.fp32, optimizer=o)) for o in (Optimizer.adamw, Optimizer.adamw_fused))
    assert plain.step_peak_bytes - fused.step_peak_bytes == 4000


def test_autocast_copies_live_with_the_activations_only():
    found = need(Training(LLAMA.parameters, LLAMA, batch=8))
    assert found.autocast_copies_bytes == 2 * LLAMA.matrix_parameters
    assert found.backward_peak_bytes == pytest.approx(
        found.weights_bytes + found.optimizer_bytes + found.autocast_copies_bytes + found.activations_bytes + found.logits_bytes
    )
    assert found.step_peak_bytes == pytest.approx(20 * LLAMA.parameters)
    assert found.tensors_bytes == max(found.backward_peak_bytes, found.step_peak_bytes)


def test_replicas_add_no_memory_but_buckets():
    """Nine cards of 24 GB are not one of 216: each holds everything, and the buckets of the gradients."""
    one, nine = need(Training(10**9)), need(Training(10**9, gpus=9))
    assert nine.states_bytes == one.states_bytes
    assert nine.ddp_buckets_bytes == nine.gradients_bytes
    assert nine.tensors_bytes == one.tensors_bytes + one.gradients_bytes
    assert need(Training(10**9, gpus=9, bucket_view=True)).tensors_bytes == one.tensors_bytes


@pytest.mark.parametrize(
    ("sharding", "weights", "gradients", "optimizer"),
    [(Sharding.zero1, 2, 4, 1.5), (Sharding.zero2, 2, 0.5, 1.5), (Sharding.zero3, 0.25, 0.5, 1.5)],
)
def test_zero_divides_part_after_part(sharding, weights, gradients, optimizer):
    """6 + 12 / n bytes a parameter with the distributed optimizer of Megatron, and so on."""
    found = need(Training(1000, precision=Precision.mixed, gpus=8, sharding=sharding))
    assert (found.weights_bytes, found.gradients_bytes, found.optimizer_bytes) == (1000 * weights, 1000 * gradients, 1000 * optimizer)


def test_tensor_and_pipeline_parallel_count_once():
    """Sharding divides by the data-parallel GPUs, 16 / (2 x 4) = 2, not by all of them."""
    found = need(Training(1000, precision=Precision.mixed, gpus=16, tensor_parallel=2, pipeline_parallel=4, sharding=Sharding.zero1))
    assert found.weights_bytes == 1000 * 2 / 8
    assert found.optimizer_bytes == 1000 * 12 / 8 / 2


def test_lora_trains_its_adapters_only():
    found = need(Training(LLAMA.parameters, LLAMA, lora_rank=64))
    assert found.trained_parameters == 33_554_432
    assert found.trained_percent == pytest.approx(0.498, abs=0.001)
    assert found.gradients_bytes == 4 * 33_554_432
    assert found.weights_bytes == 2 * LLAMA.parameters + 4 * 33_554_432
    four = need(Training(LLAMA.parameters, LLAMA, lora_rank=64, frozen_weights="nf4"))
    assert four.weights_bytes / GB == pytest.approx(6.738 * 4.127 / 8 + 0.134, rel=0.01)


def test_without_a_shape_activations_are_unknown_not_zero():
    found = need(Training(10**9))
    assert found.activations_bytes is None
    assert need(Training(10**9, activations_bytes=5.0)).activations_bytes == 5.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"batch": 0}, "batch must be a positive whole number"), ({"gpus": 3, "tensor_parallel": 2}, "multiple of --tensor-parallel"),
        ({"lora_rank": 8}, "needs the shape"), ({"frozen_weights": "int3"}, "must be one of fp32"), ({"others_bytes": -1}, "0 or more"),
        ({"gpu_memory_bytes": 0}, "above 0"),
    ],
)  # fmt: skip
def test_wrong_inputs_say_what_is_needed(wrong, words):
    with pytest.raises(Unsuitable, match=words):
        Training(10**9, **wrong)


@pytest.mark.parametrize("case", cases("training"), ids=lambda case: case.name)
def test_it_is_what_a_real_gpu_needed(case):
    """Within 3 % of torch.cuda.max_memory_allocated() on an H200, for every way to train that was measured."""
    assert case.plan.parameters == pytest.approx(case.parameters, rel=0.005)
    assert need(case.plan).tensors_bytes == pytest.approx(case.allocated_bytes, rel=0.03)


def test_the_reserve_covers_what_a_real_gpu_held_beside_the_tensors():
    for case in cases("training"):
        held = case.reserved_bytes + case.outside_bytes
        assert need(case.plan).total_bytes == pytest.approx(held, rel=0.15)
