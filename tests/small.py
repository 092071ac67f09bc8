"""A small library of its own for tests of the engine."""

from __future__ import annotations

import textwrap
from pathlib import Path

from triage.library.library import Library
from triage.library.loader import load_library

PLAYBOOK = """\
---
id: find-the-cause
title: Find the cause
sources: ['test']
---
Look at what failed first.

## Confirm
- [read-only @host] Read the kernel log.
  `journalctl -k -b`
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """Writes signature files (name -> YAML) and one playbook; gives the folder."""
    (folder / "playbooks").mkdir(parents=True, exist_ok=True)
    (folder / "playbooks" / "find-the-cause.md").write_text(PLAYBOOK)
    for name, text in files.items():
        path = folder / "signatures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder


def library(folder: Path, files: dict[str, str]) -> Library:
    """The library of these files alone."""
    return load_library([write(folder, files)], builtin=False, cached=False)


def signature(name: str, regex: str, **more: str) -> str:
    """The YAML of a plain signature; `more` are further lines."""
    lines = {
        "title": f"'{name}'", "severity": "error", "role": "cause", "match": f"[{{regex: '{regex}'}}]", "means": "It failed.",
        "playbook": "find-the-cause", "sources": "['test']", **more,
    }  # fmt: skip
    return f"id: {name}\n" + "".join(f"{key}: {value}\n" for key, value in lines.items())
