"""`triage ticket`: the text for a vendor's support."""

from __future__ import annotations

from typing import Annotated

import typer

from triage.cli.streams import note, unread, write


def ticket(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT", help="A report (analyze --format json), or logs and archives; or both."),
    ],
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="PCI|UUID", help="The first fault of this GPU; default: the root cause.")
    ] = "",
) -> None:
    """Write the text of a ticket for the vendor of a part.

    Part, fault, proof, counters, history, and what is still to be added.

    Exit status: 0 written, 1 no fault to report, 2 not done.
    """
    from triage import analyze
    from triage.render import json
    from triage.render import ticket as rendering
    from triage.ticket import inventory, load
    from triage.ticket import ticket as make

    report, rest = load(inputs)
    if report is None:
        found = analyze(rest)
        if not any(source.readable for source in found.sources):
            unread(found.sources)
            raise typer.Exit(2)
        report = json.as_dict(found)
    try:
        made = make(report, *inventory(rest), gpu)
    except LookupError as error:
        raise typer.BadParameter(f"{error.args[0]}.", param_hint="'--gpu'") from None
    write(rendering.render(made))
    note("the ticket holds serial numbers, host names and log lines as they are: read it before you send it")
    raise typer.Exit(0 if made.cause else 1)
