"""GPU memory of a training step.

The memory of tensors is the larger of two moments: where backward begins (all activations, and 16-bit copies of the
weights under autocast) and where the optimizer steps (all gradients, and what the step makes for itself). Both stand on
weights and optimizer. Sources: `recipes`, `activations`; arXiv 1910.02054 (ZeRO: which part each stage divides);
torch/nn/parallel/distributed.py (`gradient_as_bucket_view`: without it the buckets are as large as the gradients).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from triage.estimate import activations
from triage.estimate.architecture import Architecture
from triage.estimate.quantities import GIB, Unsuitable, not_negative, positive, whole
from triage.estimate.recipes import MOMENTS, RECIPES, WEIGHT_BITS, Attention, Optimizer, Precision, Sharding

# Measured on an H200 (fixtures/recheck/plan-memory-h200.json): the CUDA context and the libraries of one process hold
# 0.73 to 0.75 GiB beside the tensors; the caching allocator held 1 to 20 % more than was ever allocated, 6 % in the
# middle. A process of a job with NCCL between GPUs held 1.42 GiB (fixtures/dist-oom).
CONTEXT_BYTES = 0.75 * GIB
NCCL_BYTES = 0.75 * GIB
CACHE_SHARE = 0.06

ASSUMES = (
    "gradients are freed after each step (zero_grad(set_to_none=True)), unless --accumulate",
    "a sequence is padded to --sequence tokens; the loss is cross-entropy over all of them, the logits stay referenced",
    "activations of a decoder transformer as PyTorch's autograd saves them",
    "tensor parallelism with sequence parallelism; a pipeline keeps as many micro-batches as it has stages",
    "measured on one H200, 13 ways to train small decoders: tensors within 3 %; the cache held 1 to 20 % more",
)
SOURCES = (
    "https://arxiv.org/abs/2205.05198",
    "https://arxiv.org/abs/1910.02054",
    "https://github.com/stas00/ml-engineering/tree/master/training/performance",
    "https://pytorch.org/docs/stable/generated/torch.optim.AdamW.html",
)


@dataclass(frozen=True, slots=True)
class Training:
    """One way to train a model. Without `shape` the activations are not known, unless `activations_bytes` is given.

    `bucket_view` is DDP's gradient_as_bucket_view: the gradients lie in the buckets.
    """

    parameters: int
    shape: Architecture | None = None
    precision: Precision = Precision.autocast
    optimizer: Optimizer = Optimizer.adamw
    batch: int = 1
    sequence: int = 2048
    checkpointing: bool = False
    attention: Attention = Attention.fused
    dropout: bool = False
    accumulate: bool = False
    lora_rank: int | None = None
    lora_targets: tuple[str, ...] = ("q_proj", "v_proj")
    frozen_weights: str = "bf16"
    gpus: int = 1
    sharding: Sharding = Sharding.none
    bucket_view: bool = False
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    activations_bytes: float | None = None
    gpu_memory_bytes: float | None = None
    others_bytes: float = 0

    def __post_init__(self) -> None:
        whole(parameters=self.parameters, batch=self.batch, sequence=self.sequence, gpus=self.gpus)
        whole(tensor_parallel=self.tensor_parallel, pipeline_parallel=self.pipeline_parallel)
        positive(gpu_memory_bytes=self.gpu_memory_bytes)
        not_negative(others_bytes=self.others_bytes, activations_bytes=self.activations_bytes)
        if self.gpus % (self.tensor_parallel * self.pipeline_parallel):
            raise Unsuitable("gpus", "must be a multiple of --tensor-parallel times --pipeline-parallel")
        if self.lora_rank is not None and self.shape is None:
            raise Unsuitable("lora_rank", "needs the shape of the model: give --config or --shape")
        if self.frozen_weights not in WEIGHT_BITS:
            raise Unsuitable("frozen_weights", f"must be one of {', '.join(WEIGHT_BITS)}")

    @property
    def data_parallel(self) -> int:
        """GPUs that hold the same part of the model: GPUs / (tensor x pipeline)."""
        return self.gpus // (self.tensor_parallel * self.pipeline_parallel)


@dataclass(frozen=True, slots=True)
class Need:
    """What a step takes of one GPU; None is what this plan does not have, or what is not known.

    `tensors_bytes` compares with torch.cuda.max_memory_allocated().
    """

    FORMULAS: ClassVar[dict[str, str]] = {
        "states_bytes": "weights + gradients + optimizer",
        "autocast_copies_bytes": "16-bit copies of the matrices",
        "ddp_buckets_bytes": "as large as the gradients",
        "gathered_bytes": "two layers, whole",
        "activations_bytes": "saved by autograd for backward",
        "logits_bytes": "logits, log-softmax, their gradients",
        "backward_peak_bytes": "where backward begins",
        "step_peak_bytes": "where the optimizer steps",
        "tensors_bytes": "the larger of the two peaks",
        "reserve_bytes": "CUDA context, libraries, cache",
    }
    trained_parameters: int
    trained_percent: float
    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    states_bytes: float
    autocast_copies_bytes: float | None
    ddp_buckets_bytes: float | None
    gathered_bytes: float | None
    activations_bytes: float | None
    logits_bytes: float | None
    backward_peak_bytes: float
    step_peak_bytes: float
    tensors_bytes: float
    reserve_bytes: float
    total_bytes: float


@dataclass(frozen=True, slots=True)
class _States:
    """Bytes on one GPU that do not depend on the batch. `made` is what the optimizer makes while it steps."""

    trained: int
    weights: float
    gradients: float
    optimizer: float
    made: float
    copies: float
    buckets: float
    gathered: float


def _states(plan: Training) -> _States:
    recipe, moments, shape = RECIPES[plan.precision], MOMENTS[plan.optimizer], plan.shape
    adapters = shape.lora_parameters(plan.lora_rank, plan.lora_targets) if shape and plan.lora_rank else 0
    trained = adapters or plan.parameters
    frozen = plan.parameters * WEIGHT_BITS[plan.frozen_weights] / 8 if adapters else 0
    moment = recipe.moment if moments.bytes is None else moments.bytes
    matrices = adapters or (shape.matrix_parameters if shape else plan.parameters)
    parts, by = plan.tensor_parallel * plan.pipeline_parallel, plan.data_parallel
    stage = list(Sharding).index(plan.sharding)

    def divided(amount: float, at: int) -> float:
        """What is left of it on one GPU; ZeRO divides it from stage `at` on."""
        return amount / parts / (by if stage >= at else 1)

    gradients = divided(trained * recipe.gradients, 2)
    whole_weights = stage < 3 or by == 1
    return _States(
        trained, divided(frozen + trained * recipe.weights, 3), gradients,
        divided(trained * (recipe.master + moments.kept * moment), 1), divided(trained * moments.made * moment, 1),
        copies=matrices * recipe.copies / parts if whole_weights else 0,
        buckets=gradients if stage == 0 and by > 1 and not plan.bucket_view else 0,
        # One layer in use and the next one on its way, in the precision of the products.
        gathered=0 if whole_weights or shape is None else 2 * shape.layer_parameters * recipe.compute / parts,
    )  # fmt: skip


def need(plan: Training) -> Need:
    """The memory of one GPU in a step of `plan`."""
    held = _states(plan)
    kept, head, work = _activations(plan)
    base = held.weights + held.optimizer + held.buckets + held.gathered
    backward = base + held.copies + kept + max(head, work) + (held.gradients if plan.accumulate else 0)
    step = base + held.gradients + held.made
    tensors = max(backward, step)
    reserve = CACHE_SHARE * tensors + CONTEXT_BYTES + (NCCL_BYTES if plan.gpus > 1 else 0)
    unknown = plan.shape is None and plan.activations_bytes is None
    return Need(
        held.trained, 100 * held.trained / plan.parameters, held.weights, held.gradients, held.optimizer,
        held.weights + held.gradients + held.optimizer, held.copies or None, held.buckets or None,
        held.gathered or None, None if unknown else kept, head or None, backward, step, tensors, reserve,
        tensors + reserve,
    )  # fmt: skip


def _activations(plan: Training) -> tuple[float, float, float]:
    """Bytes kept for backward, of the output head, and of the backward pass of one layer."""
    if plan.shape is None or plan.activations_bytes is not None:
        return plan.activations_bytes or 0, 0, 0
    recipe = RECIPES[plan.precision]
    if plan.lora_rank:  # the stream has the type of the frozen model
        recipe = replace(recipe, residual=recipe.compute)
    found = activations.activations(
        plan.shape, recipe, plan.batch, plan.sequence,
        attention=plan.attention, checkpointing=plan.checkpointing, dropout=plan.dropout,
        adapted=plan.lora_targets if plan.lora_rank else (),
    )  # fmt: skip
    by = plan.tensor_parallel
    return found.kept_bytes / by, found.head_bytes / by, found.layer_bytes / by
