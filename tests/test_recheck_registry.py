"""The probes as files: each stands alone, tells what it means, and is named rightly."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from triage import load_library
from triage.recheck.registry import FOLDER, probes, read_probe, users

WANTED = (
    "gpu-present", "driver-match", "pcie-link", "ecc-remap", "throttle", "persistence", "fabric", "memory-holders",
    "compute-mode", "bar1", "cuda-init", "cuda-arch", "alloc", "fragmentation", "kernel", "numerics", "memtest",
    "copy-bandwidth", "p2p", "parallel-to", "allreduce", "shm", "memlock", "port", "cgroup-memory", "disk", "acs-iommu",
    "pnp-problem", "tdr-registry", "eventlog",
)  # fmt: skip
library = cache(load_library)
FILES = sorted(path for path in FOLDER.glob("*.py") if path.stem != "__init__")
_OTHERS = {"torch", "pynvml"}  # may be used where they are installed
_WINDOWS = {"winreg"}


def test_all_probes_are_there() -> None:
    assert sorted(probes()) == sorted(WANTED)
    assert [one.group for one in probes().values()] == sorted(
        (one.group for one in probes().values()), key=("nvml", "torch", "nccl", "host", "windows").index
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_probe_is_one_file_that_old_interpreters_parse(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    top = {name.name.split(".")[0] for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    everywhere = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert top <= sys.stdlib_module_names
    assert everywhere - sys.stdlib_module_names - _OTHERS == set()
    assert _WINDOWS & top == set()
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {"read", "judge"} <= names
    # What only newer interpreters know by name, however well it parses.
    text = path.read_text(encoding="utf-8")
    for word in (".removeprefix(", ".removesuffix(", " | None", "match ", "strict=", "list[", "dict["):
        assert word not in text.replace("re.match ", "")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_its_docstring_says_what_confirms_refutes_and_for_which_ids(path: Path) -> None:
    one = read_probe(path)
    assert one.question.endswith("?")
    assert one.confirms.endswith(".")
    assert one.refutes.endswith(".")
    known = library().signatures
    assert one.ids
    assert [name for name in one.ids if name not in known] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_id_that_it_names_names_it(path: Path) -> None:
    one = read_probe(path)
    known = library().signatures
    assert [name for name in one.ids if one.name not in known[name].recheck] == []


def test_a_file_that_says_too_little_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bare.py"
    path.write_text('"""Is it so?\n\nConfirms: it is.\n"""\nGROUP = "host"\n')
    with pytest.raises(ValueError, match=r"bare\.py: lacks Refutes"):
        read_probe(path)
    path.write_text('"""Is it so?\n\nConfirms: it is.\n\nRefutes: not.\n"""\nGROUP = "gpu"\n')
    with pytest.raises(ValueError, match="a GROUP of nvml torch"):
        read_probe(path)


def test_importing_all_of_them_loads_no_torch() -> None:
    code = (
        "import sys; from triage.recheck.registry import probes; [one.module().judge for one in probes().values()]; "
        "print({'torch', 'pynvml', 'pydantic', 'yaml'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parents[2])
    assert done.stdout.strip() == "set()"


def test_users_are_the_signatures_that_name_a_probe() -> None:
    one = SimpleNamespace(id="xid-79", recheck=["gpu-present", "pcie-link"])
    found = users({"xid-79": one})
    assert found["gpu-present"] == ["xid-79"]
    assert found["disk"] == []
