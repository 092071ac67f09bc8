"""A folder of the user's own for what is expensive to build. Everything in it is treated as untrusted input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

_LIMIT = 64 << 20


def folder() -> Path | None:
    """The cache folder (0700, ours), made when needed; None when there is none or it belongs to somebody else."""
    if os.environ.get("TRIAGE_NO_CACHE"):
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    path = (Path(base) if base else Path("~/.cache").expanduser()) / "gpu-triage"
    try:
        path.mkdir(parents=True, mode=0o700, exist_ok=True)
        return path if _ours(path) else None
    except (OSError, RuntimeError):
        return None


def _ours(path: Path) -> bool:
    """A tampered pattern database can crash or mislead, so nobody else may own or write it."""
    if sys.platform == "win32":
        return True
    info = path.lstat()
    return info.st_uid == os.getuid() and not stat.S_ISLNK(info.st_mode) and not info.st_mode & 0o022


def read(name: str) -> bytes | None:
    """What was stored under `name`, or None."""
    home = folder()
    if home is None:
        return None
    path = home / name
    try:
        return path.read_bytes() if _ours(path) and path.stat().st_size < _LIMIT else None
    except OSError:
        return None


def write(name: str, data: bytes) -> None:
    """Stores `data` under `name` in one step; older files of the same kind are removed. Silent when it cannot."""
    home = folder()
    if home is None:
        return
    import tempfile

    try:
        handle, temporary = tempfile.mkstemp(dir=home)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(temporary, home / name)
        same_kind = sorted(home.glob(name.split("-")[0] + "-*"), key=lambda p: p.stat().st_mtime)
        for old in same_kind[:-4]:
            old.unlink(missing_ok=True)
    except OSError:
        return
