"""`triage explain`, `list` and `lint`: the library for people who read it and who write it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triage.cli.options import ColourOption, Everything, Short, ShortFormat, Signatures, did_you_mean, library
from triage.cli.streams import Colour, note, screen, write, write_rows


def explain(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id of a signature or playbook; triage list shows them.")],
    form: Short = ShortFormat.terminal,
    signatures: Signatures = None,
    everything: Everything = False,
    colour: ColourOption = Colour.auto,
) -> None:
    """Show what a signature means, how it is recognised and what to do."""
    from triage.render import explain as page
    from triage.render import json

    known = library(signatures)
    if name not in known.signatures and name in known.playbooks:
        write(known.playbooks[name].text.rstrip() + "\n")
        return
    if name not in known.signatures:
        near = did_you_mean(name, [*known.signatures, *known.playbooks])
        raise typer.BadParameter(f"no signature {name!r}.{near} triage list shows all.", param_hint="'ID'")
    signature = known.signatures[name]
    if form is ShortFormat.json:
        write(json.dumps(page.as_dict(known, signature)))
        return
    out = screen(colour)
    examples = page.examples(signature)
    write_rows(
        page.render(known, signature, examples, out.width, fancy=out.fancy, everything=everything), out.colour
    )


def list_(
    family: Annotated[str | None, typer.Option("--family", metavar="FAMILY", help="Only this family.")] = None,
    form: Short = ShortFormat.terminal,
    signatures: Signatures = None,
    colour: ColourOption = Colour.auto,
) -> None:
    """List the signatures, by family."""
    from triage.render import catalogue, json

    known = library(signatures)
    found = list(known.signatures.values())
    families = sorted({signature.family for signature in found})
    if family is not None and family not in families:
        near = did_you_mean(family, families) or f" Known: {', '.join(families)}."
        raise typer.BadParameter(f"no family {family!r}.{near}", param_hint="'--family'")
    found = [signature for signature in found if family in (None, signature.family)]
    if form is ShortFormat.json:
        write(json.dumps(catalogue.signatures_dict(found)))
        return
    out = screen(colour)
    write_rows(catalogue.signatures(found, out.width, fancy=out.fancy), out.colour)


def lint(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[DIR]...", help="Folders of signatures; default: the own library.")
    ] = None,
) -> None:
    """Prove signatures, playbooks and links on their own examples.

    Exit status: 0 nothing wrong, 1 problems, 2 not done.
    """
    from triage.library.lint import lint as check

    for folder in folders or []:
        if not folder.exists():
            raise typer.BadParameter(f"{str(folder)!r} does not exist.", param_hint="'DIR'")
    problems = check(folders or [])
    wrong = [problem for problem in problems if problem.level == "error"]
    write("".join(f"{problem}\n" if problem in wrong else f"{problem} ({problem.level})\n" for problem in problems))
    note(f"{len(wrong)} errors, {len(problems) - len(wrong)} notes")
    raise typer.Exit(1 if wrong else 0)
