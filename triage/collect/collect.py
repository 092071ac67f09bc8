"""All that a diagnosis needs from this machine, in about a minute."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from triage.collect import archive, gather, items
from triage.collect.gather import Piece
from triage.collect.items import Item
from triage.recheck.check import Settings, check
from triage.recheck.registry import probes
from triage.redact import Redactor

_PROBES = ("nvml", "host", "windows")  # groups whose readings are taken along; they need no PyTorch
_TORCH = 30.0  # seconds for PyTorch's own collection of versions


def default_name() -> Path:
    """`triage-20260314-100211.tar.gz` in the working folder."""
    return Path(time.strftime("triage-%Y%m%d-%H%M%S.tar.gz"))


def collect(
    target: Path, python: str, *, logs: Sequence[Path] = (), redactor: Redactor | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Reads this machine and writes `target`; gives the manifest. `python` is the interpreter that has PyTorch.

    Raises OSError when the archive cannot be written.
    """
    wanted = items.WINDOWS if os.name == "nt" else items.LINUX
    versions = Item("collect-env.txt", ((python, "-m", "torch.utils.collect_env"),), seconds=_TORCH, optional=True)
    pieces = [*gather.gather([*wanted, versions]), _environment(), _readings(python), *gather.logs(logs)]
    return archive.write(target, pieces, redactor)


def _environment() -> Piece:
    rows = [f"{name}={value}" for name, value in items.variables().items()]
    return Piece("environment.txt", "named variables", "\n".join(rows).encode("utf-8", "surrogateescape"),
                 "" if rows else "no such variable is set", missed=False)  # fmt: skip


def _readings(python: str) -> Piece:
    """What the probes read that need no PyTorch: counters, links, limits, with their outcomes."""
    began = time.monotonic()
    names = [one.name for one in probes().values() if one.group in _PROBES and one.load != "needed"]
    results = check(names, {}, Settings(python))
    data = json.dumps({"results": [dataclasses.asdict(one) for one in results]}, indent=1)
    return Piece("recheck.json", "triage recheck", data.encode(), seconds=time.monotonic() - began)
