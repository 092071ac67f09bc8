"""Inputs of any kind -> sources of normalised lines, with the numbers of the original lines.

Whatever hides text is opened here: packings, archives, encodings, wrappers, prefixes, colours. Nothing raises for
bad input: what cannot be read is a source with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from triage.model import Source
from triage.sources.blocks import text_source
from triage.sources.inputs import Input, expand
from triage.sources.kinds import kind_of
from triage.sources.opening import open_stream, unreadable
from triage.sources.streams import HEAD, Budget, bytes_stream

__all__ = ["Input", "list_inputs", "open_inputs", "open_text"]


def list_inputs(paths: Sequence[str | Path], stdin: BinaryIO | None = None) -> list[Input]:
    """The inputs under files, folders (recursive, sorted), glob patterns and `-` (standard input), unopened."""
    return list(expand(paths, stdin))


def open_inputs(paths: Sequence[str | Path], stdin: BinaryIO | None = None) -> Iterator[Source]:
    """The sources of files, folders (recursive, sorted), glob patterns, archives and `-` (standard input).

    Read the blocks of a source before asking for the next where you can: members of a tar archive that wait are kept
    aside. What cannot be read gives a `Source` with `readable=False` and a `note` that says why and what to do.
    """
    return (source for one in expand(paths, stdin) for source in one.open())


def open_text(text: str | bytes, name: str = "paste") -> Source:
    """One source over a pasted text; bytes may be in any encoding."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else bytes(text)
    if not data:
        return unreadable(name, "is empty")
    if kind_of(data[:HEAD]) == "dump":
        return next(open_stream(bytes_stream(data), name, Budget(len(data))))
    return text_source(bytes_stream(data), name)
