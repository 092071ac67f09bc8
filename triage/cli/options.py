"""Options that several commands share, and the look-up of ids."""

from __future__ import annotations

import difflib
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli.streams import Colour, note

if TYPE_CHECKING:
    from triage.library.library import Library


class Format(StrEnum):
    terminal = "terminal"
    json = "json"
    md = "md"
    html = "html"
    csv = "csv"
    sarif = "sarif"


class Lang(StrEnum):
    en = "en"
    zh = "zh"


class ShortFormat(StrEnum):
    terminal = "terminal"
    json = "json"


Signatures = Annotated[
    list[Path] | None,
    typer.Option("--signatures", metavar="DIR", help="Also use the signatures and playbooks of this folder."),
]
ColourOption = Annotated[Colour, typer.Option("--color", help="Colours on standard output.")]
Short = Annotated[ShortFormat, typer.Option("--format", "-f", help="Form of the output.")]
LangOption = Annotated[Lang, typer.Option("--lang", help="Language; what is not translated stays English.")]
Everything = Annotated[bool, typer.Option("--all", "-a", help="Show everything, however long.")]


def library(folders: list[Path] | None, quiet: bool = False) -> Library:
    """The library of the package and of `folders`; a folder that is not there is a usage error."""
    from triage import load_library

    for folder in folders or []:
        if not folder.exists():
            raise typer.BadParameter(f"{str(folder)!r} does not exist.", param_hint="'--signatures'")
    found = load_library(folders or [])
    if not quiet:
        for problem in found.problems[:3]:
            note(f"left out of the library: {problem}")
        if len(found.problems) > 3:
            note(f"{len(found.problems) - 3} more problems in the library: triage lint")
    return found


def complete_id(incomplete: str) -> list[str]:
    """Ids of signatures that begin with what is typed."""
    from triage import load_library

    return sorted(name for name in load_library().signatures if name.startswith(incomplete.lower()))


def complete_family(incomplete: str) -> list[str]:
    """Families of signatures that begin with what is typed."""
    from triage import load_library

    families = {signature.family for signature in load_library().signatures.values()}
    return sorted(name for name in families if name.startswith(incomplete.lower()))


def did_you_mean(name: str, known: list[str]) -> str:
    """` Did you mean 'xid-79'?`, or nothing."""
    near = difflib.get_close_matches(name.lower(), known, 3, 0.6) or [k for k in known if name.lower() in k][:3]
    return f" Did you mean {' or '.join(repr(k) for k in near)}?" if near else ""
