"""What `bench/plan_memory.py` measured on a real GPU, as inputs of the estimates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage.estimate.architecture import Architecture
from triage.estimate.memory import Training
from triage.estimate.recipes import Attention, Optimizer, Precision, Sharding
from triage.estimate.serving import Serving

FILE = Path(__file__).resolve().parent.parent / "fixtures/recheck/plan-memory-h200.json"
_CHOICES = {"precision": Precision, "optimizer": Optimizer, "attention": Attention, "sharding": Sharding}


@dataclass(frozen=True, slots=True)
class Case:
    """`allocated_bytes` is torch.cuda.max_memory_allocated(), `outside_bytes` the card's use beyond PyTorch's."""

    name: str
    plan: Training | Serving
    parameters: int
    allocated_bytes: int
    reserved_bytes: int
    outside_bytes: int


def _plan(kind: str, inputs: dict[str, Any]) -> Training | Serving:
    shape = Architecture(**inputs["shape"])
    values = {name: _CHOICES[name](value) if name in _CHOICES else value for name, value in inputs.items()} | {"shape": shape}
    if kind == "serving":
        return Serving(**values)
    return Training(**values | {"lora_targets": tuple(inputs["lora_targets"])})


def cases(kind: str) -> list[Case]:
    """The measured cases of `training` or `serving`."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
    names = ("name", "parameters", "allocated_bytes", "reserved_bytes", "outside_bytes")
    return [Case(plan=_plan(kind, row["inputs"]), **{name: row[name] for name in names}) for row in rows if row["kind"] == kind]
