"""`triage analyze`: from logs to the cause."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timedelta
from typing import Annotated

import typer

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
from triage.cli.redact import KeyFile, redactor
from triage.cli.run import run
from triage.cli.streams import Colour, note

_ZONE = re.compile(r"(?:UTC|GMT)?([+-])([0-9]{1,2}):?([0-9]{2})?")


def _offset(zone: str, quiet: bool) -> float:
    """Seconds east of UTC of `+02:00`, `UTC` or `Europe/Berlin`."""
    from zoneinfo import ZoneInfo

    found = _ZONE.fullmatch(zone)
    if found:
        seconds = int(found[2]) * 3600 + int(found[3] or 0) * 60
        return float(-seconds if found[1] == "-" else seconds)
    try:
        place = ZoneInfo(zone)
    except (OSError, ValueError, LookupError):
        text = f"{zone!r} is not a known time zone; write e.g. +02:00, UTC or Europe/Berlin."
        raise typer.BadParameter(text, param_hint="'--tz'") from None
    now = datetime.now(place)
    if now.replace(month=1, day=1).utcoffset() != now.replace(month=7, day=1).utcoffset() and not quiet:
        note(f"{zone} is read with today's offset, {now:%z}; for a log of the other half of the year give the offset")
    return (now.utcoffset() or timedelta()).total_seconds()


def analyze(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATHS]...", help="Files, folders, archives; - is standard input.", show_default=False),
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
    zone = None if tz is None else _offset(tz, quiet)
    options = Options(zone=zone, ignore=frozenset(ignore or ()), show_all=everything)
    status = run(inputs, known, options, form.value, colour, quiet, lang.value, redactor(key_file) if redact else None)
    raise typer.Exit(0 if exit_zero and status != 2 else status)
