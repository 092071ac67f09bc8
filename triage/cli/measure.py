"""`triage templates` and `score`: what a log consists of, and how well the tool does on labelled cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triage.cli.options import ColourOption, Everything, Short, ShortFormat, Signatures, library
from triage.cli.streams import Colour, row_width, screen, unread, write, write_rows
from triage.model import Source

_KINDS = 60  # templates shown without --all


def templates(
    paths: Annotated[list[str], typer.Argument(metavar="FILE", help="Files, folders, archives; - is stdin.")],
    form: Short = ShortFormat.terminal,
    signatures: Signatures = None,
    everything: Everything = False,
    colour: ColourOption = Colour.auto,
) -> None:
    """Count the lines of logs by kind, with their signatures."""
    from triage.pipeline import templates as count
    from triage.render import catalogue, json

    sources: list[Source] = []
    stdin = sys.stdin.buffer if "-" in paths else None
    found = count(paths, library=library(signatures), stdin=stdin, read=sources)
    unread(sources)
    if not any(source.readable for source in sources):
        raise typer.Exit(2)
    if form is ShortFormat.json:
        write(json.dumps(catalogue.templates_dict(found)))
        return
    out = screen(colour)
    most = None if everything else _KINDS
    write_rows(catalogue.templates(found, row_width(out), fancy=out.fancy, most=most), out.colour)


def score(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Folders of cases with expect.yaml.")],
    rewrites: Annotated[
        bool, typer.Option("--rewrites", help="Also with other pids, versions, hosts, times, names, and added lines.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write each case to this file.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Name each case that is not right.")] = False,
    signatures: Signatures = None,
) -> None:
    """Score the tool on labelled cases."""
    from dataclasses import asdict
    from io import StringIO

    from triage import score as scoring
    from triage.render import json

    try:
        result = scoring.score(folders, rewrites, library(signatures))
    except (FileNotFoundError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="'FOLDER'") from None
    if out is not None:
        out.write_text(json.dumps([asdict(row) for row in result.rows]), encoding="utf-8")
    text = StringIO()
    scoring.print_result(result, show, text)
    write(text.getvalue())
