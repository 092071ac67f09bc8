"""The command line: a guest of the library. It parses, calls, prints and exits."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from triage.cli import checks, streams
from triage.cli.run import environment_key, run_straight, straight
from triage.commands import COMMANDS

_COMPLETE = "_TRIAGE_COMPLETE"  # set by the shell's completion script, which sends its words in other variables
_OWN_OPTIONS = ("-h", "--help", "--version", "--install-completion", "--show-completion")


def with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with `analyze` put in where no command is named; a mistyped command is left for an error."""
    if _COMPLETE in os.environ:
        return list(arguments)
    if not arguments:
        return ["--help"] if sys.stdin is None or sys.stdin.isatty() else ["analyze", "-"]
    first = arguments[0]
    if first in COMMANDS or first in _OWN_OPTIONS:
        return list(arguments)
    import difflib

    mistyped = re.fullmatch(r"[a-z]+", first) and difflib.get_close_matches(first, COMMANDS, 1, 0.7)
    if mistyped and not os.path.lexists(first):
        return list(arguments)
    return ["analyze", *arguments]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and leaves with its exit status. TRIAGE_DEBUG shows tracebacks of internal errors."""
    streams.prepare()
    words = with_command(sys.argv[1:] if arguments is None else arguments)
    status = 0
    try:
        if words[:1] == ["analyze"] and (told := straight(words[1:])) is not None:
            status = run_straight(**told)
        elif words[:2] == ["report", "check"] and (told := checks.straight(words[2:])) is not None:
            status = checks.run(**told, key=environment_key())
        else:
            from triage.cli.app import app

            app(args=words, prog_name="triage")
    except KeyboardInterrupt:
        sys.exit(130)  # as shells count it
    except Exception as error:
        if os.environ.get("TRIAGE_DEBUG"):
            raise
        text = " ".join(str(error).split()) or "no details"
        streams.note(f"internal error: {type(error).__name__}: {text[:300]}")
        streams.note("This is a bug. Please report it with the output of the same command under TRIAGE_DEBUG=1.")
        sys.exit(2)
    sys.exit(status)
