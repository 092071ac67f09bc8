"""Bytes per parameter and per element of the usual ways to train and to store a model.

Sources: github.com/stas00/ml-engineering training/performance (anatomy of the memory: fp32 Adam 16 bytes a parameter,
mixed precision 18, or 16 with 16-bit gradients), github.com/NVIDIA-NeMo/Megatron-Bridge (6 + 12 / shards),
torch/optim/adam.py (`foreach`, the default on CUDA, holds one more list as large as a moment while it steps),
torch/csrc/autograd and aten/src/ATen/autocast_mode.cpp (autocast keeps its 16-bit copies of the weights for backward),
llama.cpp tools/quantize/README.md (bits of a weight, measured on Llama 3.1 8B), arXiv 2305.14314 (4.127 bits for NF4
with double quantisation), arXiv 2110.02861 (8-bit optimizers: one byte for each moment).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Precision(StrEnum):
    """How a model is trained: all in 32 bits; torch.autocast; a 16-bit model with a 32-bit master copy (Megatron,
    DeepSpeed), the same with gradients of 16 bits; all in 16 bits."""

    fp32 = "fp32"
    autocast = "autocast"
    mixed = "mixed"
    mixed_half = "mixed-half"
    bf16 = "bf16"


class Optimizer(StrEnum):
    adamw = "adamw"
    adamw_fused = "adamw-fused"
    adamw_8bit = "adamw-8bit"
    sgd_momentum = "sgd-momentum"
    sgd = "sgd"


class Attention(StrEnum):
    """`fused` never stores the scores (FlashAttention, scaled_dot_product_attention); `eager` does."""

    fused = "fused"
    eager = "eager"


class Sharding(StrEnum):
    """What data-parallel GPUs divide among themselves: nothing (DDP), the optimizer (ZeRO-1), also the gradients
    (ZeRO-2), also the weights (ZeRO-3, FSDP)."""

    none = "none"
    zero1 = "zero1"
    zero2 = "zero2"
    zero3 = "zero3"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Bytes of one parameter (weights to moment) and of one activation (compute to softmax).

    `copies` are 16-bit copies of matrices that live from forward to backward, `master` the 32-bit copy that only the
    optimizer uses, `moment` the size of one optimizer moment. `residual` is the type of the stream between layers,
    `softmax` what eager attention keeps of each score.
    """

    weights: int
    copies: int
    gradients: int
    master: int
    moment: int
    compute: int
    residual: int
    softmax: int


RECIPES = {
    Precision.fp32: Recipe(4, 0, 4, 0, 4, 4, 4, 4),
    # The softmax runs in 32 bits and is kept, and so is its 16-bit copy for the product with the values.
    Precision.autocast: Recipe(4, 2, 4, 0, 4, 2, 4, 6),
    Precision.mixed: Recipe(2, 0, 4, 4, 4, 2, 2, 2),
    Precision.mixed_half: Recipe(2, 0, 2, 4, 4, 2, 2, 2),
    Precision.bf16: Recipe(2, 0, 2, 0, 2, 2, 2, 6),
}


@dataclass(frozen=True, slots=True)
class Moments:
    """How many moments an optimizer keeps, how many such lists it makes while it steps, and their bytes if fixed."""

    kept: int
    made: int = 0
    bytes: int | None = None


MOMENTS = {
    Optimizer.adamw: Moments(2, 1),
    Optimizer.adamw_fused: Moments(2),
    Optimizer.adamw_8bit: Moments(2, bytes=1),
    Optimizer.sgd_momentum: Moments(1),
    Optimizer.sgd: Moments(0),
}

# Bits of one weight with all scales (int4: a 16-bit scale and a 4-bit zero point for 128 weights). The llama.cpp types
# include the matrices that they keep at more bits.
WEIGHT_BITS = {
    "fp32": 32.0, "bf16": 16.0, "fp16": 16.0, "fp8": 8.0, "int8": 8.0, "nf4": 4.127, "int4": 4.16,
    "q8_0": 8.5008, "q6_k": 6.5633, "q5_k_m": 5.7036, "q4_k_m": 4.8944, "q4_k_s": 4.6672, "q2_k": 3.1593,
}  # fmt: skip
CACHE_BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8}
