"""The activation formula against the paper it comes from, and how it grows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.estimate.activations import activations
from triage.estimate.architecture import Architecture
from triage.estimate.quantities import Unsuitable
from triage.estimate.recipes import RECIPES, Attention, Precision

GPT = Architecture(layers=96, hidden=12288, heads=96, vocab=51200)  # the 175B model of arXiv 2205.05198
LAST = 12288 * 4  # its last norm and the input of the head, bytes of a token


def test_it_is_equation_1_of_the_paper():
    """s b h L (34 + 5 a s / h) bytes, with dropout and stored scores."""
    s, b, h, a, layers = 2048, 1, GPT.hidden, GPT.heads, GPT.layers
    found = activations(GPT, RECIPES[Precision.mixed], b, s, attention=Attention.eager, dropout=True)
    assert found.kept_bytes - s * b * LAST == s * b * h * layers * (34 + 5 * a * s / h)


def test_full_recomputation_keeps_the_inputs_of_layers():
    """2 s b h L bytes."""
    s, b = 2048, 4
    found = activations(GPT, RECIPES[Precision.mixed], b, s, checkpointing=True)
    assert found.kept_bytes - s * b * LAST == 2 * s * b * GPT.hidden * GPT.layers
    assert found.layer_bytes > activations(GPT, RECIPES[Precision.mixed], b, s).layer_bytes


def test_logits_are_counted_with_their_gradients():
    found = activations(GPT, RECIPES[Precision.autocast], 1, 10)
    assert found.head_bytes == 10 * GPT.vocab * (2 + 4 + 4 + 4)
    assert found.peak_bytes == found.kept_bytes + max(found.head_bytes, found.layer_bytes)


def test_autocast_converts_for_each_matrix():
    apart = Architecture(layers=1, hidden=1000, heads=10, vocab=10)
    fused = Architecture(layers=1, hidden=1000, heads=10, vocab=10, fused_qkv=True)
    autocast, half = RECIPES[Precision.autocast], RECIPES[Precision.bf16]
    assert activations(apart, autocast, 1, 1).kept_bytes - activations(fused, autocast, 1, 1).kept_bytes == 2 * 2 * 1000
    assert activations(apart, half, 1, 1).kept_bytes == activations(fused, half, 1, 1).kept_bytes


def test_lora_keeps_less_than_full_training():
    shape = Architecture(layers=4, hidden=512, heads=8, vocab=100, intermediate=2048, gated=True, rms_norm=True)
    recipe = RECIPES[Precision.bf16]
    full, some = activations(shape, recipe, 1, 64), activations(shape, recipe, 1, 64, adapted=("q_proj", "v_proj"))
    assert 0.5 * full.kept_bytes < some.kept_bytes < full.kept_bytes
    more = activations(shape, recipe, 1, 64, adapted=("q_proj", "v_proj", "down_proj"))
    assert more.kept_bytes - some.kept_bytes == 64 * 4 * 2048 * 2


@given(st.integers(1, 64), st.integers(1, 4096), st.sampled_from(list(Precision)), st.sampled_from(list(Attention)))
def test_the_batch_counts_linearly_and_the_sequence_at_least_so(batch, sequence, precision, attention):
    shape = Architecture(layers=2, hidden=64, heads=4, vocab=100, kv_heads=2)
    one = activations(shape, RECIPES[precision], 1, sequence, attention=attention)
    many = activations(shape, RECIPES[precision], batch, sequence, attention=attention)
    assert many.peak_bytes == pytest.approx(batch * one.peak_bytes)
    twice = activations(shape, RECIPES[precision], 1, 2 * sequence, attention=attention)
    assert twice.kept_bytes == pytest.approx(2 * one.kept_bytes) if attention is Attention.fused else twice.kept_bytes > 2 * one.kept_bytes


def test_a_batch_is_whole():
    with pytest.raises(Unsuitable):
        activations(GPT, RECIPES[Precision.fp32], 0, 1)
