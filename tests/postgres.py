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
    user = None
    if os.geteuid() == 0:  # the server refuses to run as root
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    if user:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, timeout=60)

    data = folder / "data"
    run(str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "triage", "-N", "-E", "UTF8")
    control = (str(binaries / "pg_ctl"), "-D", str(data), "-l", str(folder / "log"), "-w")
    run(*control, "-o", f"-c listen_addresses='' -c unix_socket_directories={folder}", "start")
    try:
        yield f"postgresql+psycopg://triage@/postgres?host={folder}"
    finally:
        run(*control, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
