"""Which files are reports."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

INDEX_MARK = "<!-- triage: index of incident reports -->"
_NO_REPORTS = frozenset({"readme.md", "index.md", "_index.md", "template.md", "contributing.md"})
_NO_FOLDERS = frozenset({"playbooks", "signatures", "node_modules"})


def reports_in(paths: Iterable[Path]) -> list[Path]:
    """The files as given, and all Markdown files below the folders, without README, templates, playbooks and our own
    index; sorted, each once."""
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            pages = (one for one in path.rglob("*.md") if one.name.lower() not in _NO_REPORTS)
            found.update(one for one in pages if not _elsewhere(one, path) and not _is_index(one))
        elif not _is_index(path):
            found.add(path)
    return sorted(found)


def _elsewhere(path: Path, root: Path) -> bool:
    return any(part.startswith(".") or part in _NO_FOLDERS for part in path.relative_to(root).parts)


def _is_index(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(200).lstrip(b"\xef\xbb\xbf").startswith(INDEX_MARK.encode())
    except OSError:
        return False
