"""The examples of the library, and what the real pipeline makes of them: what the rules of `lint` are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from triage.library.engines import Engines
from triage.library.library import Library, Problem, Signature
from triage.library.subset import outside_subset
from triage.model import Match


@dataclass(slots=True)
class Example:
    """An example as it stands in a file; `wanted` says whether it must yield the id.

    An ignore example of a table that names no `id` is about all rows of the `table`.
    """

    id: str
    table: str
    text: str
    entities: dict[str, Any]
    file: str
    path: str
    line: int
    wanted: bool


@dataclass
class Proof:
    """The library together with its examples; `own` are the files to prove, None for all."""

    library: Library
    examples: list[Example] = field(default_factory=list)
    own: frozenset[str] | None = None

    @cached_property
    def matches(self) -> list[list[Match]]:
        """For each example all matches of its text through the real pipeline, before correlation."""
        from triage.pipeline import match_texts

        return match_texts([(one.text, one.file) for one in self.examples], self.sound)

    @cached_property
    def broken(self) -> dict[str, str]:
        """The regexes that cannot be used, and why."""
        outside = {text: outside_subset(text) for text in self.regexes}
        found = {text: f"uses {why}, which is outside the RE2 subset" for text, why in outside.items() if why}
        return found | {text: f"does not compile in {why}" for text, why in self.engines.broken.items()}

    @cached_property
    def sound(self) -> Library:
        """The library without the signatures that have a broken regex."""
        known = self.library.signatures
        kept = {name: one for name, one in known.items() if self.broken.keys().isdisjoint(regexes_of(one))}
        return replace(self.library, signatures=kept)

    @cached_property
    def engines(self) -> Engines:
        """All regexes inside the common subset, in every engine."""
        return Engines([text for text in self.regexes if not outside_subset(text)])

    @cached_property
    def regexes(self) -> dict[str, tuple[str, int]]:
        """Every distinct regex of the library with the file and line where it stands."""
        found: dict[str, tuple[str, int]] = {}
        for signature in self.library.signatures.values():
            if self.own is not None and signature.path not in self.own:
                continue
            for text in regexes_of(signature):
                if text not in found:
                    found[text] = place_of(signature, text)
        return found


class Check:
    """One rule of the library. Subclasses yield a problem for each place that breaks it."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        raise NotImplementedError


def regexes_of(signature: Signature) -> list[str]:
    """All regexes of a signature: patterns, anchors and exclusions."""
    own = [text for pattern in signature.match for text in (pattern.regex, pattern.anchor) if text]
    return [*own, *(rule["regex"] for rule in signature.unless)]


def file_of(path: str) -> Path:
    """The file behind a path as problems show it: relative to the library's folder, else to the working folder."""
    from triage.library.loader import default_folder

    inside = default_folder() / path
    return inside if inside.is_file() else Path(path)


def shown(file: Path) -> str:
    """The path of a library file as problems show it."""
    from triage.library.loader import default_folder

    return str(file.relative_to(default_folder())) if file.is_relative_to(default_folder()) else str(file)


def place_of(signature: Signature, regex: str) -> tuple[str, int]:
    """Where a regex of a signature stands; the signature's own line if it cannot be found as written."""
    written = {regex, regex.replace("'", "''"), regex.replace("\\", "\\\\").replace('"', '\\"')}
    top = file_of(signature.path).parent.parent
    headers = [top / "headers.yaml", *sorted((top / "headers.d").glob("*.yaml"))]
    for file in (file_of(signature.path), *headers):
        if file.is_file():
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if any(text in line for text in written):
                    return shown(file), number
    return signature.path, signature.line


def read_examples(library: Library) -> list[Example]:
    """All examples of the files that the library's signatures come from, with their lines."""
    from triage.library.yaml_nodes import line_of, read_yaml

    found: list[Example] = []
    for path in dict.fromkeys(s.path for s in library.signatures.values()):
        data, node = read_yaml(file_of(path).read_text(encoding="utf-8"))
        groups = data.get("examples") or {}
        for kind in ("match", "ignore"):
            for i, one in enumerate(groups.get(kind) or ()):
                found.append(
                    Example(
                        str(one.get("id") or ("" if "table" in data else data.get("id", ""))),
                        str(data.get("table") or ""),
                        one["text"],
                        one.get("entities") or {},
                        one.get("file") or "paste.log",
                        path,
                        line_of(node, ("examples", kind, i)),
                        kind == "match",
                    )
                )
    return found
