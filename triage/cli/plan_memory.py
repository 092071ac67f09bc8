"""`triage plan memory`: a training step, a model that serves, and what would have fitted where memory ran out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from triage.cli.options import ColourOption, Short, ShortFormat
from triage.cli.plan_sheet import SIZE, estimate, show, size_reader
from triage.cli.streams import Colour
from triage.estimate.recipes import Attention, Optimizer, Precision, Sharding

memory = typer.Typer(name="memory", no_args_is_help=True, rich_markup_mode=None)


@memory.callback()
def _memory() -> None:
    """GPU memory of training, of serving, or where it ran out."""


_Parameters = Annotated[
    int | None,
    typer.Option("--parameters", metavar="COUNT", parser=size_reader("count"), help="7B, 6.74e9; else from the shape."),
]
_Config = Annotated[Path | None, typer.Option("--config", help="config.json of the model (transformers).")]
_Shape = Annotated[
    str | None,
    typer.Option("--shape", metavar="NAME=N,...", help="Of the model: layers=32,hidden=4096,gated"),
]
_Gpus = Annotated[int | None, typer.Option("--gpus", help="Number of GPUs.")]
_GpuMemory = Annotated[
    float | None,
    typer.Option("--gpu-memory", metavar=SIZE, parser=size_reader("card"), help="Of one GPU: 80GB, 139.8GiB."),
]
_Others = Annotated[
    float | None, typer.Option("--others", metavar=SIZE, parser=size_reader("logged"), help="Held by others.")
]
_Logged = size_reader("logged")


def _model(config: Path | None, words: str | None, parameters: int | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Parameters and shape of the model as inputs of an estimate, and where each of them comes from."""
    from triage.estimate.architecture import build, read_config, read_words
    from triage.estimate.quantities import Unsuitable

    known = read_words(words) if words is not None else {}
    origins = dict.fromkeys(known, "given")
    if config is not None:
        read = asdict(read_config(config))
        known, origins = read | known, dict.fromkeys(read, "config") | origins
    shape = build(known) if known else None
    if parameters is None and shape is None:
        raise Unsuitable("parameters", "is needed, e.g. 7B; or --config FILE, or --shape")
    origins["parameters"] = "given" if parameters is not None else "computed"
    return {"parameters": parameters or (shape.parameters if shape else 0), "shape": shape}, origins


def _calculate(
    name: str, module: Any, kind: Any, calculate: Callable[[Any], Any],
    model: tuple[Path | None, str | None, int | None], given: dict[str, Any], form: ShortFormat, colour: Colour,
) -> None:  # fmt: skip
    known = {field: value for field, value in given.items() if value is not None}
    origins: dict[str, str] = {}

    def make() -> Any:
        inputs, where = _model(*model)
        origins.update(where | dict.fromkeys(known, "given"))
        return kind(**inputs, **known)

    inputs, result = estimate(make, calculate)
    show(name, inputs, result, module, origins, form, colour)


@memory.command("training")
def training(
    parameters: _Parameters = None,
    config: _Config = None,
    shape: _Shape = None,
    gpu_memory: _GpuMemory = None,
    precision: Annotated[Precision | None, typer.Option("--precision", help="How it is trained.")] = None,
    optimizer: Annotated[Optimizer | None, typer.Option("--optimizer", help="Its moments and its step.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Sequences on one GPU in one step.")] = None,
    sequence: Annotated[int | None, typer.Option("--sequence", help="Tokens of one sequence.")] = None,
    checkpointing: Annotated[
        bool | None, typer.Option("--checkpointing/--no-checkpointing", help="Gradient checkpointing.")
    ] = None,
    attention: Annotated[Attention | None, typer.Option("--attention", help="Whether scores are stored.")] = None,
    dropout: Annotated[bool | None, typer.Option("--dropout/--no-dropout", help="Masks are stored.")] = None,
    accumulate: Annotated[
        bool | None, typer.Option("--accumulate/--no-accumulate", help="Gradients stay from batch to batch.")
    ] = None,
    lora_rank: Annotated[int | None, typer.Option("--lora-rank", help="Train LoRA adapters of this rank.")] = None,
    lora_targets: Annotated[
        list[str] | None, typer.Option("--lora-target", help="Matrix to adapt, e.g. q_proj. Repeatable.")
    ] = None,
    frozen_weights: Annotated[str | None, typer.Option("--frozen-weights", help="bf16, int8, nf4, ...")] = None,
    gpus: _Gpus = None,
    sharding: Annotated[Sharding | None, typer.Option("--sharding", help="What the GPUs divide.")] = None,
    bucket_view: Annotated[
        bool | None, typer.Option("--bucket-view/--no-bucket-view", help="DDP: gradient_as_bucket_view.")
    ] = None,
    tensor_parallel: Annotated[int | None, typer.Option("--tensor-parallel", help="GPUs of one layer.")] = None,
    pipeline_parallel: Annotated[int | None, typer.Option("--pipeline-parallel", help="Stages.")] = None,
    activations: Annotated[
        float | None,
        typer.Option("--activations", metavar=SIZE, parser=_Logged, help="Measured, instead of the formula."),
    ] = None,
    others: _Others = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """What a training step takes, and the largest batch. Also which change would make it fit."""
    from triage.estimate import fit
    from triage.estimate import memory as of

    given = {
        "gpu_memory_bytes": gpu_memory, "precision": precision, "optimizer": optimizer, "batch": batch,
        "sequence": sequence, "checkpointing": checkpointing, "attention": attention, "dropout": dropout,
        "accumulate": accumulate, "lora_rank": lora_rank, "lora_targets": tuple(lora_targets) if lora_targets else None,
        "frozen_weights": frozen_weights, "gpus": gpus, "sharding": sharding, "bucket_view": bucket_view,
        "tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel, "activations_bytes": activations,
        "others_bytes": others,
    }  # fmt: skip
    _calculate("memory training", of, of.Training, fit.fit, (config, shape, parameters), given, form, colour)


@memory.command("serving")
def serving(
    parameters: _Parameters = None,
    config: _Config = None,
    shape: _Shape = None,
    gpu_memory: _GpuMemory = None,
    weights: Annotated[str | None, typer.Option("--weights", help="bf16, fp8, int4, q4_k_m, ...")] = None,
    cache: Annotated[str | None, typer.Option("--cache", help="Type of keys and values: bf16, fp8.")] = None,
    context: Annotated[int | None, typer.Option("--context", help="Tokens of the longest sequence.")] = None,
    sequences: Annotated[int | None, typer.Option("--sequences", help="Sequences at once.")] = None,
    prefill: Annotated[int | None, typer.Option("--prefill", help="Tokens of one batch.")] = None,
    share: Annotated[float | None, typer.Option("--share", help="vLLM: gpu_memory_utilization.")] = None,
    gpus: _Gpus = None,
    others: _Others = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """What a served model takes. Also how much context and how many sequences fit."""
    from triage.estimate import serving as of

    given = {
        "gpu_memory_bytes": gpu_memory, "weights": weights, "cache": cache, "context": context, "sequences": sequences,
        "prefill": prefill, "share": share, "gpus": gpus, "others_bytes": others,
    }  # fmt: skip
    _calculate("memory serving", of, of.Serving, of.serve, (config, shape, parameters), given, form, colour)


def _logged(option: str, text: str) -> Any:
    """An option for a size as the message writes it."""
    return typer.Option(option, metavar=SIZE, parser=_Logged, help=text, show_default=False)


@memory.command("oom")
def oom(
    requested: Annotated[float, _logged("--requested", "Tried to allocate.")],
    free: Annotated[float, _logged("--free", "Of which is free.")],
    total: Annotated[float, _logged("--total", "Total capacity.")],
    allocated: Annotated[float | None, _logged("--allocated", "Allocated by PyTorch.")] = None,
    idle: Annotated[float | None, _logged("--idle", "Reserved by PyTorch but unallocated.")] = None,
    allowed: Annotated[float | None, _logged("--allowed", "Limit of the process.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="The batch that failed.")] = None,
    fixed: Annotated[float | None, _logged("--fixed", "What does not grow with the batch.")] = None,
    parameters: _Parameters = None,
    bytes_per_parameter: Annotated[
        float, typer.Option("--bytes-per-parameter", help="Fixed for each of --parameters: 16 with AdamW.")
    ] = 16,
    gpus: _Gpus = None,
    keep_free: Annotated[float | None, _logged("--keep-free", "Kept free of weights on each GPU.")] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """What would have fitted, by the numbers of a message. Batch, request, and max_memory for loading."""
    from triage.estimate import oom as of

    if fixed is None and parameters is not None:
        fixed = parameters * bytes_per_parameter
    given = {
        "requested_bytes": requested, "free_bytes": free, "total_bytes": total, "allocated_bytes": allocated,
        "idle_bytes": idle, "allowed_bytes": allowed, "fixed_bytes": fixed, "batch": batch, "gpus": gpus,
        "keep_free_bytes": keep_free,
    }  # fmt: skip
    known: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    inputs, result = estimate(lambda: of.Failure(**known), of.room)
    show("memory oom", inputs, result, of, dict.fromkeys(known, "given"), form, colour)
