"""The library as the engine uses it: plain dataclasses, built from validated data."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import asdict, dataclass, field
from typing import Any

from triage.library.patterns import Table, tabulate
from triage.library.playbook import Playbook
from triage.library.shelf import Shelf


@dataclass(slots=True, frozen=True)
class Problem:
    """Something wrong with a file of the library."""

    path: str
    line: int
    message: str
    level: str = "error"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(slots=True)
class Pattern:
    """One way in which a signature is seen; `regex` is empty for structured events."""

    regex: str = ""
    formats: tuple[str, ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    where: str = ""
    anchor: str = ""


@dataclass(slots=True)
class Signature:
    """One known failure. Fields as in docs/library.md."""

    id: str
    family: str
    path: str
    line: int
    title: str
    severity: str
    role: str
    status: str
    confidence: str
    action: str
    action_vendor: str = ""
    key: list[str] = field(default_factory=list)
    match: list[Pattern] = field(default_factory=list)
    let: dict[str, str] = field(default_factory=dict)
    tells: dict[str, Any] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    unless: list[dict[str, str]] = field(default_factory=list)
    refines: list[str] = field(default_factory=list)
    fallback: bool = False
    doubts: bool = False
    promote: list[dict[str, str]] = field(default_factory=list)
    readings: list[dict[str, str]] = field(default_factory=list)
    derive: dict[str, Any] | None = None
    means: str = ""
    title_zh: str = ""
    summary_zh: str = ""
    playbook: str = ""
    recheck: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    basis: str = ""
    table: str = ""
    unknown_of: str = ""


@dataclass(slots=True)
class Link:
    """One causal link; `cause` and `effect` are lists of (id or prefix ending in `*`, condition)."""

    cause: list[tuple[str, str]]
    effect: list[tuple[str, str]]
    relation: str
    join: list[Any]
    window: tuple[float, float] | None
    until: str
    strength: Any
    otherwise: dict[str, dict[str, str]]
    why: str
    path: str
    line: int
    grounds: str = ""  # its source, or what it rests on without one


@dataclass(slots=True)
class Library:
    """All signatures, links and playbooks of one or more folders, and what was wrong with them."""

    signatures: MutableMapping[str, Signature] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    playbooks: MutableMapping[str, Playbook] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)  # of recovery.yaml and quoting.yaml
    replaced: dict[str, str] = field(default_factory=dict)  # old id of a signature or playbook -> the one in its place
    headers: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    version: str = ""

    _table: Table | None = None

    def table(self) -> Table:
        """All patterns of the signatures; made once."""
        if self._table is None:
            self._table = tabulate(self.signatures)
        return self._table


def freeze_signature(signature: Signature) -> dict[str, Any]:
    """The data of a signature for the cache; what is empty is left out."""
    data = asdict(signature)
    data["match"] = [{k: v for k, v in pattern.items() if v} for pattern in data["match"]]
    return {k: v for k, v in data.items() if v}


def thaw_signature(data: dict[str, Any]) -> Signature:
    """A signature out of its stored data."""
    patterns = [Pattern(**{**p, "formats": tuple(p.get("formats", ()))}) for p in data.get("match", ())]
    return Signature(**{**data, "match": patterns})


__all__ = [
    "Library", "Link", "Pattern", "Playbook", "Problem", "Shelf", "Signature", "freeze_signature", "thaw_signature",
]  # fmt: skip
