"""One analysis for the command line, without the parser of options: `triage FILE...` needs no more than this."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.cli.streams import Colour, Progress, screen, spoken, write, write_rows
from triage.cli.words import split
from triage.model import Report

if TYPE_CHECKING:
    from triage import Options
    from triage.library.library import Library
    from triage.recheck.check import Settings
    from triage.redact import Redactor

KEY_VARIABLE = "TRIAGE_REDACT_KEY"
FORMS = ("terminal", "json", "md")
_FLAGS = {
    "--quiet": "quiet", "-q": "quiet", "--all": "everything", "-a": "everything", "--exit-zero": "exit_zero",
}  # fmt: skip


def environment_key() -> bytes | None:
    """The key of the pseudonyms, where the environment holds one."""
    return os.environ.get(KEY_VARIABLE, "").encode() or None


def exit_status(report: Report) -> int:
    """0 healthy, 1 fault, 2 nothing could be read, 3 suspect, unknown or nothing understood."""
    if report.sources and not any(source.readable for source in report.sources):
        return 2
    return {"healthy": 0, "fault": 1}.get(report.verdict, 3)


def _show(report: Report, form: str, colour: Colour, everything: bool) -> None:
    if form == "md":
        from triage.render import markdown

        write(markdown.render(report, everything))
    elif form == "terminal":
        from triage.render import terminal

        out = screen(colour)
        rows = terminal.render(
            report, out.width, height=out.height, colour=out.colour, fancy=out.fancy, everything=everything
        )
        write_rows(rows, out.colour)
    else:
        text = import_module(f"triage.render.{form}").render(report)
        write(text, "html" if form == "html" else "" if form in ("csv", "nagios") else "json")


def run(
    inputs: Sequence[str | Path], library: Library, options: Options, form: str = "terminal",
    colour: Colour = Colour.auto, quiet: bool = False, lang: str = "en", redactor: Redactor | None = None,
    live: Settings | None = None,
) -> int:  # fmt: skip
    """Analyses the inputs, prints the report (through the redactor, if there is one) and gives the exit status.

    With `live` the causes are re-checked on this machine before that.
    """
    from triage import analyze
    from triage.render.lang import using

    progress = Progress(quiet)
    stdin = sys.stdin.buffer if "-" in inputs else None
    try:
        report = analyze(inputs, library=library, options=replace(options, progress=progress), stdin=stdin)
    finally:
        progress.close()
    if live is not None:
        from triage.recheck import check

        check.live(report, live)
    if redactor is not None:
        from triage.redact.report import redact_report

        report = redact_report(report, redactor)
    with using(spoken(lang, quiet) if form in ("terminal", "md") else lang):
        _show(report, form, colour, options.show_all)
    if form == "nagios":
        from triage.render import nagios

        return nagios.status(report)
    return exit_status(report)


def straight(words: Sequence[str]) -> dict[str, Any] | None:
    """What `run_straight` is to be given for these words behind `triage analyze`, as they are typed most; None where
    any other option is among them."""
    told: dict[str, Any] = {"form": "terminal", "quiet": False, "everything": False, "exit_zero": False}
    paths = None if "--" in words else split(words, _FLAGS, told)
    if paths is None:
        return None
    if not paths and sys.stdin is not None and not sys.stdin.isatty():
        paths.append("-")
    return {"paths": paths, **told} if paths and told["form"] in FORMS else None


def run_straight(paths: Sequence[str], form: str, quiet: bool, everything: bool, exit_zero: bool) -> int:
    """`triage FILE...` without the parser of options, which takes half of the start-up time."""
    from triage import Options, load_library

    status = run(paths, load_library(), Options(show_all=everything), form, quiet=quiet)
    return 0 if exit_zero and status != 2 else status
