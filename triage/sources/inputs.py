"""What a person types (file, folder, pattern, `-`) -> inputs with names, each of which can be opened."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from triage.model import Source
from triage.sources.escapes import harmless
from triage.sources.opening import open_stream, unreadable
from triage.sources.streams import Budget, Stream, file_chunks, pipe_chunks, reason

_SKIPPED_FOLDERS = {".git", ".hg", ".svn", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Input:
    """One file or pipe, not yet opened: `open()` gives its sources, an archive has many. `size` is in bytes."""

    name: str
    size: int
    open: Callable[[], Iterator[Source]]
    is_file: bool = False  # another process can open it, too


def expand(paths: Sequence[str | Path], stdin: BinaryIO | None) -> Iterator[Input]:
    """The inputs under all paths, in their order; a file that is named twice is there once."""
    seen: set[tuple[int, int]] = set()
    several = sum(1 for path in paths if os.path.isdir(path)) > 1
    for path in paths:
        text = os.fspath(path)
        if text == "-":
            file = stdin if stdin is not None else sys.stdin.buffer
            yield Input("-", 0, partial(_piped, pipe_chunks(file), "-"))
            continue
        yield from _path(text, seen, several)


def _piped(chunks: Iterator[bytes], name: str) -> Iterator[Source]:
    return open_stream(Stream(chunks), name, Budget())


def _unreadable(name: str, why: str, size: int = 0) -> Input:
    return Input(name, size, partial(_one, name, why, size))


def _one(name: str, why: str, size: int) -> Iterator[Source]:
    yield unreadable(name, why, size)


def _path(text: str, seen: set[tuple[int, int]], several: bool) -> Iterator[Input]:
    try:
        mode = os.stat(text).st_mode
    except (OSError, ValueError) as error:
        matches = _matches(text)
        for match in matches:
            yield from _path(match, seen, several or len(matches) > 1)
        if not matches:
            yield _unreadable(_shown(text), _why(text, error))
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


def _folder(root: str, seen: set[tuple[int, int]], label: str) -> Iterator[Input]:
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
        yield _unreadable(name, f"cannot be opened ({reason(error)}); check its permissions")
    if empty:
        yield _unreadable(_shown(root), "is a folder without files")


def _file(path: str, name: str, seen: set[tuple[int, int]], named: bool = True) -> Iterator[Input]:
    """The input of one file. A pipe is read only where it was `named`: in a folder nobody may ever write to it."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        yield _unreadable(name, _why(path, error))
        return
    key = (status.st_dev, status.st_ino)
    if status.st_ino and key in seen:
        return
    seen.add(key)
    if stat.S_ISREG(status.st_mode):
        if os.access(path, os.R_OK):
            yield Input(name, status.st_size, partial(_regular, path, name, status.st_size), True)
        else:
            why = "cannot be opened (Permission denied); read it with more rights or copy it"
            yield _unreadable(name, why, status.st_size)
    elif (named and stat.S_ISFIFO(status.st_mode)) or path.startswith(("/dev/stdin", "/dev/fd/", "/proc/self/fd/")):
        yield Input(name, 0, partial(_piped, _pipe(path), name))
    else:
        yield _unreadable(name, "is a device, socket or pipe, not a log; give a file")


def _regular(path: str, name: str, size: int) -> Iterator[Source]:
    return open_stream(Stream(file_chunks(Path(path), size), size), name, Budget(size), path=path)


def _pipe(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from pipe_chunks(file)


def _shown(name: str) -> str:
    return harmless(name.encode("utf-8", "replace").decode("utf-8", "replace")).replace("\n", "^J")
