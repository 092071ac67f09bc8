"""The shape of a transformer: how many parameters it has, and what a model's `config.json` says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from triage import lazy
from triage.estimate.quantities import Unsuitable, whole

# Spellings of the same field in the `config.json` of transformers' models; GPT-2's come last.
_KEYS = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "hidden": ("hidden_size", "n_embd", "d_model"),
    "heads": ("num_attention_heads", "n_head"),
    "kv_heads": ("num_key_value_heads", "multi_query_group_num"),
    "head_dim": ("head_dim",),
    "intermediate": ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"),
    "vocab": ("vocab_size",),
}
_NEEDED = ("layers", "hidden", "heads", "vocab")
# Models whose MLP multiplies two projections (SwiGLU, GeGLU): three matrices instead of two.
_GATED = frozenset((
    "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "gemma3_text", "phi3", "olmo", "olmo2",
    "granite", "cohere", "internlm2", "smollm3",
))  # fmt: skip
_FUSED_QKV = frozenset(("gpt2", "gpt_neox", "bloom", "falcon", "phi3"))
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
_LATENT = ("kv_lora_rank",)
# Matrices that LoRA adapts, by the names that transformers and peft use: (rows, columns) in the fields below.
_ADAPTED = {
    "q_proj": ("hidden", "query"), "k_proj": ("hidden", "key"), "v_proj": ("hidden", "key"),
    "o_proj": ("query", "hidden"), "gate_proj": ("hidden", "intermediate"), "up_proj": ("hidden", "intermediate"),
    "down_proj": ("intermediate", "hidden"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Architecture:
    """A decoder of equal layers. `kv_heads`, `head_dim` and `intermediate` default as in transformers' configurations.

    `gated` is an MLP of three matrices, `fused_qkv` one matrix for queries, keys and values, `rms_norm` a norm written
    out in Python (transformers' LlamaRMSNorm), `tied` an output head that shares the embedding, `positions` the length
    of a learned table of positions.
    """

    layers: int
    hidden: int
    heads: int
    vocab: int
    kv_heads: int = 0
    head_dim: int = 0
    intermediate: int = 0
    gated: bool = False
    fused_qkv: bool = False
    rms_norm: bool = False
    tied: bool = False
    positions: int = 0

    def __post_init__(self) -> None:
        whole(layers=self.layers, hidden=self.hidden, heads=self.heads, vocab=self.vocab)
        defaults = {"kv_heads": self.heads, "head_dim": self.hidden // self.heads, "intermediate": 4 * self.hidden}
        for name, value in defaults.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)
        whole(kv_heads=self.kv_heads, head_dim=self.head_dim, intermediate=self.intermediate)
        if self.heads % self.kv_heads:
            raise Unsuitable("kv_heads", f"must divide the number of heads ({self.heads})")

    @property
    def query(self) -> int:
        """Width of the queries of one token."""
        return self.heads * self.head_dim

    @property
    def key(self) -> int:
        """Width of the keys of one token, and of its values."""
        return self.kv_heads * self.head_dim

    @property
    def layer_parameters(self) -> int:
        """Matrices and norms of one layer; biases are left out (below 0.1 % where there are any)."""
        attention = self.hidden * (2 * self.query + 2 * self.key)
        mlp = (3 if self.gated else 2) * self.hidden * self.intermediate
        return attention + mlp + 2 * self.hidden

    @property
    def parameters(self) -> int:
        """All parameters: layers, embedding, positions, last norm, output head.

        Exact for Llama 2 7B (6,738,415,616) and Llama 3.1 8B (8,030,261,248).
        """
        embeddings = self.vocab * self.hidden * (1 if self.tied else 2) + self.positions * self.hidden
        return self.layers * self.layer_parameters + embeddings + self.hidden

    @property
    def matrix_parameters(self) -> int:
        """Parameters that take part in matrix products: what autocast makes 16-bit copies of."""
        return self.layers * (self.layer_parameters - 2 * self.hidden) + self.vocab * self.hidden

    def lora_parameters(self, rank: int, targets: tuple[str, ...] = ("q_proj", "v_proj")) -> int:
        """Trained parameters of LoRA: rank x (rows + columns) for each adapted matrix (arXiv 2106.09685, 4.1)."""
        whole(lora_rank=rank)
        return self.layers * rank * sum(sum(self.adapted(name)) for name in targets)

    def adapted(self, name: str) -> tuple[int, int]:
        """Rows and columns of a matrix of each layer that LoRA can adapt. Raises Unsuitable for another name."""
        if name not in _ADAPTED:
            raise Unsuitable("lora_targets", f"holds {name!r}; known are {', '.join(_ADAPTED)}")
        rows, columns = _ADAPTED[name]
        return getattr(self, rows), getattr(self, columns)


def read_words(text: str) -> dict[str, Any]:
    """Fields out of `layers=32,hidden=4096,gated`. Raises Unsuitable for a name or a number that is none."""
    flags = {one.name: one.type == "bool" for one in fields(Architecture)}
    found: dict[str, Any] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = word.partition("=")
        if name not in flags:
            raise Unsuitable("shape", f"holds {name!r}; known are {', '.join(flags)}")
        if flags[name] and not value:
            value = "1"
        if not lazy.pattern(r"[0-9]{1,12}").fullmatch(value):
            raise Unsuitable("shape", f"needs a whole number for {name}, as in layers=32,hidden=4096,heads=32")
        found[name] = bool(int(value)) if flags[name] else int(value)
    return found


def build(known: Mapping[str, Any]) -> Architecture:
    """The shape with these fields. Raises Unsuitable where one is missing or impossible."""
    missing = [name for name in _NEEDED if not known.get(name)]
    if missing:
        raise Unsuitable("shape", f"does not name {' and '.join(missing)}")
    return Architecture(**known)


def _first(config: Mapping[str, Any], names: tuple[str, ...]) -> int:
    value = next((config[name] for name in names if isinstance(config.get(name), int)), 0)
    return int(value)


def from_config(config: Mapping[str, Any]) -> Architecture:
    """The shape that a transformers `config.json` describes. Raises Unsuitable where it cannot be told from it."""
    inner = config.get("text_config")
    if isinstance(inner, Mapping):  # of a model that also sees or hears, the part that writes
        config = {**config, **inner}
    if any(config.get(name) for name in _EXPERTS):
        raise Unsuitable("config", "describes a mixture of experts, which is not modelled")
    if any(config.get(name) for name in _LATENT):
        raise Unsuitable("config", "describes latent attention (MLA), whose cache is not modelled")
    found = {field: _first(config, names) for field, names in _KEYS.items()}
    missing = [field for field in _NEEDED if not found[field]]
    if missing:
        names = " and ".join(_KEYS[field][0] for field in missing)
        raise Unsuitable("config", f"does not name {names}: is it the config.json of a transformer?")
    kind = str(config.get("model_type", ""))
    old = "n_embd" in config  # GPT-2: learns its positions
    return Architecture(
        **found,
        gated=kind in _GATED,
        fused_qkv=kind in _FUSED_QKV,
        rms_norm="rms_norm_eps" in config,
        tied=bool(config.get("tie_word_embeddings", old or kind.startswith("gemma"))),  # their classes tie by default
        positions=_first(config, ("n_positions",)) if old else 0,
    )


def read_config(path: Path) -> Architecture:
    """The shape in the file `path`. Raises Unsuitable if it is not a transformer's `config.json`."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unsuitable("config", f"could not be read: {error}") from None
    if not isinstance(config, dict):
        raise Unsuitable("config", "is not a JSON object")
    return from_config(config)
