"""What would have fitted, from the numbers of an out-of-memory message.

PyTorch's message tells the request, what is free, and what this process has allocated and keeps idle
(c10/cuda/CUDACachingAllocator.cpp). Free, allocated and idle together are what the tensors of this process can have:
all of the card but the CUDA context and other processes. At the failure they needed what was allocated and the request.
What grows with the batch might have grown on after that moment, so a share of the batch is an upper bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from triage.decode.phrases import size
from triage.estimate.quantities import GIB, Unsuitable, not_negative, positive, whole

# Kept free of weights on each card when a model is loaded (accelerate's big model inference guide reserves room for
# activations; 2 to 3 GiB are a rule of thumb, and the failed request comes on top).
KEEP_FREE_BYTES = 2.5 * GIB

ASSUMES = (
    "what does not grow with the batch (weights, gradients, optimizer) is 0 unless --fixed or --parameters tells it",
    "later parts of the step may need more than the failed request: a batch share is an upper bound",
    "max_memory is for loading with device_map in ONE process; each rank of a distributed job has its own card",
)
SOURCES = (
    "https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDACachingAllocator.cpp",
    "https://huggingface.co/docs/accelerate/concept_guides/big_model_inference",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """The numbers of a message. `idle_bytes` is reserved but unallocated, `allowed_bytes` the process's own limit,
    `fixed_bytes` what does not grow with the batch, `batch` the batch that failed."""

    requested_bytes: float
    free_bytes: float
    total_bytes: float
    allocated_bytes: float = 0
    idle_bytes: float = 0
    allowed_bytes: float | None = None
    fixed_bytes: float = 0
    batch: int | None = None
    gpus: int = 1
    keep_free_bytes: float = KEEP_FREE_BYTES

    def __post_init__(self) -> None:
        positive(requested_bytes=self.requested_bytes, total_bytes=self.total_bytes, allowed_bytes=self.allowed_bytes)
        not_negative(free_bytes=self.free_bytes, allocated_bytes=self.allocated_bytes, idle_bytes=self.idle_bytes)
        not_negative(fixed_bytes=self.fixed_bytes, keep_free_bytes=self.keep_free_bytes)
        whole(batch=self.batch, gpus=self.gpus)
        if self.fixed_bytes > self.allocated_bytes:
            raise Unsuitable("fixed_bytes", "must not be more than was allocated: is the number of parameters right?")


@dataclass(frozen=True, slots=True)
class Room:
    """What fits. `batch_percent` is None where the batch is not the reason, `loading_bytes` where no weights leave room
    for the request; `max_memory` says the same for accelerate, or is empty."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "usable_bytes": "free + allocated + idle",
        "needed_bytes": "allocated + requested",
        "request_percent": "of the request that fits beside what was allocated",
        "batch_percent": "(usable - fixed) / (needed - fixed)",
        "largest_batch": "at most",
        "loading_bytes": "min(usable, total - kept free) - requested",
    }
    usable_bytes: float
    needed_bytes: float
    lacking_bytes: float
    request_percent: float
    batch_percent: float | None
    largest_batch: int | None
    loading_bytes: float | None
    max_memory: str
    answer: str


def max_memory(budget_bytes: float, gpus: int = 1) -> str:
    """The argument for `from_pretrained(device_map="auto", max_memory=...)`, whole GiB, or an empty text."""
    amount = math.floor(budget_bytes / GIB)
    if amount < 1:
        return ""
    return "{" + ", ".join(f'{gpu}: "{amount}GiB"' for gpu in range(gpus)) + "}"


def room(failure: Failure) -> Room:
    """What would have fitted where this request failed."""
    usable = failure.free_bytes + failure.allocated_bytes + failure.idle_bytes
    if failure.allowed_bytes is not None:
        usable = min(usable, failure.allowed_bytes)
    needed = failure.allocated_bytes + failure.requested_bytes
    lacking = max(0.0, needed - usable)
    of_request = max(0.0, min(1.0, (usable - failure.allocated_bytes) / failure.requested_bytes))
    part = (usable, needed, lacking, 100 * of_request)
    if failure.requested_bytes > usable:
        answer = f"that one request must shrink first: at most {size(usable)} can fit at all"
        return Room(*part, None, None, None, "", answer)
    budget = min(usable, failure.total_bytes - failure.keep_free_bytes) - failure.requested_bytes
    loading = (budget if budget > 0 else None, max_memory(budget, failure.gpus))
    if not lacking:
        answer = "it would fit in one piece: look at fragmentation, memory pools or a limit, not at the batch"
        return Room(*part, None, None, *loading, answer)
    batch = max(0.0, (usable - failure.fixed_bytes) / (needed - failure.fixed_bytes))
    most = None if failure.batch is None else math.floor(failure.batch * batch)
    words = f"a batch of at most {most}" if most else f"at most {math.floor(100 * batch)} % of the batch"
    if most == 0:
        words = "not even a batch of 1"
    answer = f"{size(lacking)} too little: {words} fits, less if a later part of the step needs more"
    return Room(*part, 100 * batch, most, *loading, answer)
