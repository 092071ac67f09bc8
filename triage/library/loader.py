"""Reads the folders of the library: strict, all problems with file and line, later folders override earlier ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from triage.library import cache
from triage.library.library import Library, Link, Pattern, Problem, Signature
from triage.library.playbook import Playbook, parse_playbook
from triage.model import Step

FORMAT = 6  # of the cached library; raise it when the dataclasses change
_SPECIAL = {"headers.yaml", "causality.yaml", "recovery.yaml"}


def default_folder() -> Path:
    """The folder that holds `signatures/` and `playbooks/`: the checkout, else inside the installed package."""
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent
    return checkout if (checkout / "signatures" / "headers.yaml").is_file() else package / "_library"


def load_library(folders: Sequence[str | Path] = (), *, builtin: bool = True, cached: bool = True) -> Library:
    """The library of the package and of `folders`; what is broken is left out and named in `problems`.

    A folder holds `signatures/` and `playbooks/`, or signature files directly. A signature, playbook or header of a
    later folder replaces the one of the same name of an earlier folder, and `notes` says so.
    """
    roots = ([default_folder()] if builtin else []) + [Path(f) for f in folders]
    files = [(root, path) for root in roots for path in _files(root)]
    key = _fingerprint(files)
    if cached and (data := cache.read(f"library-{key}.json")):
        try:
            return _thaw(json.loads(data))
        except (ValueError, KeyError, TypeError):
            pass
    library = _build(roots, files)
    library.version = key[:12]
    if cached and not library.problems:
        cache.write(f"library-{key}.json", json.dumps(_freeze(library), ensure_ascii=False).encode())
    return library


def _files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    inner = [root / "signatures", root / "playbooks"]
    starts = [p for p in inner if p.is_dir()] or [root]
    return sorted(p for start in starts for suffix in ("*.yaml", "*.yml", "*.md") for p in start.rglob(suffix))


def _fingerprint(files: Iterable[tuple[Path, Path]]) -> str:
    digest = hashlib.sha256(str(FORMAT).encode())
    for _, path in files:
        info = path.stat()
        digest.update(f"{path}|{info.st_mtime_ns}|{info.st_size};".encode())
    return digest.hexdigest()[:32]


def _freeze(library: Library) -> dict[str, Any]:
    return asdict(library)


def _thaw(data: dict[str, Any]) -> Library:
    """The library out of the cached JSON. Raises when its shape is not ours."""
    library = Library(
        recovery=data["recovery"], headers=data["headers"], notes=data["notes"], version=data["version"]
    )
    for name, fields in data["signatures"].items():
        fields["match"] = [
            Pattern(p["regex"], tuple(p["formats"]), p["types"], p["where"], p["anchor"]) for p in fields["match"]
        ]
        library.signatures[name] = Signature(**fields)
    for fields in data["links"]:
        fields["cause"] = [tuple(one) for one in fields["cause"]]
        fields["effect"] = [tuple(one) for one in fields["effect"]]
        fields["window"] = tuple(fields["window"]) if fields["window"] else None
        library.links.append(Link(**fields))
    for name, fields in data["playbooks"].items():
        fields["sections"] = {head: [Step(**step) for step in steps] for head, steps in fields["sections"].items()}
        library.playbooks[name] = Playbook(**fields)
    return library


def _build(roots: Sequence[Path], files: Sequence[tuple[Path, Path]]) -> Library:
    from triage.library.parse import Parser

    library = Library()
    for root in roots:
        if not root.exists():
            library.problems.append(Problem(str(root), 1, "this folder of signatures does not exist"))
    parser = Parser(library)
    for root, path in files:
        shown = str(path.relative_to(root)) if root == default_folder() else str(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            library.problems.append(Problem(shown, 1, f"cannot be read: {error}"))
            continue
        if path.suffix == ".md":
            _add_playbook(library, text, shown)
        else:
            parser.add(text, shown, path.stem)
    parser.finish()
    return library


def _add_playbook(library: Library, text: str, shown: str) -> None:
    if not text.startswith("---"):
        return  # a README
    playbook, problems = parse_playbook(text, shown)
    library.problems.extend(problems)
    if playbook is None:
        return
    if playbook.id in library.playbooks:
        library.notes.append(f"playbook {playbook.id}: {shown} replaces {library.playbooks[playbook.id].path}")
    library.playbooks[playbook.id] = playbook
