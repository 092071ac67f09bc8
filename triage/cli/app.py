"""The command `triage`: its commands, the short form `triage FILE...`, and one clear line for every error."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from triage.cli import streams
from triage.cli.analyze import analyze
from triage.cli.docs import docs
from triage.cli.history import history
from triage.cli.knowledge import explain, formats_, lint, list_
from triage.cli.machine import collect, preflight
from triage.cli.measure import score, templates
from triage.cli.plan import plan
from triage.cli.recheck import recheck
from triage.cli.redact import redact
from triage.cli.report import report
from triage.cli.serve import mcp, serve
from triage.cli.ticket import ticket

_EXAMPLES = """\b
Examples:
  triage dmesg.txt rank*.log             find the cause in these files
  triage nvidia-bug-report.log.gz        ... in an archive
  journalctl -k -b | triage              ... in what is piped in
  triage analyze --format json job/      the report for a program
  triage explain xid 79                  what it means and what to do

\b
Exit status: 0 healthy, 1 fault, 2 not done,
             3 suspect, unknown or nothing understood."""

class _Group(TyperGroup):
    """Commands whose errors name the mistake, not the library that found it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


# Plain help: it starts twice as fast as the boxed one, and copies well.
app = typer.Typer(
    name="triage",
    cls=_Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXAMPLES,
)


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
app.command("recheck")(recheck)
app.command("collect")(collect)
app.command("preflight")(preflight)
app.command("ticket")(ticket)
app.command("explain")(explain)
app.command("list")(list_)
app.command("formats")(formats_)
app.command("templates")(templates)
app.command("redact")(redact)
app.command("lint")(lint)
app.command("score")(score)
app.add_typer(docs, name="docs")
app.add_typer(plan, name="plan")
app.command("serve")(serve)
app.command("mcp")(mcp)
app.add_typer(history, name="history")
app.add_typer(report, name="report")
app.command("version")(version)
