"""What a person types (file, folder, pattern, `-`) -> streams with names."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from triage.model import Source
from triage.sources.escapes import harmless
from triage.sources.opening import open_stream, unreadable
from triage.sources.streams import Budget, Stream, file_chunks, pipe_chunks, reason

_SKIPPED_FOLDERS = {".git", ".hg", ".svn", "__pycache__"}


def expand(paths: Sequence[str | Path], stdin: BinaryIO | None) -> Iterator[Source]:
    """The sources of all paths, in their order; a file that is named twice is read once."""
    seen: set[tuple[int, int]] = set()
    several = sum(1 for path in paths if os.path.isdir(path)) > 1
    for path in paths:
        text = os.fspath(path)
        if text == "-":
            file = stdin if stdin is not None else sys.stdin.buffer
            yield from open_stream(Stream(pipe_chunks(file)), "-", Budget())
            continue
        yield from _path(text, seen, several)


def _path(text: str, seen: set[tuple[int, int]], several: bool) -> Iterator[Source]:
    try:
        mode = os.stat(text).st_mode
    except (OSError, ValueError) as error:
        matches = _matches(text)
        for match in matches:
            yield from _path(match, seen, several or len(matches) > 1)
        if not matches:
            yield unreadable(_shown(text), _why(text, error))
        return
    if stat.S_ISDIR(mode):
        # Every node has a `dmesg.txt`: with several folders the name of the folder tells whose it is.
        yield from _folder(text, seen, os.path.basename(os.path.abspath(text)) if several else "")
    else:
        yield from _file(text, _shown(text), seen)


def _matches(text: str) -> list[str]:
    if not glob.has_magic(text):
        return []
    try:
        return sorted(glob.glob(os.path.expanduser(text), recursive=True))
    except (OSError, ValueError):
        return []


def _why(text: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        if glob.has_magic(text):
            return "matches no file; check the pattern, and quote it if the shell must not expand it"
        if os.path.lexists(text):
            return "is a link to a file that does not exist; give the file itself"
        return "does not exist; check the path"
    return f"cannot be opened ({reason(error)}); check the path and its permissions"


def _folder(root: str, seen: set[tuple[int, int]], label: str) -> Iterator[Source]:
    """All files below, sorted, named relative to the folder, behind its `label`. Links to folders are not followed:
    they may loop."""
    failed: list[OSError] = []
    empty = True
    for folder, folders, files in os.walk(root, onerror=failed.append):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            empty = False
            path = os.path.join(folder, name)
            yield from _file(path, _shown(os.path.join(label, os.path.relpath(path, root))), seen, named=False)
    for error in failed:
        empty = False
        name = _shown(str(error.filename or root))
        yield unreadable(name, f"cannot be opened ({reason(error)}); check its permissions")
    if empty:
        yield unreadable(_shown(root), "is a folder without files")


def _file(path: str, name: str, seen: set[tuple[int, int]], named: bool = True) -> Iterator[Source]:
    """The sources of one file. A pipe is read only where it was `named`: in a folder nobody may ever write to it."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        yield unreadable(name, _why(path, error))
        return
    key = (status.st_dev, status.st_ino)
    if status.st_ino and key in seen:
        return
    seen.add(key)
    if stat.S_ISREG(status.st_mode):
        stream = Stream(file_chunks(Path(path), status.st_size), status.st_size)
        if not os.access(path, os.R_OK):
            why = "cannot be opened (Permission denied); read it with more rights or copy it"
            yield unreadable(name, why, status.st_size)
            return
        yield from open_stream(stream, name, Budget(status.st_size), path=path)
    elif (named and stat.S_ISFIFO(status.st_mode)) or path.startswith(("/dev/stdin", "/dev/fd/", "/proc/self/fd/")):
        yield from open_stream(Stream(_pipe(path)), name, Budget())
    else:
        yield unreadable(name, "is a device, socket or pipe, not a log; give a file")


def _pipe(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from pipe_chunks(file)


def _shown(name: str) -> str:
    return harmless(name.encode("utf-8", "replace").decode("utf-8", "replace")).replace("\n", "^J")
