"""Which Python runs the probes: the one that has the user's PyTorch. Never a path out of a log."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

_PROGRAMS = ("Scripts/python.exe", "python.exe") if os.name == "nt" else ("bin/python", "bin/python3")


def choose(given: str | None = None, env: Mapping[str, str] = os.environ) -> str:
    """The path of an interpreter: `given`, else that of the active virtual or conda environment, else our own.

    `given` is a path or a name on PATH; FileNotFoundError is raised when it is no program.
    """
    if given is not None:
        found = shutil.which(os.path.expanduser(given))
        if found is None:
            raise FileNotFoundError(f"{given} is not a program")
        return os.path.abspath(found)  # not resolved: a virtual environment's python is a link
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        for program in _PROGRAMS if env.get(variable) else ():
            path = Path(env[variable], program)
            if path.is_file() and os.access(path, os.X_OK):
                return str(path.absolute())
    return sys.executable
