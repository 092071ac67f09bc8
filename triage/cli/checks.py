"""`triage report check` without the parser of options: a hook starts it for each batch of files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.cli.streams import Colour, note, screen, write
from triage.cli.words import split

if TYPE_CHECKING:
    from triage.reports.check import Checked

FORMS = ("text", "json", "sarif", "github")
_FLAGS = {"--fix": "fix", "--exit-zero": "exit_zero"}


class Unwritable(ValueError):
    """A file cannot be written; the message names it."""


def straight(words: Sequence[str]) -> dict[str, Any] | None:
    """What `run` is to be given for these words behind `triage report check`, as hooks give them; None where any other
    option is among them."""
    told: dict[str, Any] = {"form": "text"}
    paths = split(words, _FLAGS, told)
    if not paths or "-" in paths or told["form"] not in FORMS:
        return None
    return {"paths": [Path(path) for path in paths], **told}


def run(
    paths: Sequence[Path], form: str = "text", fix: bool = False, exit_zero: bool = False, output: Path | None = None,
    config_file: Path | None = None, baseline_file: Path | None = None, update: bool = False, key: bytes | None = None,
) -> int:  # fmt: skip
    """Checks, and mends with `fix`; prints what was found and gives the exit status."""
    from triage.reports.baseline import BaselineError
    from triage.reports.config import ConfigError

    try:
        status = _check(paths, fix, form, output, config_file, baseline_file, update, key)
    except (ConfigError, BaselineError, Unwritable) as error:
        note(str(error))
        return 2
    return 0 if exit_zero and status == 1 else status


def _check(
    paths: Sequence[Path], fix: bool, form: str, output: Path | None, config_file: Path | None,
    baseline_file: Path | None, update: bool, key: bytes | None,
) -> int:  # fmt: skip
    from triage.reports import baseline, config
    from triage.reports.check import Checker, Unreadable
    from triage.reports.files import reports_in

    settings = config.read(config_file) if config_file else None
    if config_file and settings is None:
        raise config.ConfigError(f"{config_file}:1: has no [tool.triage.incidents]")
    files = reports_in(paths, settings)
    nearest = settings or (config.config_for(files[0]) if files else None)
    known_file = baseline_file or (nearest.folder / nearest.baseline if nearest else Path(config.BASELINE))
    known = baseline.read(known_file)
    checker = Checker(settings, key)
    checked, failed = [], 0
    for path in files:
        try:
            checked.append(checker.check(path, fix, None if update else known))
            _save(path, checked[-1])
        except (Unreadable, Unwritable) as error:  # the other files are checked all the same
            note(str(error))
            failed = 2
    for text in checker.notes:
        note(text)
    if not files:
        note(f"no report in {', '.join(map(str, paths))}")
    if update:
        known.replace({one.name for one in checked}, [key for one in checked for key in one.keys])
        known.write(known_file)
        note(f"{known_file}: {known.known.total()} known problems")
        if secrets := sum(problem.code == "TRI010" for one in checked for problem in one.problems):
            note(f"{secrets} of them quote secrets: revoke these, then --fix")
        return failed
    _show(checked, form, output)
    wrong = any(problem.level == "error" for one in checked for problem in one.problems)
    return failed or int(wrong or any(one.text is not None for one in checked))


def _save(path: Path, one: Checked) -> None:
    from triage.reports.files import save

    if one.text is not None:
        try:
            save(path, one.old, one.text.encode("utf-8"))
        except OSError as error:
            one.text, one.mended = None, []
            raise Unwritable(f"{path}: not mended: {error.strerror or error}") from None


def put(path: Path, text: str) -> None:
    """Writes a file and the folders above it. Raises Unwritable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Unwritable(f"{path}: cannot be written: {error.strerror or error}") from None


def _show(checked: Sequence[Checked], form: str, output: Path | None) -> None:
    from triage.reports import output as made
    from triage.reports import sarif

    def text(found: Sequence[Checked]) -> str:
        return made.text(found, screen(Colour.never).width if sys.stdout.isatty() else None)

    render = {"text": text, "json": made.as_json, "sarif": sarif.render, "github": made.as_github}[form]
    if output is not None:
        put(output, render(checked))
        write(made.text(checked))
    else:
        write(render(checked))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if form == "github" and summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(made.summary(checked))
