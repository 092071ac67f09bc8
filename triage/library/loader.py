"""Reads the folders of the library: strict, all problems with file and line, later folders override earlier ones."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from triage.library import cache
from triage.library.library import Library, Link, Problem, freeze_signature, thaw_signature
from triage.library.patterns import Table
from triage.library.playbook import Playbook, parse_playbook
from triage.library.shelf import Shelf
from triage.model import Step

FORMAT = 14  # of the cached library; raise it when the dataclasses change


def default_folder() -> Path:
    """The folder that holds `signatures/` and `playbooks/`: the checkout, else inside the installed package."""
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent
    return checkout if (checkout / "signatures" / "headers.yaml").is_file() else package / "_library"


def load_library(
    folders: Sequence[str | Path] = (), *, builtin: bool = True, cached: bool = True, shared: bool = False
) -> Library:
    """The library of the package and of `folders`; what is broken is left out and named in `problems`.

    A folder holds `signatures/` and `playbooks/`, or signature files directly. A signature, playbook or header of a
    later folder replaces the one of the same name of an earlier folder, and `notes` says so.
    With `shared` all who ask so in this process get the same object, as it was when it was first asked for.
    """
    if shared:
        return _shared(tuple(map(str, folders)))
    roots = ([default_folder()] if builtin else []) + [Path(f) for f in folders]
    files = [(root, path) for root in roots for path in files_of(str(root))]
    key = _fingerprint(roots, files)
    if cached and (data := cache.read(f"library-{key}.json")):
        try:
            return _thaw(json.loads(data), key)
        except (ValueError, KeyError, TypeError):
            pass
    library = _build(roots, files)
    library.version = key[:12]
    if cached and not library.problems:
        frozen = _freeze(library)
        cache.write(f"playbooks-{key}.json", json.dumps(frozen.pop("playbooks"), ensure_ascii=False).encode())
        cache.write(f"library-{key}.json", json.dumps(frozen, ensure_ascii=False).encode())
    return library


@functools.cache
def _shared(folders: tuple[str, ...]) -> Library:
    return load_library(folders)


def files_of(root: str) -> list[str]:
    """The files of a folder that may belong to a library, sorted; a file is itself."""
    if os.path.isfile(root):
        return [root]
    parts = [os.path.join(root, part) for part in ("signatures", "playbooks")]
    starts = [part for part in parts if os.path.isdir(part)] or [root]
    found = [
        os.path.join(folder, name)
        for start in starts
        for folder, _, names in os.walk(start)
        for name in names
        if name.endswith((".yaml", ".yml", ".md"))
    ]
    return sorted(found)


def _fingerprint(roots: Sequence[Path], files: Iterable[tuple[Path, str]]) -> str:
    digest = hashlib.sha256(f"{FORMAT}|{'|'.join(map(str, roots))};".encode())
    for _, path in files:
        info = os.stat(path)
        digest.update(f"{path}|{info.st_mtime_ns}|{info.st_size};".encode())
    return digest.hexdigest()[:32]


def _freeze(library: Library) -> dict[str, Any]:
    data = asdict(library)
    data["signatures"] = {name: freeze_signature(s) for name, s in library.signatures.items()}
    data["playbooks"] = {name: asdict(p) for name, p in library.playbooks.items()}
    data["_table"] = asdict(library.table())
    return data


def _thaw(data: dict[str, Any], key: str) -> Library:
    """The library out of the cached JSON. Raises when its shape is not ours."""
    signatures: dict[str, Any] = data["signatures"]
    library = Library(
        signatures=Shelf(lambda: signatures, thaw_signature),
        playbooks=Shelf(lambda: _stored_playbooks(key), _thaw_playbook),
        words=data["words"], replaced=data["replaced"], headers=data["headers"], notes=data["notes"],
        version=data["version"],
        _table=Table(**data["_table"]),
    )  # fmt: skip
    for name in list(signatures)[:1]:
        library.signatures[name]  # a stranger's file fails here, not in the middle of an analysis
    for fields in data["links"]:
        fields["cause"] = [tuple(one) for one in fields["cause"]]
        fields["effect"] = [tuple(one) for one in fields["effect"]]
        fields["window"] = tuple(fields["window"]) if fields["window"] else None
        library.links.append(Link(**fields))
    return library


def _stored_playbooks(key: str) -> dict[str, Any]:
    data = cache.read(f"playbooks-{key}.json")
    if data is None:  # removed since: read them again
        return {name: asdict(p) for name, p in load_library(cached=False).playbooks.items()}
    stored: dict[str, Any] = json.loads(data)
    return stored


def _thaw_playbook(fields: dict[str, Any]) -> Playbook:
    sections = {head: [Step(**step) for step in steps] for head, steps in fields["sections"].items()}
    return Playbook(**{**fields, "sections": sections})


def _build(roots: Sequence[Path], files: Sequence[tuple[Path, str]]) -> Library:
    from triage.library.parse import Parser

    library = Library()
    for root in roots:
        if not root.exists():
            library.problems.append(Problem(str(root), 1, "this folder of signatures does not exist"))
        elif not any(root == one for one, _ in files):
            problem = Problem(str(root), 1, "this folder holds no signature (*.yaml) and no playbook (*.md)")
            library.problems.append(problem)
    parser = Parser(library)
    for root, name in files:
        path = Path(name)
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
