"""A PostgreSQL server of the tests' own, from the system's packages."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    named = shutil.which("initdb")
    return Path(named).parent if named else None


@contextmanager
def server() -> Iterator[str]:
    """The URL of a fresh, empty database that is reached through a socket in a temporary folder; skips without one."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    if user:
        shutil.chown(folder, user)
    data = folder / "data"
    _run(folder, str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "triage", "-N", "-E", "UTF8")
    _control(folder, "start")
    try:
        yield f"postgresql+psycopg://triage@/postgres?host={folder}"
    finally:
        _control(folder, "stop")
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def stopped(url: str) -> Iterator[None]:
    """The server of `server` is down, as after a crash, inside the block."""
    folder = Path(url.partition("?host=")[2])
    _control(folder, "stop")
    try:
        yield
    finally:
        _control(folder, "start")


def _user() -> str | None:
    """Who runs the server: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, check=True, user=_user(), cwd=folder, stdout=subprocess.DEVNULL, timeout=60)


def _control(folder: Path, what: str) -> None:
    binaries = _binaries()
    assert binaries is not None
    own = ("-o", f"-c listen_addresses='' -c unix_socket_directories={folder}") if what == "start" else ("-m", "immediate")
    _run(folder, str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-l", str(folder / "log"), "-w", *own, what)
