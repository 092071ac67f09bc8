"""Imports run one way (docs/architecture.md), and `import triage` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "triage"
# A module may import from its own layer and from those above it in this list. The longest name decides.
LAYERS = (
    ("model", "lazy", "commands"),
    ("clock", "entities"),
    ("sources", "formats", "decode", "estimate"),
    ("library",),
    ("scan", "match", "templates", "tally", "storms", "reading", "counting", "parallel"),
    ("redact",),
    (
        "identity", "naming", "clocks", "collectives", "copies", "derive", "incidents", "skew", "prose", "writing",
        "quoting",
        "testruns", "recovery", "timing", "views",
        "joins", "promotion", "correlate", "ranking",
    ),
    ("system",),
    ("advise",),
    ("evidence", "findings", "verdict", "gaps"),
    ("pipeline",),
    # lint runs examples through the pipeline.
    ("library.lint", "library.lint_examples", "library.proof", "rewrites", "rewrites_time", "score", "recheck", "collect", "preflight", "ticket", "history", "fleet"),
    ("render",),
    ("reports",),
    ("serve",),
    ("cli", "__main__"),
)
HEAVY = (
    "typer", "rich", "torch", "pydantic", "fastapi", "ray", "hyperscan", "evtx", "zstandard", "charset_normalizer",
    "drain3", "yaml", "regex", "re2",
)  # fmt: skip
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "probes" not in path.parts)


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def layer(module: str) -> int | None:
    """The layer of `library.lint`, the deepest name that the table knows; None for an unknown module."""
    known = {name: number for number, names in enumerate(LAYERS) for name in names}
    parts = module.split(".")
    return next((known[".".join(parts[:n])] for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in known), None)


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules of ours that a tree imports, inside functions too; what only a type checker reads does not count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "triage":
            inner = node.module.removeprefix("triage").removeprefix(".")
            for alias in node.names:
                yield ".".join(part for part in (inner, alias.name) if part)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("triage."):
                    yield alias.name.removeprefix("triage.")
        else:
            yield from imported(node)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    module = name_of(path)
    if module == "__init__":
        return
    own = layer(module)
    assert own is not None, f"{module} has no layer: give it one in this test and in docs/architecture.md"
    for other in imported(ast.parse(path.read_text(encoding="utf-8"))):
        there = layer(other)
        if other == "__version__":
            continue
        if there is not None:  # the public names of `triage` itself have none
            assert there <= own, f"{module} (layer {own}) imports {other} (layer {there})"
        else:
            assert own >= layer("cli"), f"{module} imports {other}: inside the package import from its home"  # type: ignore[operator]


def test_no_relative_imports() -> None:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*(m.split('.')[0] for m in sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return set(out.split())


def test_importing_the_package_is_light() -> None:
    assert loaded_by("import triage").isdisjoint(HEAVY)


def test_analysing_needs_neither_torch_nor_a_server() -> None:
    statement = "import triage; triage.analyze_text('step 1 loss 2.0'); import triage.cli"
    assert loaded_by(statement).isdisjoint({"torch", "fastapi", "ray", "slack_bolt", "mcp", "sqlalchemy"})
