"""`triage preflight` and `collect`: commands that look at this machine."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli.options import ColourOption, Short, ShortFormat, did_you_mean
from triage.cli.recheck import Gpu, Python, settings
from triage.cli.redact import KeyFile, redactor
from triage.cli.streams import Colour, note, screen, write, write_rows

if TYPE_CHECKING:
    from triage.collect.deviation import Deviation

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def _span(text: str, option: str) -> float:
    """Seconds of `90`, `60s`, `5min`, `72h`, `3d`."""
    found = _SPAN.fullmatch(text.strip())
    if found is None or float(found[1]) <= 0:
        raise typer.BadParameter(f"{text!r} is no time; write e.g. 60s, 5min or 72h.", param_hint=f"'{option}'")
    return float(found[1]) * _SECONDS[found[2] or "s"]


def preflight(
    expect: Annotated[
        int | None, typer.Option("--expect-gpus", metavar="N", min=0, help="How many GPUs this machine should have.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="PROBE", help="Leave out this probe. Repeatable.")
    ] = None,
    gpu: Gpu = None,
    python: Python = None,
    nagios: Annotated[bool, typer.Option("--nagios", help="One line, for monitoring.")] = False,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """Check whether this machine is fit for a job. Reads only.

    Exit status, as of monitoring plugins: 0 pass, 1 warn, 2 fail, 3 unknown.
    """
    from triage import preflight as checking
    from triage.render import json
    from triage.render import preflight as rendering

    for name in skip or []:
        if name not in checking.names():
            near = did_you_mean(name, checking.names()) or " triage recheck --list shows all."
            raise typer.BadParameter(f"no such check: {name!r}.{near}", param_hint="'--skip'")
    try:
        items = checking.preflight(settings(python, False, False, gpu, quiet=True), expect, skip or ())
    except LookupError as error:
        raise typer.BadParameter(str(error.args[0]), param_hint="'--gpu'") from None
    out = screen(colour)
    if nagios:
        write(rendering.headline(items))
    elif form is ShortFormat.json:
        write(json.dumps(rendering.as_dict(items)), "json")
    else:
        write_rows(rendering.rows(items, out.width, fancy=out.fancy), out.colour)
    raise typer.Exit(checking.code(items))


def collect(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="LOGS", help="Logs of the job to add: files or folders.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here; default: triage-TIME.tar.gz.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--no-redact", help="Keep secrets, users, hosts, addresses, UUIDs and serials as they are.")
    ] = False,
    key_file: KeyFile = None,
    watch: Annotated[
        str | None, typer.Option("--watch", metavar="TIME", help="Instead: sample all GPUs for so long, e.g. 72h.")
    ] = None,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="With --watch: time between samples.")] = "60s",
    python: Python = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """Collect what a diagnosis needs here into one archive. Reads only; redacted.

    `triage analyze` reads the archive, and the time series of --watch.
    """
    chosen = settings(python, False, False, quiet=True)
    try:
        if watch is not None:
            _watch(output, chosen.python, _span(watch, "--watch"), _span(every, "--every"))
        else:
            from triage.collect.collect import collect as run
            from triage.collect.collect import default_name

            for path in logs or []:
                if not path.exists():
                    raise typer.BadParameter(f"{path} does not exist.", param_hint="'LOGS'")
            target = output or default_name()
            one = None if plain else redactor(key_file)
            if not quiet:
                note("collecting, at most about a minute ...")
            manifest = run(target, chosen.python, logs=logs or (), redactor=one)
            for missed in manifest["unread"] if not quiet else ():
                note(f"not read: {missed['name']}: {missed['why']}")
            write(f"{target}\n")
    except OSError as error:
        note(f"{error.filename or output}: {error.strerror or error}")
        raise typer.Exit(2) from None


def _watch(output: Path | None, python: str, seconds: float, every: float) -> None:
    import time

    from triage.collect.watch import watch

    def say(one: Deviation) -> None:
        note(f"{one.where} {one.what}: {one.now}, before {one.before}")

    target = output or Path(time.strftime("triage-watch-%Y%m%d-%H%M%S.csv"))
    note(f"sampling into {target} every {every:g} s; Ctrl-C ends it")
    try:
        with suppress(KeyboardInterrupt):
            watch(target, python, seconds, every, say)
    except LookupError as error:
        note(f"nothing can be sampled here: {error.args[0]} (--python names one that has nvidia-ml-py)")
        raise typer.Exit(2) from None
    write(f"{target}\n")
