"""Memory of a model that answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.measured import cases
from triage.estimate.architecture import Architecture
from triage.estimate.quantities import GIB, Unsuitable
from triage.estimate.serving import Serving, cache_per_token, serve

LLAMA_8B = Architecture(layers=32, hidden=4096, heads=32, kv_heads=8, vocab=128256, intermediate=14336, gated=True)
GB = 1e9


def test_the_cache_counts_grouped_heads_once_and_both_k_and_v():
    assert cache_per_token(LLAMA_8B) == 131_072
    assert cache_per_token(LLAMA_8B, bits=8) == 65_536


def test_a_kv_head_is_never_divided():
    assert cache_per_token(LLAMA_8B, gpus=8) == 131_072 / 8
    assert cache_per_token(LLAMA_8B, gpus=16) == 131_072 / 8


@pytest.mark.parametrize(
    ("parameters", "weights", "gb"),
    [(9_000_000_000, "q4_k_m", 5.5), (14_000_000_000, "bf16", 28), (8_030_000_000, "q4_k_m", 4.92), (8_030_000_000, "q8_0", 8.54), (13e9, "nf4", 6.7)],
)
def test_weights_by_type(parameters, weights, gb):
    """Q4_K_M and Q8_0 of Llama 3.1 8B are files of 4.58 and 7.95 GiB (llama.cpp)."""
    assert serve(Serving(int(parameters), weights=weights)).weights_bytes / GB == pytest.approx(gb, rel=0.01)


def test_what_is_left_is_cache():
    plan = Serving(LLAMA_8B.parameters, LLAMA_8B, context=8192, sequences=4, gpu_memory_bytes=79.1 * GIB)
    found = serve(plan)
    assert found.usable_bytes == pytest.approx(0.9 * 79.1 * GIB)
    assert found.cache_bytes == 4 * 8192 * 131_072
    assert found.fits
    assert found.most_sequences == found.cache_tokens // 8192
    full = serve(replace(plan, sequences=found.most_sequences))
    assert full.fits
    assert not serve(replace(plan, sequences=found.most_sequences + 1)).fits


def test_what_others_hold_is_not_there():
    plan = Serving(LLAMA_8B.parameters, LLAMA_8B, gpu_memory_bytes=24 * GIB)
    assert serve(plan).fits
    assert not serve(replace(plan, others_bytes=10 * GIB)).fits


def test_a_14b_model_fits_two_cards_of_24_gb_and_not_one():
    for gpus, fits in ((1, False), (2, True)):
        assert serve(Serving(14_000_000_000, gpus=gpus, gpu_memory_bytes=23.6 * GIB)).fits is fits


def test_without_shape_or_card():
    found = serve(Serving(10**9))
    assert (found.fits, found.cache_bytes) == (None, None)
    assert "the cache is not counted" in serve(Serving(10**9, gpu_memory_bytes=GIB * 24)).answer


@pytest.mark.parametrize("wrong", [{"weights": "q5"}, {"cache": "nf4"}, {"share": 1.2}, {"context": 0}])
def test_wrong_inputs(wrong):
    with pytest.raises(Unsuitable):
        Serving(10**9, **wrong)


@pytest.mark.parametrize("case", cases("serving"), ids=lambda case: case.name)
def test_it_is_what_a_real_gpu_needed(case):
    """Within 1 % of torch.cuda.max_memory_allocated() on an H200."""
    found = serve(case.plan)
    assert found.weights_bytes + found.cache_bytes + found.work_bytes == pytest.approx(case.allocated_bytes, rel=0.01)
