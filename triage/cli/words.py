"""Command lines of paths, a form and flags, without the parser of options: that takes half of the start-up time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def split(words: Sequence[str], flags: Mapping[str, str], told: dict[str, Any]) -> list[str] | None:
    """The paths among the words; None where any option stands there but `--format` and `flags`.

    What the options say is put into `told`, under `form` and the names of the flags.
    """
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in flags:
            told[flags[word]] = True
        elif word in ("--format", "-f"):
            told["form"] = next(rest, "")
        elif word.startswith("--format="):
            told["form"] = word.removeprefix("--format=")
        elif word == "--":
            paths += rest
        elif word.startswith("-") and word != "-":
            return None
        else:
            paths.append(word)
    return paths
