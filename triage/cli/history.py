"""`triage history`: what was seen before, and what helped."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli.options import ColourOption, Short, ShortFormat
from triage.cli.streams import Colour, note, row_width, screen, unread, write, write_rows

if TYPE_CHECKING:
    from triage.history import Entry, History

history = typer.Typer(help="Look at kept reports.", no_args_is_help=True, rich_markup_mode=None)
VARIABLE = "TRIAGE_HISTORY"

StoreOption = Annotated[
    str | None,
    typer.Option("--history", metavar="FILE|URL", envvar=VARIABLE, help="Where reports are kept.", show_default=False),
]


def default_store() -> str:
    """The file below the user's data folder in which `triage serve` keeps reports."""
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA") or str(Path.home() / ".local" / "share")
    return str(Path(base) / "triage" / "history.db")


def open_history(store: str | None) -> History:
    """The history; a usage error says why it cannot be opened."""
    try:
        from triage.history import History, HistoryError
    except ImportError:
        raise typer.BadParameter('the history needs `pip install "gpu-triage[serve]"`') from None
    try:
        return History(store or default_store())
    except HistoryError as error:
        raise typer.BadParameter(str(error), param_hint="'--history'") from None


@history.command("list")
def list_(
    cause: Annotated[str, typer.Option("--cause", metavar="ID", help="Only this root cause.")] = "",
    host: Annotated[str, typer.Option("--host", metavar="NAME", help="Only this host (its pseudonym).")] = "",
    gpu: Annotated[str, typer.Option("--gpu", metavar="NAME", help="Only this GPU, as the list names it.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many, the newest first.")] = 30,
    form: Short = ShortFormat.terminal,
    store: StoreOption = None,
) -> None:
    """List kept reports, the newest first."""
    from dataclasses import asdict

    from triage.render.json import dumps

    found = open_history(store).entries(cause=cause, host=host, device=gpu, limit=limit)
    if form is ShortFormat.json:
        write(dumps([asdict(entry) for entry in found]))
        return
    width = row_width(screen(Colour.auto))
    write("".join(f"{_row(entry, width)}\n" for entry in found))
    if not found:
        note("no such report is kept")


@history.command("show")
def show(
    id: Annotated[str, typer.Argument(metavar="ID")], store: StoreOption = None, colour: ColourOption = Colour.auto
) -> None:  # fmt: skip
    """Show a kept report."""
    from triage.render import terminal
    from triage.render.from_json import report_of

    found = open_history(store).get(id)
    if found is None:
        raise typer.BadParameter(f"no report {id}; triage history list shows all.", param_hint="'ID'")
    out = screen(colour)
    rows = terminal.render(report_of(found[1]), out.width, colour=out.colour, fancy=out.fancy)
    write_rows(rows, out.colour)


@history.command("seen")
def seen(
    logs: Annotated[list[str], typer.Argument(metavar="LOGS", help="Files, folders, archives or -.")],
    store: StoreOption = None,
) -> None:
    """Tell whether the cause in these logs was seen before.

    On this GPU or host, what helped, and what was most alike.

    Names are compared as pseudonyms of this history. Exit status: 0 seen, 1 not seen, 2 not done.
    """
    import sys

    from triage import analyze

    kept = open_history(store)
    found = analyze(logs, stdin=sys.stdin.buffer)
    if not any(source.readable for source in found.sources):
        unread(found.sources)
        raise typer.Exit(2)

    from triage.history.recurrence import sentence
    from triage.redact import Redactor
    from triage.redact.report import redact_report
    from triage.render.json import as_dict
    from triage.render.text import wrap

    report = as_dict(redact_report(found, Redactor(bytes.fromhex(kept.salt))))
    before = kept.seen(report)
    width = row_width(screen(Colour.auto))
    write("".join(f"{row}\n" for row in wrap(sentence(before) if before else "Not seen before.", width)))
    for share, entry in kept.nearest(report):
        write(f"{share:4.0%} alike  {_row(entry, width - len('100% alike  '))}\n")
    raise typer.Exit(0 if before else 1)


@history.command("mark")
def mark(
    id: Annotated[str, typer.Argument(metavar="ID")],
    fixed: Annotated[str, typer.Option("--fixed", metavar="TEXT", help="What fixed it.")] = "",
    not_same: Annotated[bool, typer.Option("--not-same", help="It only looked like the earlier ones.")] = False,
    store: StoreOption = None,
) -> None:
    """Note what fixed a fault, or that it is another than it seemed."""
    from triage.history import HistoryError

    if bool(fixed) == not_same:
        raise typer.BadParameter("give either --fixed TEXT or --not-same")
    try:
        open_history(store).mark(id, "fixed" if fixed else "not-same", fixed)
    except HistoryError as error:
        raise typer.BadParameter(str(error), param_hint="'ID'") from None


@history.command("forget")
def forget(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID")] = None,
    expired: Annotated[bool, typer.Option("--expired", help="All whose time is over.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete reports for good."""
    kept = open_history(store)
    gone = sum(kept.forget(id) for id in ids or ()) + (kept.purge() if expired else 0)
    note(f"{gone} deleted")
    raise typer.Exit(0 if gone or expired else 1)


def _row(entry: Entry, width: int) -> str:
    """One row, or where that is too wide the summary below it."""
    from triage.render.text import cells, wrap

    when = datetime.fromtimestamp(entry.created, UTC)
    head = f"{entry.id}  {when:%Y-%m-%d %H:%M}Z  {entry.verdict:7}  "
    if cells(head + entry.summary) <= width:
        return head + entry.summary
    return "\n".join([head.rstrip(), *(f"    {row}" for row in wrap(entry.summary, width - 4))])
