"""`triage docs`: the library as pages to read and to publish."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triage.cli.options import Signatures, library
from triage.cli.streams import note

docs = typer.Typer(help="Write the library as documentation.", no_args_is_help=True, rich_markup_mode=None)


@docs.callback()
def _docs() -> None:
    """Write the library as documentation."""


@docs.command("build")
def build(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder, or an earlier result.")],
    signatures: Signatures = None,
) -> None:
    """Write every signature and playbook as static HTML. It needs no network and no server."""
    from triage.render import site
    from triage.render.words import counted

    try:
        written = site.build(library(signatures), folder)
    except FileExistsError as error:
        raise typer.BadParameter(str(error), param_hint="'DIR'") from None
    note(f"{counted(written, 'page')}: {folder / 'index.html'}")
