"""Problems of old reports that are known: they are kept in a file and not told again, until their block changes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from triage.reports.document import Document
from triage.reports.problem import Problem

VERSION = 1
Key = tuple[str, str, str]  # file, code, hash of the line


class BaselineError(ValueError):
    """The file is no baseline; the message says which and why."""


def key_of(problem: Problem, document: Document, name: str) -> Key:
    """What a problem is known by: its file, its code, and a hash of what stands there, blanks aside."""
    line = document.lines[problem.line - 1] if problem.line <= len(document.lines) else ""
    text = " ".join(line.split()) if problem.line > 1 else problem.text
    return name, problem.code, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


class Baseline:
    """Known problems, each with how often it occurs."""

    def __init__(self, known: Counter[Key] | None = None) -> None:
        self.known = known or Counter()

    def sift(self, problems: Sequence[Problem], keys: Sequence[Key], name: str) -> tuple[list[Problem], int]:
        """The problems that are not known yet, and how many entries of this file no longer occur."""
        left = Counter({key: count for key, count in self.known.items() if key[0] == name})
        new = []
        for problem, key in zip(problems, keys, strict=True):
            if left[key] > 0:
                left[key] -= 1
            else:
                new.append(problem)
        return new, sum(left.values())

    def replace(self, names: Iterable[str], keys: Iterable[Key]) -> None:
        """Makes the problems of these files those that are known; other files stay."""
        gone = set(names)
        self.known = Counter({key: count for key, count in self.known.items() if key[0] not in gone})
        self.known.update(keys)

    def write(self, path: Path) -> None:
        """Writes the file, sorted, so that its changes can be read."""
        entries = [
            {"file": file, "code": code, "hash": digest, "count": count}
            for (file, code, digest), count in sorted(self.known.items())
        ]
        text = json.dumps({"version": VERSION, "problems": entries}, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def read(path: Path) -> Baseline:
    """The baseline in a file; an empty one where there is none. Raises BaselineError."""
    if not path.exists():
        return Baseline()
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise BaselineError(f"{path}: version {data['version']}, this program knows {VERSION}")
        return Baseline(Counter({(e["file"], e["code"], e["hash"]): int(e["count"]) for e in data["problems"]}))
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, BaselineError):
            raise
        raise BaselineError(f"{path}: no baseline file ({error}); make it anew with --update-baseline") from None
