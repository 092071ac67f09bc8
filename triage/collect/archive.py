"""Writes what was collected as one archive that `triage analyze` reads, with a list of what could not be read."""

from __future__ import annotations

import io
import json
import os
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from triage.collect.gather import Piece
from triage.redact import Redactor

FOLDER = "triage-collect"
MANIFEST = "manifest.json"


def write(target: Path, pieces: Sequence[Piece], redactor: Redactor | None) -> dict[str, Any]:
    """Writes `target` (tar.gz, readable by its owner alone) and gives its manifest: what was read, and what was not.

    Without a redactor everything is kept as it is. Raises OSError when the file cannot be written.
    """
    texts = {one.name: one.data.decode("utf-8", "surrogateescape") for one in pieces if one.data}
    if redactor is not None:
        for text in texts.values():  # a name that only one item shows is taken out of all
            redactor.learn(text)
        texts = {redactor.redact(name): redactor.redact(text) for name, text in texts.items()}
    manifest = _manifest(pieces, redactor)
    texts[MANIFEST] = json.dumps(manifest, indent=2) + "\n"
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in texts.items():
            _add(archive, name, text.encode("utf-8", "surrogateescape"))
    return manifest


def _manifest(pieces: Sequence[Piece], redactor: Redactor | None) -> dict[str, Any]:
    from triage import __version__

    def clean(text: str) -> str:
        return redactor.redact(text) if redactor else text

    return {
        "tool": f"triage {__version__}",
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "redacted": dict(redactor.counts) if redactor else None,
        "read": [
            {
                "name": clean(one.name), "from": clean(one.origin), "bytes": len(one.data),
                "seconds": round(one.seconds, 2),
            }
            for one in pieces if one.data
        ],
        "unread": [
            {"name": clean(one.name), "from": clean(one.origin), "why": clean(one.reason)}
            for one in pieces if not one.data
        ],
    }  # fmt: skip


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(f"{FOLDER}/{name}")
    entry.size, entry.mtime, entry.mode = len(data), int(time.time()), 0o600
    archive.addfile(entry, io.BytesIO(data))
