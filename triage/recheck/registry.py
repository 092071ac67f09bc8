"""What probes there are, read from their files without running them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

Load = Literal["none", "optional", "needed"]

FOLDER = Path(__file__).parent / "probes"
GROUPS = ("nvml", "torch", "nccl", "host", "windows")
_SECONDS = 30.0
_MEMORY_GIB = 8.0


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe as its file describes it.

    `load` tells whether it puts load on a GPU or allocates: never (`none`), only with --stress (`optional`: without it
    reads less), or in any case (`needed`: without --stress it is not run). `seconds` and `memory_gib` are its limits,
    `wants` names the values of a finding that it can use, `ids` the diagnoses for which it was written. `together`: it
    needs all GPUs, also where the finding names one.
    """

    name: str
    path: Path
    group: str
    question: str
    confirms: str
    refutes: str
    ids: tuple[str, ...]
    wants: tuple[str, ...] = ()
    load: Load = "none"
    seconds: float = _SECONDS
    memory_gib: float = _MEMORY_GIB
    together: bool = False

    def module(self) -> ModuleType:
        """The file as a module, for its pure `judge`; importing it needs only the standard library."""
        return import_module(f"triage.recheck.probes.{self.path.stem}")


def read_probe(path: Path) -> Probe:
    """The probe in a file. Raises ValueError naming what its docstring or constants lack."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = _parts(ast.get_docstring(tree) or "")
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("GROUP", "LOAD", "SECONDS", "MEMORY_GIB", "WANTS", "TOGETHER")
    }  # fmt: skip
    lacks = [name for name in ("Question", "Confirms", "Refutes") if not parts.get(name)]
    if lacks or constants.get("GROUP") not in GROUPS:
        raise ValueError(f"{path.name}: lacks {', '.join(lacks) or 'a GROUP of ' + ' '.join(GROUPS)}")
    return Probe(
        path.stem.replace("_", "-"), path, constants["GROUP"], parts["Question"], parts["Confirms"], parts["Refutes"],
        tuple(parts.get("Ids", "").replace(",", " ").split()), tuple(constants.get("WANTS", ())),
        constants.get("LOAD", "none"), constants.get("SECONDS", _SECONDS), constants.get("MEMORY_GIB", _MEMORY_GIB),
        constants.get("TOGETHER", False),
    )  # fmt: skip


def _parts(doc: str) -> dict[str, str]:
    """`Question` (the first paragraph) and the paragraphs that begin with `Confirms:`, `Refutes:`, `Ids:`."""
    parts: dict[str, str] = {}
    for number, paragraph in enumerate(doc.strip().split("\n\n")):
        text = " ".join(paragraph.split())
        name, colon, rest = text.partition(": ")
        if number == 0:
            parts["Question"] = text
        elif colon and name in ("Confirms", "Refutes", "Ids"):
            parts[name] = rest
    return parts


@cache
def probes() -> Mapping[str, Probe]:
    """All probes by name, in the order of their groups."""
    found = [read_probe(path) for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"]
    return {one.name: one for one in sorted(found, key=lambda one: GROUPS.index(one.group))}


def users(signatures: Mapping[str, Any]) -> dict[str, list[str]]:
    """For each probe the ids of the signatures that name it."""
    found: dict[str, list[str]] = {name: [] for name in probes()}
    for signature in signatures.values():
        for name in signature.recheck:
            found.setdefault(name, []).append(signature.id)
    return found
