"""Whether a training step fits a GPU, the most that does, and which of the usual changes would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from triage.decode.phrases import size
from triage.estimate.memory import Need, Training, need
from triage.estimate.quantities import largest
from triage.estimate.recipes import Optimizer, Sharding


@dataclass(frozen=True, slots=True)
class Option:
    """One change of a plan: what it needs then, whether that fits, and the largest batch for one GPU."""

    change: str
    total_bytes: float
    fits: bool
    largest_batch: int | None


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a step fits a GPU; None where its memory, or the shape of the model, is not known."""

    need: Need
    usable_bytes: float | None
    spare_bytes: float | None
    fits: bool | None
    largest_batch: int | None
    largest_sequence: int | None
    dominant: str
    answer: str
    options: tuple[Option, ...]


def _fits(plan: Training) -> bool:
    return need(plan).total_bytes + plan.others_bytes <= (plan.gpu_memory_bytes or 0)


def _largest_batch(plan: Training) -> int | None:
    return largest(lambda batch: _fits(replace(plan, batch=batch))) if _has_activations(plan) else None


def _has_activations(plan: Training) -> bool:
    return plan.shape is not None and plan.activations_bytes is None


def _changes(plan: Training) -> Iterator[tuple[str, Training]]:
    """Usual changes in the order of effort, those that the plan already has left out."""
    if plan.optimizer is Optimizer.adamw:
        yield "AdamW(fused=True)", replace(plan, optimizer=Optimizer.adamw_fused)
    if plan.data_parallel > 1 and plan.sharding is Sharding.none and not plan.bucket_view:
        yield "DDP(gradient_as_bucket_view=True)", replace(plan, bucket_view=True)
        plan = replace(plan, bucket_view=True)
    if _has_activations(plan) and not plan.checkpointing:
        yield "gradient checkpointing", replace(plan, checkpointing=True)
        plan = replace(plan, checkpointing=True)
    kept = "checkpointing, " if plan.checkpointing else ""
    if plan.optimizer in (Optimizer.adamw, Optimizer.adamw_fused):
        yield f"{kept}8-bit AdamW", replace(plan, optimizer=Optimizer.adamw_8bit)
    if plan.shape is not None and plan.lora_rank is None:
        yield f"{kept}LoRA of rank 16", replace(plan, lora_rank=16)
        yield f"{kept}LoRA of rank 16 over NF4", replace(plan, lora_rank=16, frozen_weights="nf4")
    for stage in (Sharding.zero2, Sharding.zero3):
        if plan.data_parallel > 1 and plan.sharding < stage:
            yield f"{kept}{stage} over the {plan.data_parallel} GPUs", replace(plan, sharding=stage)
    for gpus in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        wide = replace(plan, gpus=gpus * plan.tensor_parallel * plan.pipeline_parallel, sharding=Sharding.zero3)
        if wide.gpus > plan.gpus and _fits(wide):
            yield f"{kept}zero3 over {wide.gpus} GPUs", wide
            return


_REMEDY = {
    "weights": "store them in fewer bits, divide them (zero3, tensor parallelism), or train LoRA on frozen ones",
    "gradients": "divide them (zero2, zero3) or train fewer parameters (LoRA)",
    "optimizer": "use an 8-bit optimizer, divide it (zero1 to zero3), or train fewer parameters (LoRA)",
    "activations": "take a smaller batch or shorter sequences, or gradient checkpointing",
    "logits": "take a smaller batch, or a loss that works in chunks of tokens",
}


def _dominant(found: Need) -> str:
    """The largest part, and what makes it smaller."""
    if found.backward_peak_bytes < found.step_peak_bytes:
        parts = {"gradients": found.gradients_bytes}
    else:
        parts = {"activations": found.activations_bytes or 0, "logits": found.logits_bytes or 0}
    copies = found.autocast_copies_bytes or 0
    parts |= {"weights": found.weights_bytes + copies, "optimizer": found.optimizer_bytes}
    name = max(parts, key=lambda key: parts[key])
    return f"{name} ({100 * parts[name] / found.tensors_bytes:.0f} %): {_REMEDY[name]}"


def fit(plan: Training) -> Fit:
    """Whether a step of `plan` fits its GPU, what is the most that does, and which changes would help."""
    found = need(plan)
    blind = "; activations are not counted (give --config or --shape)"
    unknown = blind if plan.shape is None and plan.activations_bytes is None else ""
    if plan.gpu_memory_bytes is None:
        answer = f"{size(found.total_bytes)} on each GPU; give --gpu-memory to see what fits{unknown}"
        return Fit(found, None, None, None, None, None, _dominant(found), answer, ())
    room = plan.gpu_memory_bytes - plan.others_bytes
    batch = _largest_batch(plan)
    sequence = largest(lambda tokens: _fits(replace(plan, sequence=tokens))) if _has_activations(plan) else None
    spare = room - found.total_bytes
    amount = size(abs(spare))
    answer = f"fits, {amount} to spare" if spare >= 0 else f"does not fit: {amount} too much"
    if batch is not None:
        most = f"the largest batch is {batch}" if batch else "not even one sequence fits"
        answer = f"{answer}; {most} at {plan.sequence} tokens"
    options = (Option(name, need(one).total_bytes, _fits(one), _largest_batch(one)) for name, one in _changes(plan))
    helping = tuple(one for one in options if one.total_bytes < found.total_bytes)
    return Fit(found, room, spare, spare >= 0, batch, sequence, _dominant(found), answer + unknown, helping)
