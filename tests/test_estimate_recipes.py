"""Bytes of the usual recipes against the figures that are published for them."""

from __future__ import annotations

import pytest

from triage.estimate.recipes import CACHE_BITS, MOMENTS, RECIPES, WEIGHT_BITS, Optimizer, Precision

GIB = 2**30
LLAMA_3_8B = 8_030_261_248


@pytest.mark.parametrize(
    ("precision", "bytes_"),
    [(Precision.fp32, 16), (Precision.autocast, 18), (Precision.mixed, 18), (Precision.mixed_half, 16), (Precision.bf16, 8)],
)
def test_adamw_by_bytes_a_parameter(precision, bytes_):
    """ml-engineering: 16 in 32 bits; 18 mixed, 16 with 16-bit gradients; pure bf16 8."""
    recipe, moments = RECIPES[precision], MOMENTS[Optimizer.adamw]
    assert recipe.weights + recipe.copies + recipe.gradients + recipe.master + moments.kept * recipe.moment == bytes_


@pytest.mark.parametrize(
    ("kind", "gib"),  # llama.cpp tools/quantize/README.md, sizes of Llama 3.1 8B
    [("q8_0", 7.95), ("q6_k", 6.14), ("q5_k_m", 5.33), ("q4_k_m", 4.58), ("q4_k_s", 4.36), ("q2_k", 2.95), ("fp16", 14.96)],
)
def test_bits_of_a_weight_give_the_size_of_the_file(kind, gib):
    assert LLAMA_3_8B * WEIGHT_BITS[kind] / 8 / GIB == pytest.approx(gib, abs=0.01)


def test_every_choice_has_its_numbers():
    assert set(RECIPES) == set(Precision)
    assert set(MOMENTS) == set(Optimizer)
    assert set(CACHE_BITS) < set(WEIGHT_BITS)
    for recipe in RECIPES.values():
        assert recipe.compute <= recipe.residual
        assert recipe.copies in (0, recipe.compute)
