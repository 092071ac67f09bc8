"""`triage recheck`: is it still true on this machine?"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from triage.cli.options import ColourOption, Short, ShortFormat, did_you_mean
from triage.cli.streams import Colour, note, screen, write, write_rows

if TYPE_CHECKING:
    from triage.recheck.check import Settings
    from triage.recheck.judging import Result

Stress = Annotated[bool, typer.Option("--stress", help="Allow load and allocation on the visible GPUs.")]
Force = Annotated[
    bool, typer.Option("--force", help="With --stress: also where others work, and with all of the free memory.")
]
Python = Annotated[
    str | None,
    typer.Option("--python", metavar="PATH", help="Interpreter that has PyTorch; default: of the active environment."),
]
Gpu = Annotated[
    str | None, typer.Option("--gpu", metavar="N|UUID|PCI", help="Only this GPU: index, UUID or PCI address.")
]


def settings(
    python: str | None, stress: bool, force: bool, gpu: str | None = None, quiet: bool = False
) -> Settings:
    """The settings of a re-check; an interpreter that is none is a usage error."""
    from triage.recheck.check import Settings
    from triage.recheck.interpreter import choose

    try:
        chosen = choose(python)
    except FileNotFoundError as error:
        raise typer.BadParameter(f"{error}.", param_hint="'--python'") from None
    progress: Callable[[str], None] = (lambda name: None) if quiet else (lambda name: note(f"probe {name} ..."))
    return Settings(chosen, stress, force, gpu, progress)


def exit_status(results: list[Result]) -> int:
    """1 something is confirmed, 0 all that applies is refuted, 3 something stayed inconclusive or nothing applies."""
    outcomes = {one.outcome for one in results}
    if "confirmed" in outcomes:
        return 1
    return 0 if "refuted" in outcomes and "inconclusive" not in outcomes else 3


def complete_probe(incomplete: str) -> list[str]:
    """Probes, then ids of signatures with a re-check, that begin with what is typed."""
    from triage import load_library
    from triage.recheck.registry import probes

    ids = sorted(one.id for one in load_library().signatures.values() if one.recheck)
    return [name for name in [*probes(), *ids] if name.startswith(incomplete.lower())]


def _loaded(path: Path) -> Any:
    try:
        return jsonlib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{path}: {error}", param_hint="'--compare'") from None


def _compare(before: Path, after: Path, form: ShortFormat, colour: Colour) -> None:
    from triage.render import json, recheck

    try:
        rows = recheck.differences(_loaded(before), _loaded(after))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="'--compare'") from None
    out = screen(colour)
    if form is ShortFormat.json:
        write(json.dumps(rows))
    else:
        write_rows(recheck.comparison(rows, out.width, fancy=out.fancy), out.colour)


def _list(name: str | None, form: ShortFormat, colour: Colour) -> None:
    from triage import load_library
    from triage.recheck.registry import probes, users
    from triage.render import json, recheck

    known, used = probes(), users(load_library().signatures)
    if name is not None and name not in known:
        near = did_you_mean(name, list(known))
        raise typer.BadParameter(f"no probe {name!r}.{near} --list shows all.", param_hint="'PROBE|ID'")
    out = screen(colour)
    if form is ShortFormat.json:
        write(json.dumps(recheck.probes_dict({n: p for n, p in known.items() if name in (None, n)}, used)))
    elif name is None:
        write_rows(recheck.probes(known, out.width, fancy=out.fancy), out.colour)
    else:
        write_rows(recheck.probe(known[name], used[name], out.width, fancy=out.fancy), out.colour)


def _named(name: str | None, stress: bool) -> tuple[list[str], str | None]:
    """The probes that are meant, and the id of the diagnosis."""
    from triage import load_library
    from triage.library.lookup import find
    from triage.recheck.check import names_of
    from triage.recheck.registry import probes

    if name is None or name in probes():
        return names_of(name, {}, stress), None
    known = load_library()
    found = find(name, known)
    if found is None or found not in known.signatures:
        near = did_you_mean(name, [*probes(), *known.signatures])
        text = f"neither a probe nor an id: {name!r}.{near} --list shows all probes."
        raise typer.BadParameter(text, param_hint="'PROBE|ID'")
    if not known.signatures[found].recheck:
        raise typer.BadParameter(f"no probe can check {found} on a machine.", param_hint="'PROBE|ID'")
    return list(known.signatures[found].recheck), found


def recheck(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBE|ID", autocompletion=complete_probe, show_default=False,
            help="A probe, or the id of a diagnosis; without: all probes that only read, with --stress all.",
        ),
    ] = None,
    gpu: Gpu = None,
    stress: Stress = False,
    force: Force = False,
    python: Python = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value of the finding, e.g. requested=20GiB. Repeatable."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the probes; with a name: all about it.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--compare", metavar="A B", help="Compare two results of `--format json`."),
    ] = None,
    form: Short = ShortFormat.terminal,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
    colour: ColourOption = Colour.auto,
) -> None:  # fmt: skip
    """Check on this machine whether a diagnosis still holds. Reads only, unless --stress is given.

    Exit status: 0 refuted as far as it applies, 1 something is confirmed, 2 not done, 3 inconclusive or not applicable.
    """
    if compare is not None:
        return _compare(*compare, form, colour)
    if list_:
        return _list(name, form, colour)
    from triage.recheck.check import check
    from triage.recheck.expectation import from_options
    from triage.render import json
    from triage.render import recheck as rendering

    names, diagnosis = _named(name, stress)
    try:
        wanted = from_options(given or [], {"id": diagnosis} if diagnosis else {})
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="'--set'") from None
    chosen = settings(python, stress, force, gpu, quiet)
    try:
        results = check(names, wanted, chosen)
    except LookupError as error:
        raise typer.BadParameter(str(error.args[0]), param_hint="'--gpu'") from None
    out = screen(colour)
    if form is ShortFormat.json:
        write(json.dumps(rendering.results_dict(results, chosen.python, wanted)))
    else:
        write_rows(rendering.results(results, out.width, fancy=out.fancy), out.colour)
    raise typer.Exit(exit_status(results))
