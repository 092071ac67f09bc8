"""`triage redact`: logs that may be shown to others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from triage.cli.run import KEY_VARIABLE, environment_key
from triage.cli.streams import note, write_exactly

if TYPE_CHECKING:
    from triage.redact import Redactor

KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file", metavar="FILE",
        help=f"Key for the pseudonyms, so that several runs agree; else {KEY_VARIABLE}, else a new one each time.",
    ),
]  # fmt: skip


def redactor(key_file: Path | None) -> Redactor:
    """A redactor with the key of the file, else of the environment, else a random one."""
    from triage.redact import Redactor

    return Redactor(key_of(key_file))


def key_of(key_file: Path | None) -> bytes | None:
    """The key in the file, else of the environment, else None. Raises typer.BadParameter for a file without one."""
    if key_file is None:
        return environment_key()
    try:
        key = key_file.read_bytes().strip()
    except OSError as error:
        raise typer.BadParameter(f"{key_file}: {error.strerror}", param_hint="'--key-file'") from None
    if len(key) < 16:
        text = f"{key_file} holds no key: make one with `openssl rand -hex 32 > {key_file}`."
        raise typer.BadParameter(text, param_hint="'--key-file'")
    return key


def redact(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="FILES", help="Logs; - is standard input.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="Write here: a file, or a folder for several files."),
    ] = None,
    key_file: KeyFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notes on standard error.")] = False,
) -> None:
    """Take secrets out of logs, and put pseudonyms for names.

    Users, hosts, addresses, UUIDs and serials get the same pseudonym throughout a run. What a diagnosis needs stays:
    PCI addresses, error codes, versions and messages.
    """
    from triage.redact.stream import NotText

    inputs = paths or ([] if sys.stdin.isatty() else ["-"])
    if not inputs:
        raise typer.BadParameter("name a file, or pipe a log in.", param_hint="'FILES'")
    if len(inputs) > 1 and output is None:
        raise typer.BadParameter("several files need --output DIR.", param_hint="'--output'")
    one = redactor(key_file)
    try:
        _write(inputs, output, one)
    except NotText as error:
        note(str(error))
        raise typer.Exit(2) from None
    except OSError as error:
        note(f"{error.filename}: {error.strerror}")
        raise typer.Exit(2) from None
    if not quiet:
        counts = ", ".join(f"{count} {kind}" for kind, count in one.counts.most_common())
        note(f"replaced: {counts or 'nothing'}")


def _write(inputs: list[str], output: Path | None, one: Redactor) -> None:
    from triage.redact.stream import redacted

    opened: list[Path | BinaryIO] = [sys.stdin.buffer if name == "-" else Path(name) for name in inputs]
    for name, pieces in zip(inputs, redacted(opened, one), strict=True):
        if output is None:
            for piece in pieces:
                write_exactly(piece)
            continue
        folder = len(inputs) > 1 or output.is_dir()
        target = output / one.redact("stdin.txt" if name == "-" else Path(name).name) if folder else output
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and any(name != "-" and target.samefile(name) for name in inputs):
            raise OSError(0, "would be overwritten; give another --output", str(target))
        with target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.writelines(pieces)
