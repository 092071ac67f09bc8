"""What all estimates share on the command line: sizes with units, errors that name the option, the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

import typer

from triage.cli.options import ShortFormat
from triage.cli.streams import Colour, screen, write, write_rows

SIZE = "SIZE"
T = TypeVar("T")
R = TypeVar("R")


def size_reader(kind: str) -> Callable[[str], Any]:
    """The parser of an option: `count`, or a size of data (`size`), out of a log (`logged`) or of a card (`card`)."""

    def read(text: str) -> Any:
        from triage.estimate import quantities

        try:
            return getattr(quantities, kind)(text)
        except ValueError as error:
            raise typer.BadParameter(f"{error}.") from None

    return read


def option_of(name: str) -> str:
    """`gpu_memory_bytes` -> `--gpu-memory`."""
    return "--" + name.removesuffix("_bytes").replace("_", "-")


def estimate(make: Callable[[], T], calculate: Callable[[T], R]) -> tuple[T, R]:
    """The inputs and the result; what cannot be used is a usage error that names the option."""
    from triage.estimate.quantities import Unsuitable

    try:
        inputs = make()
        return inputs, calculate(inputs)
    except Unsuitable as error:
        raise typer.BadParameter(f"{option_of(error.name)} {error.need}.") from None


def show(
    name: str, inputs: Any, result: Any, module: ModuleType, origins: Mapping[str, str], form: ShortFormat,
    colour: Colour,
) -> None:  # fmt: skip
    """Writes an estimate; `module` tells what it assumes and where its formulas come from."""
    from triage.render import json, plan

    sheet = plan.Sheet(name, inputs, result, module.ASSUMES, module.SOURCES, origins)
    if form is ShortFormat.json:
        write(json.dumps(plan.as_dict(sheet)))
        return
    out = screen(colour)
    write_rows(plan.render(sheet, out.width, fancy=out.fancy), out.colour)
