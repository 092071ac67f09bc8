"""`triage analyze`: from logs to the cause."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from triage import clock
from triage.cli.options import (
    ColourOption,
    Everything,
    Format,
    Lang,
    LangOption,
    Signatures,
    complete_id,
    did_you_mean,
    library,
)
from triage.cli.recheck import settings
from triage.cli.redact import KeyFile, redactor
from triage.cli.run import run
from triage.cli.streams import Colour, note


def zone_offset(zone: str, quiet: bool) -> float:
    """Seconds east of UTC of `+02:00`, `UTC` or `Europe/Berlin`."""
    try:
        seconds, changes = clock.zone_of(zone)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="'--tz'") from None
    if changes and not quiet:
        note(f"{zone} is read with today's offset; for a log of the other half of the year give the offset")
    return seconds


def analyze(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATHS", help="Files, folders, archives; - is standard input.", show_default=False),
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the report.")] = Format.terminal,
    tz: Annotated[
        str | None,
        typer.Option("--tz", metavar="ZONE", help="Zone of times that name none, e.g. +02:00 or Europe/Berlin."),
    ] = None,
    signatures: Signatures = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore", metavar="ID", help="Leave out this signature. Repeatable.", autocompletion=complete_id
        ),
    ] = None,
    everything: Everything = False,
    lang: LangOption = Lang.en,
    redact: Annotated[
        bool, typer.Option("--redact", help="Report without secrets, with pseudonyms for users, hosts and addresses.")
    ] = False,
    key_file: KeyFile = None,
    live: Annotated[bool, typer.Option("--live", help="Re-check the causes on this machine (triage recheck).")] = False,
    stress: Annotated[bool, typer.Option("--stress", help="With --live: allow load and allocation.")] = False,
    python: Annotated[
        str | None, typer.Option("--python", metavar="PATH", help="With --live: the interpreter that has PyTorch.")
    ] = None,
    nagios: Annotated[
        bool, typer.Option("--nagios", help="One line and the exit codes of monitoring plugins (0, 1, 2, 3).")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit 0 whatever the report says, if it could be made.")
    ] = False,
    colour: ColourOption = Colour.auto,
) -> None:
    """Find the root cause in logs, with its proof and what to do.

    Exit status: 0 healthy, 1 fault, 2 not done, 3 suspect, unknown or nothing understood.
    """
    from triage import Options

    inputs = paths or ([] if sys.stdin.isatty() else ["-"])
    if not inputs:
        raise typer.BadParameter("name a file or folder, or pipe a log in.", param_hint="'PATHS'")
    known = library(signatures, quiet)
    for name in ignore or []:
        if name not in known.signatures and not quiet:
            note(f"--ignore {name}: no such signature.{did_you_mean(name, list(known.signatures))}")
    zone = None if tz is None else zone_offset(tz, quiet)
    options = Options(zone=zone, ignore=frozenset(ignore or ()), show_all=everything)
    checks = settings(python, stress, False, quiet=quiet) if live else None
    status = run(
        inputs, known, options, "nagios" if nagios else form.value, colour, quiet, lang.value,
        redactor(key_file) if redact else None, checks,
    )  # fmt: skip
    raise typer.Exit(0 if exit_zero and status != 2 else status)
