"""Parameter counts against published models, and what `config.json` says."""

from __future__ import annotations

import json

import pytest

from triage.estimate.architecture import Architecture, build, from_config, read_config, read_words
from triage.estimate.quantities import Unsuitable

# The fields of the published configurations that count; parameters as their model cards and safetensors indices tell.
LLAMA_2_7B = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}
LLAMA_3_8B = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}
LLAMA_3_70B = {"model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}
MISTRAL_7B = {"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}
GPT2 = {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [(LLAMA_2_7B, 6_738_415_616), (LLAMA_3_8B, 8_030_261_248), (LLAMA_3_70B, 70_553_706_496), (MISTRAL_7B, 7_241_732_096)],
)
def test_parameters_of_published_models(config, parameters):
    assert from_config(config).parameters == parameters


def test_biases_are_all_that_is_left_out():
    # GPT-2: 124,439,808 with biases of matrices and norms.
    assert from_config(GPT2).parameters == pytest.approx(124_439_808, rel=1e-3)


def test_what_a_config_tells_beside_sizes():
    shape = from_config(LLAMA_3_8B)
    assert (shape.gated, shape.rms_norm, shape.tied, shape.fused_qkv, shape.key, shape.query) == (True, True, False, False, 1024, 4096)
    old = from_config(GPT2)
    assert (old.gated, old.rms_norm, old.tied, old.fused_qkv, old.positions, old.intermediate) == (False, False, True, True, 1024, 3072)
    assert from_config({"model_type": "gemma3", "text_config": {**LLAMA_3_8B, "model_type": "gemma3_text", "tie_word_embeddings": True}}).tied


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({**LLAMA_3_8B, "num_local_experts": 8}, "mixture of experts"),
        ({**LLAMA_3_8B, "kv_lora_rank": 512}, "latent attention"),
        ({"vocab_size": 3}, "does not name num_hidden_layers and hidden_size"),
    ],
)
def test_what_is_not_modelled_is_said(config, words):
    with pytest.raises(Unsuitable, match=words):
        from_config(config)


def test_files(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA_2_7B))
    assert read_config(path).layers == 32
    for text in ("[]", "{", "\x00"):
        path.write_text(text)
        with pytest.raises(Unsuitable):
            read_config(path)
    with pytest.raises(Unsuitable, match="could not be read"):
        read_config(tmp_path / "none.json")


def test_lora_counts_rows_and_columns():
    shape = Architecture(layers=32, hidden=4096, heads=32, vocab=32000)
    assert shape.lora_parameters(64) == 33_554_432
    assert shape.lora_parameters(8) == 4_194_304
    assert from_config(LLAMA_3_8B).lora_parameters(8, ("k_proj",)) == 32 * 8 * (4096 + 1024)
    with pytest.raises(Unsuitable, match="known are q_proj"):
        shape.lora_parameters(8, ("c_attn",))


def test_shapes_that_cannot_be():
    with pytest.raises(Unsuitable, match="must divide the number of heads"):
        Architecture(layers=1, hidden=64, heads=8, kv_heads=3, vocab=10)
    with pytest.raises(Unsuitable, match="layers must be a positive whole number"):
        Architecture(layers=0, hidden=64, heads=8, vocab=10)


def test_shapes_in_words():
    shape = build(read_words("layers=32, hidden=4096,heads=32,kv_heads=8,vocab=128256,intermediate=14336,gated,rms_norm=1,tied=0"))
    assert shape == from_config(LLAMA_3_8B)


@pytest.mark.parametrize(
    ("text", "words"),
    [("depth=3", "holds 'depth'; known are layers"), ("layers", "whole number for layers"), ("layers=-1", "whole number"), ("layers=3,hidden=4", "does not name heads and vocab"), ("", "does not name layers")],
)
def test_words_that_are_no_shape(text, words):
    with pytest.raises(Unsuitable, match=words):
        build(read_words(text))
