"""GPU memory of a model that answers: weights, cache of keys and values, working memory.

The cache takes 2 x layers x KV heads x head width x bytes for each token (K and V; grouped heads count once), the
engine gets `share` of the card (vLLM: gpu_memory_utilization), and what is left after weights, CUDA context and the
working memory of one batch is the cache. Sources: https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
and the start-up lines of vLLM; arXiv 2305.13245 (grouped heads). Llama 3.1 8B in 16 bits: 131,072 bytes a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from triage.decode.phrases import size
from triage.estimate.architecture import Architecture
from triage.estimate.memory import CONTEXT_BYTES, NCCL_BYTES
from triage.estimate.quantities import Unsuitable, not_negative, positive, share, whole
from triage.estimate.recipes import CACHE_BITS, WEIGHT_BITS

ASSUMES = (
    "all weights in one type; engines often keep embedding and head at 16 bits",
    "every layer attends to all tokens; sliding windows and state-space layers need less cache",
    "tokens of one batch run through one layer after the other without CUDA graphs, which take more",
    "measured on one H200, two small decoders that fill their cache: within 1 %",
)
SOURCES = (
    "https://docs.vllm.ai/en/latest/configuration/conserving_memory.html",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/quantize/README.md",
    "https://arxiv.org/abs/2305.13245",
)


@dataclass(frozen=True, slots=True)
class Serving:
    """One way to serve a model: `sequences` at once, each up to `context` tokens; `prefill` tokens in one batch."""

    parameters: int
    shape: Architecture | None = None
    weights: str = "bf16"
    cache: str = "bf16"
    context: int = 8192
    sequences: int = 1
    prefill: int = 8192
    gpus: int = 1
    share: float = 0.9
    gpu_memory_bytes: float | None = None
    others_bytes: float = 0

    def __post_init__(self) -> None:
        whole(parameters=self.parameters, context=self.context, sequences=self.sequences, prefill=self.prefill)
        whole(gpus=self.gpus)
        share(share=self.share)
        positive(gpu_memory_bytes=self.gpu_memory_bytes)
        not_negative(others_bytes=self.others_bytes)
        for name, known in (("weights", WEIGHT_BITS), ("cache", CACHE_BITS)):
            if getattr(self, name) not in known:
                raise Unsuitable(name, f"must be one of {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class Served:
    """What it takes of each of `gpus` cards. The last fields are None without the size of the card."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "weights_bytes": "parameters x bits / 8 / GPUs",
        "cache_per_token_bytes": "2 x layers x KV heads x head width x bytes",
        "cache_bytes": "for all sequences at full context",
        "work_bytes": "one layer of one batch, logits of its sequences",
        "usable_bytes": "share of the card, without what others hold",
    }
    weights_bytes: float
    cache_per_token_bytes: float | None
    cache_bytes: float | None
    work_bytes: float | None
    reserve_bytes: float
    total_bytes: float
    usable_bytes: float | None
    fits: bool | None
    cache_tokens: int | None
    largest_context: int | None
    most_sequences: int | None
    answer: str


def cache_per_token(shape: Architecture, bits: int = 16, gpus: int = 1) -> float:
    """Bytes of keys and values that one token adds on each GPU; a KV head is never divided."""
    heads = -(-shape.kv_heads // gpus)
    return 2 * shape.layers * heads * shape.head_dim * bits / 8


def _work(plan: Serving, shape: Architecture) -> float:
    """Working memory: the widest moment of a layer for the tokens of one batch, and the logits in 32 bits."""
    tokens = min(plan.prefill, plan.context * plan.sequences)
    wide = (3 if shape.gated else 2) * shape.intermediate / plan.gpus + 3 * shape.hidden
    return 2.0 * tokens * wide + 6.0 * min(plan.sequences, tokens) * shape.vocab


def serve(plan: Serving) -> Served:
    """The memory of one GPU of `plan`, and how much context or how many sequences it holds."""
    weights = plan.parameters * WEIGHT_BITS[plan.weights] / 8 / plan.gpus
    reserve = CONTEXT_BYTES + (NCCL_BYTES if plan.gpus > 1 else 0)
    shape = plan.shape
    each = cache_per_token(shape, CACHE_BITS[plan.cache], plan.gpus) if shape else None
    cache = each * plan.context * plan.sequences if each else None
    work = _work(plan, shape) if shape else None
    total = weights + (cache or 0) + (work or 0) + reserve
    if plan.gpu_memory_bytes is None:
        answer = f"{size(total)} on each GPU; give --gpu-memory to see what fits"
        return Served(weights, each, cache, work, reserve, total, None, None, None, None, None, answer)
    usable = min(plan.share * plan.gpu_memory_bytes, plan.gpu_memory_bytes - plan.others_bytes)
    spare = usable - total
    answer = f"fits, {size(spare)} to spare" if spare >= 0 else f"does not fit: {size(-spare)} too much"
    if each is None:
        answer += "; the cache is not counted (give --config or --shape)"
        return Served(weights, each, cache, work, reserve, total, usable, spare >= 0, None, None, None, answer)
    tokens = max(0, int((usable - weights - reserve - (work or 0)) // each))
    context, sequences = tokens // plan.sequences, tokens // plan.context
    answer += f"; room for {tokens} tokens of cache"
    return Served(
        weights, each, cache, work, reserve, total, usable, spare >= 0, tokens, context, sequences, answer
    )  # fmt: skip
