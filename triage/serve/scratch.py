"""Where uploads lie while they are read: one folder of the service, which the next service removes if this one dies.

What people send is redacted before it is kept; a file that a killed process left behind would not be.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PREFIX = "triage-serve-"
_LOCK = "in-use"


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in which this process and those that it starts make their temporary files; gone at the end."""
    before, named = tempfile.tempdir, os.environ.get("TMPDIR")
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    made = Path(tempfile.mkdtemp(prefix="triage-new-", dir=parent))
    folder = parent / made.name.replace("triage-new-", _PREFIX)
    try:
        with (made / _LOCK).open("wb") as lock:
            _take(lock)
            made.rename(folder)  # under this name it is swept, and nobody finds it without the lock
            tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
            yield folder
    finally:
        tempfile.tempdir = before
        os.environ.pop("TMPDIR", None)
        if named is not None:
            os.environ["TMPDIR"] = named
        for one in (made, folder):
            shutil.rmtree(one, ignore_errors=True)


def _take(lock: IO[bytes]) -> bool:
    """Whether nobody else holds the lock; then it is ours until this process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # on Windows nothing is swept
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(parent: Path) -> None:
    """Removes the folders of services that are gone. Those of other users are left alone."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if os.name != "posix" or folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("rb") as lock:
                gone = _take(lock)
            if gone:
                shutil.rmtree(folder, ignore_errors=True)
