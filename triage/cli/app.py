"""The command `triage`: its commands, the short form `triage FILE...`, and one clear line for every error."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from triage.cli import streams
from triage.cli.analyze import analyze
from triage.cli.knowledge import explain, lint, list_
from triage.cli.measure import score, templates

_EXAMPLES = """\b
Examples:
  triage dmesg.txt rank*.log                 find the cause in these files
  triage nvidia-bug-report.log.gz            ... in an archive
  journalctl -k -b | triage                  ... in what is piped in
  triage analyze --format json job/ | jq .   the report for a program
  triage explain xid-79                      what it means and what to do

\b
Exit status: 0 healthy, 1 fault, 2 not done, 3 suspect, unknown or nothing understood."""
_OWN_OPTIONS = ("-h", "--help", "--version", "--install-completion", "--show-completion")

# Plain help: it starts twice as fast as the boxed one, and copies well.
app = typer.Typer(
    name="triage",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXAMPLES,
)
COMMANDS = ("analyze", "explain", "list", "templates", "lint", "score", "version")


def _version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def _app(
    _wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Find the root cause of a broken GPU machine or training job in its logs.

    triage FILE... is short for triage analyze FILE...
    """


def version() -> None:
    """Show the version."""
    from triage import __version__

    streams.write(f"triage {__version__}\n")


app.command("analyze")(analyze)
app.command("explain")(explain)
app.command("list")(list_)
app.command("templates")(templates)
app.command("lint")(lint)
app.command("score")(score)
app.command("version")(version)


def with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with `analyze` put in where no command is named; a mistyped command is left for an error."""
    if not arguments:
        return ["--help"] if sys.stdin is None or sys.stdin.isatty() else ["analyze", "-"]
    first = arguments[0]
    if first in COMMANDS or first in _OWN_OPTIONS:
        return list(arguments)
    mistyped = re.fullmatch(r"[a-z]+", first) and difflib.get_close_matches(first, COMMANDS, 1, 0.7)
    if mistyped and not os.path.lexists(first):
        return list(arguments)
    return ["analyze", *arguments]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and leaves with its exit status. TRIAGE_DEBUG shows tracebacks of internal errors."""
    streams.prepare()
    try:
        app(args=with_command(sys.argv[1:] if arguments is None else arguments), prog_name="triage")
    except Exception as error:
        if os.environ.get("TRIAGE_DEBUG"):
            raise
        text = " ".join(str(error).split()) or "no details"
        streams.note(f"internal error: {type(error).__name__}: {text[:300]}")
        streams.note("This is a bug. Please report it with the output of the same command under TRIAGE_DEBUG=1.")
        sys.exit(2)
    sys.exit(0)
