"""`triage plan`: arithmetic without a GPU. Its commands are loaded when one is named; they have many options."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = ("memory", "pcie", "power", "cooling", "topology")


class _Group(TyperGroup):
    # Contexts and commands are click's or typer's own, by the version of typer.
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        from triage.cli.plan_machine import machine
        from triage.cli.plan_memory import memory

        group = typer.main.get_group(memory if cmd_name == "memory" else machine)
        return group if cmd_name == "memory" else group.get_command(ctx, cmd_name)


plan = typer.Typer(cls=_Group, no_args_is_help=True, rich_markup_mode=None)


@plan.callback()
def _plan() -> None:
    """Calculate what fits: no GPU is needed. Every input is echoed, every formula has its source."""
