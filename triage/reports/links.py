"""Where the links of a report lead: to files of its repository, out of it, or nowhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import unquote


@cache
def root_of(folder: Path) -> Path | None:
    """The repository that a folder lies in; None if it lies in none."""
    folder = folder.resolve()
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def target(href: str) -> str:
    """The path of a link as it is written, without query and anchor."""
    return unquote(href.split("#")[0].split("?")[0])


def local(path: str, folder: Path) -> Path | None:
    """The file that a path means, from the folder of the report, or from the repository where it begins with `/`; None
    for an address, an anchor, an expression of a site generator, and an absolute path outside of a repository."""
    elsewhere = path.startswith(("#", "//")) or ":" in path.split("/")[0] or any(s in path for s in ("://", "{{", "{%"))
    if not path or elsewhere:
        return None
    if not path.startswith("/"):
        return folder / path
    root = root_of(folder)
    return root / path.lstrip("/") if root else None


def inside(path: Path, folder: Path) -> bool:
    """Whether a file, or a folder with all that it links, lies in the same repository as the report."""
    root = root_of(folder)
    if root is None:
        return True
    linked = (one for one in path.rglob("*") if one.is_symlink()) if path.is_dir() else ()
    return all(one.resolve().is_relative_to(root) for one in (path, *linked))
