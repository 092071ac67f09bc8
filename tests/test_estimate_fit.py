"""What fits: the largest batch is the largest, and the options are real changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triage.estimate.architecture import Architecture
from triage.estimate.fit import fit
from triage.estimate.memory import Training, need
from triage.estimate.quantities import GIB
from triage.estimate.recipes import Optimizer, Precision

SMALL = Architecture(layers=12, hidden=1024, heads=16, vocab=32000)
LLAMA = Architecture(layers=32, hidden=4096, heads=32, vocab=32000, intermediate=11008, gated=True, rms_norm=True)


@pytest.mark.parametrize("precision", list(Precision))
def test_one_more_than_the_largest_does_not_fit(precision):
    plan = Training(SMALL.parameters, SMALL, precision=precision, sequence=1024, gpu_memory_bytes=24 * GIB)
    found = fit(plan)
    for field, most in (("batch", found.largest_batch), ("sequence", found.largest_sequence)):
        assert need(replace(plan, **{field: most})).total_bytes <= 24 * GIB
        assert need(replace(plan, **{field: most + 1})).total_bytes > 24 * GIB
    assert found.fits
    assert found.spare_bytes == pytest.approx(24 * GIB - found.need.total_bytes)


def test_a_full_fine_tune_of_7b_does_not_fit_80_gb():
    found = fit(Training(LLAMA.parameters, LLAMA, gpu_memory_bytes=79.1 * GIB))
    assert found.fits is False
    assert found.largest_batch == 0
    assert "not even one sequence fits" in found.answer
    assert found.dominant.startswith("optimizer")
    changes = {one.change: one for one in found.options}
    assert changes["checkpointing, LoRA of rank 16"].fits
    assert not changes["AdamW(fused=True)"].fits
    assert all(one.total_bytes < found.need.total_bytes for one in found.options)


def test_others_on_the_card_count():
    plan = Training(10**9, gpu_memory_bytes=24 * GIB)
    assert fit(plan).fits
    assert not fit(replace(plan, others_bytes=10 * GIB)).fits


def test_sharding_over_the_own_gpus_comes_before_more_gpus():
    found = fit(Training(LLAMA.parameters, LLAMA, gpus=8, gpu_memory_bytes=79.1 * GIB))
    names = [one.change for one in found.options]
    assert names.index("checkpointing, zero3 over the 8 GPUs") == names.index("checkpointing, zero2 over the 8 GPUs") + 1
    alone = fit(Training(70 * 10**9, gpu_memory_bytes=79.1 * GIB))
    assert any(one.change == "zero3 over 32 GPUs" and one.fits for one in alone.options)


def test_what_dominates_names_its_remedy():
    many = fit(Training(SMALL.parameters, SMALL, batch=64, gpu_memory_bytes=GIB, optimizer=Optimizer.adamw_fused))
    assert many.dominant.startswith("activations")
    assert "checkpointing" in many.dominant


def test_without_a_card_the_need_is_told_all_the_same():
    found = fit(Training(10**9))
    assert (found.fits, found.largest_batch, found.options) == (None, None, ())
    assert "give --gpu-memory" in found.answer
    assert "activations are not counted" in found.answer
