"""What a transformer keeps between forward and backward.

Counted tensor by tensor as autograd saves them. With 16-bit numbers, dropout, eager attention and an MLP of 4 x hidden
this is the formula of arXiv 2205.05198 (Korthikanti et al.), equation 1: 34 + 5 a s / h bytes for each element of the
stream; with every layer checkpointed it is their 2 s b h L.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.estimate.architecture import Architecture
from triage.estimate.quantities import whole
from triage.estimate.recipes import Attention, Recipe

_LSE = 4  # bytes that fused attention keeps of each head and token: the logarithm of the sum


@dataclass(frozen=True, slots=True)
class Activations:
    """Bytes for all sequences of one step on one GPU.

    `kept_bytes` wait in all layers for backward. Above them stands, one after the other, what the output head needs
    (`head_bytes`) and what the backward pass of one layer needs (`layer_bytes`).
    """

    kept_bytes: float
    head_bytes: float
    layer_bytes: float

    @property
    def peak_bytes(self) -> float:
        """The most that is held at once, where backward begins."""
        return self.kept_bytes + max(self.head_bytes, self.layer_bytes)


def _norm(shape: Architecture, recipe: Recipe, frozen: bool) -> int:
    """Bytes that one norm keeps of one token. LayerNorm keeps its input; one that is written out keeps its input in 32
    bits and, for the gradient of its weights, the normalised values."""
    written_out = 4 + (0 if frozen else recipe.residual)
    return shape.hidden * (written_out if shape.rms_norm else recipe.residual)


def _inputs(shape: Architecture, recipe: Recipe, adapted: Sequence[str]) -> int:
    """Bytes of one token that the matrices of a layer keep as their inputs, for the gradients of their weights.

    Where stream and products differ in type (autocast), each matrix keeps a converted copy of its own.
    """
    small = recipe.compute
    if adapted:  # LoRA: frozen matrices keep none, each adapter keeps a copy
        return sum(shape.adapted(name)[0] for name in adapted) * small
    converted = recipe.residual != small
    attention = 3 if converted and not shape.fused_qkv else 1
    mlp = 2 if converted and shape.gated else 1
    return ((attention + mlp) * shape.hidden + shape.intermediate) * small


def _layer(
    shape: Architecture, recipe: Recipe, sequence: int, attention: Attention, dropout: bool, adapted: Sequence[str]
) -> float:
    """Bytes that one layer keeps of one token."""
    small = recipe.compute
    kept = 2 * _norm(shape, recipe, bool(adapted)) + _inputs(shape, recipe, adapted)
    kept += 2 * (shape.query + shape.key) * small  # queries, keys, values, and what attention gives
    kept += (3 if shape.gated else 1) * shape.intermediate * small  # inputs of the activation and of the product
    if attention is Attention.eager:
        kept += shape.heads * sequence * (recipe.softmax + (1 + small if dropout else 0))
    else:
        kept += shape.heads * _LSE
    return kept + (2 * shape.hidden if dropout else 0)  # masks are one byte


def _work(shape: Architecture, recipe: Recipe, sequence: int, attention: Attention) -> float:
    """Bytes of gradients that the backward pass of one layer makes of one token."""
    mlp = (3 if shape.gated else 2) * shape.intermediate + 2 * shape.hidden
    scores = 2 * shape.heads * sequence if attention is Attention.eager else 0
    return float((mlp + scores) * recipe.compute)


def activations(
    shape: Architecture, recipe: Recipe, batch: int, sequence: int, *,
    attention: Attention = Attention.fused, checkpointing: bool = False, dropout: bool = False,
    adapted: Sequence[str] = (),
) -> Activations:  # fmt: skip
    """The activations of a step over `batch` sequences of `sequence` tokens.

    The head counts the logits, their log-softmax in 32 bits and the two gradients of the same size that backward makes
    of it; the logits themselves are still held by the caller. `adapted` names the matrices that LoRA trains, the others
    being frozen.
    """
    whole(batch=batch, sequence=sequence)
    tokens = batch * sequence
    layer = _layer(shape, recipe, sequence, attention, dropout, adapted)
    work = _work(shape, recipe, sequence, attention)
    last = _norm(shape, recipe, bool(adapted)) + (0 if adapted else shape.hidden * recipe.compute)  # input of the head
    head = shape.vocab * (recipe.compute + 3 * 4)
    if checkpointing:
        kept = shape.layers * shape.hidden * recipe.residual + last
        return Activations(tokens * kept, tokens * head, tokens * (layer + work))
    return Activations(tokens * (shape.layers * layer + last), tokens * head, tokens * work)
