"""Which files are reports, and how one is written back."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from triage.reports.config import Config, config_for

INDEX_MARK = "<!-- triage: index of incident reports -->"
# Pages that stand beside reports; `exclude` of .pre-commit-hooks.yaml says the same.
_NO_REPORTS = re.compile(
    r"(?i)_?index|readme(?:[._-]\w+)?|changelog|changes|contributing|contributors|license|notice|security|support|summary|"
    r"glossary|code[_-]of[_-]conduct|(?!\d{4}-\d\d-)(?:.*[-_. ])?template(?:[-_. ].*)?"
)
_NO_FOLDERS = frozenset({"playbooks", "signatures", "templates", "node_modules"})


def reports_in(paths: Iterable[Path], config: Config | None = None) -> list[Path]:
    """The files as given, and all Markdown files below the folders, without README, templates, playbooks and our own
    index; sorted, each once. What the configuration excludes is left out everywhere. Raises ConfigError."""
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            pages = (one for one in path.rglob("*.md") if not _NO_REPORTS.fullmatch(one.stem))
            found.update(one for one in pages if not _elsewhere(one, path) and not _is_index(one))
        elif not _is_index(path):
            found.add(path)
    return sorted(one for one in found if not _excluded(one, config or config_for(one)))


def relative(path: Path, folder: Path) -> str:
    """The path of a report from the folder of the configuration, as patterns and baselines name it."""
    try:
        return path.resolve().relative_to(folder).as_posix()
    except ValueError:
        return path.as_posix()


def _excluded(path: Path, config: Config) -> bool:
    return bool(config.exclude) and config.excludes(relative(path, config.folder))


def _elsewhere(path: Path, root: Path) -> bool:
    return any(part.startswith(".") or part in _NO_FOLDERS for part in path.relative_to(root).parts)


def _is_index(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(200).lstrip(b"\xef\xbb\xbf").startswith(INDEX_MARK.encode())
    except OSError:
        return False


def save(path: Path, old: bytes, new: bytes) -> None:
    """Writes a mended report in one step, so that a full disk leaves the old one. Raises OSError: where it may not be
    written, and where it is no longer what was read."""
    path = path.resolve()
    if not os.access(path, os.W_OK):
        raise PermissionError("may not be written")
    if path.read_bytes() != old:
        raise OSError("was changed meanwhile; run again")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".triage-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(new)
        shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
