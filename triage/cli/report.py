"""`triage report`: incident reports, checked, written and indexed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import checks
from triage.cli.analyze import zone_offset
from triage.cli.checks import Unwritable, put
from triage.cli.options import Signatures, library
from triage.cli.redact import KeyFile, key_of
from triage.cli.streams import note, write

if TYPE_CHECKING:
    from triage.reports.config import Config

report = typer.Typer(help="Check, write and index incident reports.", no_args_is_help=True, rich_markup_mode=None)


class CheckFormat(StrEnum):
    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


class IndexFormat(StrEnum):
    md = "md"
    html = "html"


@report.callback()
def _report() -> None:
    """Check, write and index incident reports."""


Fix = Annotated[bool, typer.Option("--fix", help="Mend what a program can: redact, fill in, update the analysis.")]
Form = Annotated[CheckFormat, typer.Option("--format", "-f", help="Form of what is found.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it here, and the text to standard output.")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Instead of the nearest .triage.yaml or pyproject.toml.")
]
BaselineFile = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE", help="Known problems; default: the configuration's file.")
]
Update = Annotated[bool, typer.Option("--update-baseline", help="Make what is found now the known problems.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 whatever is found, if it could be checked.")]


@report.command("check", short_help="Check reports against the logs that they quote.")
def check(
    paths: Annotated[list[Path], typer.Argument(metavar="FILES", help="Reports, or folders of reports.")],
    fix: Fix = False,
    form: Form = CheckFormat.text,
    output: Output = None,
    config: ConfigFile = None,
    baseline: BaselineFile = None,
    update_baseline: Update = False,
    exit_zero: ExitZero = False,
    key_file: KeyFile = None,
) -> None:
    """Check that reports are true to the logs that they quote, complete, and free of secrets.

    Exit status: 0 nothing wrong (warnings allowed), 1 problems or something mended, 2 not done.
    """
    status = checks.run(
        paths, fix=fix, form=form.value, output=output, config_file=config, baseline_file=baseline,
        update=update_baseline, exit_zero=exit_zero, key=key_of(key_file),
    )  # fmt: skip
    raise typer.Exit(status)


@report.command("new", short_help="Write a report from an analysis of logs.")
def new(
    logs: Annotated[list[str], typer.Argument(metavar="LOGS", help="Files, folders, archives.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.md", help="The report; must not exist yet.")],
    template: Annotated[
        Path | None, typer.Option("--template", metavar="FILE", help="A Jinja template; default: the configuration's.")
    ] = None,
    tz: Annotated[str | None, typer.Option("--tz", metavar="ZONE", help="Zone of times that name none.")] = None,
    signatures: Signatures = None,
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
    key_file: KeyFile = None,
) -> None:
    """Write a blameless incident report from an analysis of logs, redacted, with the proof quoted.

    Exit status: 0 written, 2 not done.
    """
    from triage.reports.config import ConfigError, config_for
    from triage.reports.new import TemplateError

    if output.exists() and not force:
        raise typer.BadParameter(f"{output} exists; --force writes over it.", param_hint="'--output'")
    if tz is not None:
        zone_offset(tz, True)
    try:
        settings = config_for(output)
        chosen = template or settings.template
        text = _written(logs, output, chosen, tz or settings.timezone, signatures, key_file, settings)
        put(output, text)
    except (ConfigError, TemplateError, Unwritable) as error:
        note(str(error))
        raise typer.Exit(2) from None
    note(f"{output}: fill in what says TODO, then check it: triage report check {output}")


def _written(
    logs: Sequence[str], output: Path, template: Path | None, zone: str, signatures: list[Path] | None,
    key_file: Path | None, settings: Config,
) -> str:  # fmt: skip
    from datetime import UTC, datetime

    from triage import Options, analyze
    from triage.redact import Redactor
    from triage.reports.checks.base import KEPT
    from triage.reports.excerpt import excerpt
    from triage.reports.new import linked, write
    from triage.reports.times import moment, offset

    today = datetime.now(UTC).date().isoformat()
    seconds = offset(zone, moment(output.stem[:10]) or moment(today)) if zone else None
    known = library([*settings.signatures, *(signatures or [])])
    found = analyze(logs, library=known, options=Options(zone=seconds, show_all=True), stdin=sys.stdin.buffer)
    if not any(source.readable for source in found.sources):
        note(found.sources[0].note if found.sources else "nothing to read")
        raise typer.Exit(2)
    redactor = Redactor(key_of(key_file), KEPT)
    proof = excerpt(logs, found, known, redactor, seconds)
    files, outside = ([], []) if proof[0] else linked(logs, output)
    for name in outside:
        note(f"{name} lies outside of the repository: copy it beside the report and link it, or quote what matters")
    return write(
        found, proof, known, redactor, name=output.stem, date=today, files=files, timezone=zone, template=template
    )


@report.command("index", short_help="Index reports, and show trends.")
def index(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of reports.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it here; default: standard output.")
    ] = None,
    form: Annotated[IndexFormat | None, typer.Option("--format", "-f", help="md, or html with plots.")] = None,
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing: is FILE up to date, and is every id used once?")
    ] = False,
) -> None:
    """Index reports and show trends: by signature, host and GPU, and the time to recovery.

    Exit status: 0 written or up to date, 1 out of date or ids used twice, 2 not done.
    """
    from triage.reports.config import ConfigError
    from triage.reports.index import collect, markdown
    from triage.reports.index_page import html

    if not folder.is_dir():
        raise typer.BadParameter(f"{folder} is no folder.", param_hint="'DIR'")
    kind = form or (IndexFormat.html if output and output.suffix in (".html", ".htm") else IndexFormat.md)
    try:
        found = collect(folder, (output or folder / "x").resolve().parent)
    except ConfigError as error:
        note(str(error))
        raise typer.Exit(2) from None
    text = html(found) if kind is IndexFormat.html else markdown(found)
    for problem in found.problems:
        note(problem)
    if check_only:
        if output is None:
            raise typer.BadParameter("--check needs --output.", param_hint="'--output'")
        same = output.exists() and output.read_text(encoding="utf-8") == text
        if not same:
            note(f"{output} is out of date: triage report index {folder} -o {output}")
        raise typer.Exit(0 if same and not found.problems else 1)
    if output is None:
        write(text)
    else:
        try:
            put(output, text)
        except Unwritable as error:
            note(str(error))
            raise typer.Exit(2) from None
        note(f"{output}: {len(found.incidents)} reports")
    raise typer.Exit(1 if found.problems else 0)
