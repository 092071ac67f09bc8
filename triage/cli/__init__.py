"""The command line: a guest of the library. It parses, calls, prints and exits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command `triage` and leaves with its exit status."""
    from triage.cli.app import main as run

    run(arguments)
