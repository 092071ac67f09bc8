"""`triage plan pcie|power|cooling|topology`: how long a transfer takes, whether power, air and lanes are enough."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from triage.cli.options import ColourOption, Short, ShortFormat
from triage.cli.plan_sheet import SIZE, estimate, show, size_reader
from triage.cli.streams import Colour

machine = typer.Typer(rich_markup_mode=None)


@machine.command("pcie")
def pcie(
    generation: Annotated[int, typer.Option("--generation", help="Negotiated PCIe generation (LnkSta), 1 to 6.")],
    width: Annotated[int | None, typer.Option("--width", help="Negotiated lanes: 1, 2, 4, 8, 16.")] = None,
    bytes_: Annotated[
        float | None, typer.Option("--bytes", metavar=SIZE, parser=size_reader("size"), help="Data to move, 1.5GB.")
    ] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="GPUs that sum the data in a ring (all-reduce).")] = None,
    behind: Annotated[int | None, typer.Option("--behind", help="Cards that share one uplink.")] = None,
    efficiency: Annotated[float | None, typer.Option("--efficiency", help="Share of the link, 0 to 1.")] = None,
    step_ms: Annotated[float | None, typer.Option("--step-ms", help="Time of one training step.")] = None,
    measured_gb_per_s: Annotated[
        float | None, typer.Option("--measured-gb-per-s", help="A measured copy, to be judged.")
    ] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """What a PCIe link carries, and how long a transfer takes. Also a gradient sum, and whether a copy is healthy."""
    from triage.estimate import pcie as of

    given = {
        "generation": generation, "width": width, "bytes": bytes_, "gpus": gpus, "behind": behind,
        "efficiency": efficiency, "step_ms": step_ms, "measured_gb_per_s": measured_gb_per_s,
    }  # fmt: skip
    _calculate("pcie", of, of.Link, of.flow, given, form, colour)


@machine.command("power")
def power(
    gpus: Annotated[int, typer.Option("--gpus", help="Number of GPUs.")],
    board_watts: Annotated[float, typer.Option("--board-watts", help="Power limit of one card.")],
    psu_watts: Annotated[list[float], typer.Option("--psu-watts", help="Rating of a supply. Repeatable.")],
    cpu_watts: Annotated[float | None, typer.Option("--cpu-watts", help="All CPUs together.")] = None,
    rest_share: Annotated[float | None, typer.Option("--rest-share", help="Board, memory, drives, fans.")] = None,
    peak_factor: Annotated[float | None, typer.Option("--peak-factor", help="Peak of a card, of its limit.")] = None,
    atx3: Annotated[bool | None, typer.Option("--atx3/--no-atx3", help="Supplies built for ATX 3 peaks.")] = None,
    connectors: Annotated[
        list[str] | None,
        typer.Option("--connector", help="Of one card: slot, 6pin, 8pin, 12vhpwr. Repeatable."),
    ] = None,
    efficiency: Annotated[float | None, typer.Option("--efficiency", help="Of the supplies, 0 to 1.")] = None,
    mains_volts: Annotated[float | None, typer.Option("--mains-volts", help="The circuit at the wall.")] = None,
    mains_amps: Annotated[float | None, typer.Option("--mains-amps", help="Its breaker.")] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """Whether supplies, connectors and mains carry the machine."""
    from triage.estimate import power as of

    given = {
        "gpus": gpus, "board_watts": board_watts, "psu_watts": tuple(psu_watts), "cpu_watts": cpu_watts,
        "rest_share": rest_share, "peak_factor": peak_factor, "atx3": atx3,
        "connectors": tuple(connectors) if connectors else None, "efficiency": efficiency,
        "mains_volts": mains_volts, "mains_amps": mains_amps,
    }  # fmt: skip
    _calculate("power", of, of.Machine, of.budget, given, form, colour)


@machine.command("cooling")
def cooling(
    heat_watts: Annotated[float, typer.Option("--heat-watts", help="All electric power inside.")],
    rise_kelvin: Annotated[float | None, typer.Option("--rise-kelvin", help="Outlet above inlet.")] = None,
    flow_m3h: Annotated[float | None, typer.Option("--flow-m3h", help="Air flow: asks for the rise.")] = None,
    fan_m3h: Annotated[float | None, typer.Option("--fan-m3h", help="Free-air figure of one fan.")] = None,
    fan_share: Annotated[float | None, typer.Option("--fan-share", help="What a case leaves of it.")] = None,
    altitude_meters: Annotated[float | None, typer.Option("--altitude-meters", help="Above the sea.")] = None,
    inlet_celsius: Annotated[float | None, typer.Option("--inlet-celsius", help="Air at the inlet.")] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """The air flow that a heat needs, or how warm an air flow gets."""
    from triage.estimate import cooling as of

    given = {
        "heat_watts": heat_watts, "rise_kelvin": rise_kelvin, "flow_m3h": flow_m3h, "fan_m3h": fan_m3h,
        "fan_share": fan_share, "altitude_meters": altitude_meters, "inlet_celsius": inlet_celsius,
    }  # fmt: skip
    _calculate("cooling", of, of.Heat, of.air, given, form, colour)


@machine.command("topology")
def topology(
    matrix: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Output of nvidia-smi topo -m; else give the numbers.")
    ] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="Number of GPUs.")] = None,
    sockets: Annotated[int | None, typer.Option("--sockets", help="CPU sockets.")] = None,
    lanes: Annotated[int | None, typer.Option("--lanes", help="PCIe lanes of one socket.")] = None,
    reserved: Annotated[int | None, typer.Option("--reserved", help="Lanes of them for network and drives.")] = None,
    generation: Annotated[int | None, typer.Option("--generation", help="PCIe generation, 1 to 6.")] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """How GPUs can be joined, or what the matrix of a machine means."""
    given = {"gpus": gpus, "sockets": sockets, "lanes": lanes, "reserved": reserved, "generation": generation}
    if matrix is None:
        from triage.estimate import topology as of

        if gpus is None:
            text = "give the number of GPUs, or a file with the output of nvidia-smi topo -m."
            raise typer.BadParameter(text, param_hint="'--gpus'")
        _calculate("topology", of, of.Board, of.plan, given, form, colour)
        return
    from triage.estimate import paths
    from triage.estimate.quantities import Unsuitable
    from triage.sources import open_inputs

    if any(value is not None for value in given.values()):
        raise typer.BadParameter("takes no numbers beside it: they are in the matrix.", param_hint="'FILE'")
    if not matrix.exists():
        raise typer.BadParameter(f"{matrix} does not exist; check the path.", param_hint="'FILE'")
    try:
        found = paths.read(open_inputs([matrix]))
    except Unsuitable as error:
        raise typer.BadParameter(f"{matrix} {error.need}.", param_hint="'FILE'") from None
    inputs, result = estimate(lambda: paths.File(str(matrix)), lambda _: paths.reach(found))
    show("topology", inputs, result, paths, {"file": "given"}, form, colour)


def _calculate(
    name: str, module: ModuleType, kind: Any, calculate: Any, given: dict[str, Any], form: ShortFormat, colour: Colour
) -> None:
    """Makes the inputs of what was given, calculates and shows."""
    known = {field: value for field, value in given.items() if value is not None}
    inputs, result = estimate(lambda: kind(**known), calculate)
    show(name, inputs, result, module, dict.fromkeys(known, "given"), form, colour)
