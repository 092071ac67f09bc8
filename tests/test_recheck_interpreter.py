"""Which Python runs the probes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from triage.recheck.interpreter import choose

pytestmark = pytest.mark.skipif(os.name == "nt", reason="paths of Unix")


def environment(tmp_path: Path, name: str) -> Path:
    python = tmp_path / name / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    return python


def test_what_is_given_comes_first(tmp_path: Path) -> None:
    given, active = environment(tmp_path, "given"), environment(tmp_path, "active")
    env = {"VIRTUAL_ENV": str(active.parents[1])}
    assert choose(str(given), env) == str(given)  # the link, not what it points to: that is what makes it an environment
    assert choose(None, env) == str(active)


def test_a_conda_environment_counts_where_no_virtual_one_is_active(tmp_path: Path) -> None:
    conda = environment(tmp_path, "conda")
    assert choose(None, {"CONDA_PREFIX": str(conda.parents[1])}) == str(conda)
    assert choose(None, {"VIRTUAL_ENV": "/no/such", "CONDA_PREFIX": str(conda.parents[1])}) == str(conda)


def test_else_it_is_our_own() -> None:
    assert choose(None, {}) == sys.executable
    assert choose(None, {"VIRTUAL_ENV": "/no/such"}) == sys.executable


def test_what_is_no_program_is_told(tmp_path: Path) -> None:
    text = tmp_path / "python"
    text.write_text("x")
    for given in (str(text), "/no/such/python", "no-such-python"):
        with pytest.raises(FileNotFoundError, match="is not a program"):
            choose(given, {})
