"""The API keeps the contract that it publishes: requests are made from its own OpenAPI description.

`TRIAGE_API=300 python -m pytest tests/test_serve_openapi.py` goes on for so many seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("schemathesis")

from tests.served import served

HOOKS = """
import schemathesis
from hypothesis import strategies

schemathesis.openapi.format("time-zone", strategies.sampled_from(["+08:00", "-03:30", "UTC", "Europe/Berlin"]))
"""


def test_no_request_breaks_the_contract(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(HOOKS)
    (tmp_path / "schemathesis.toml").write_text('hooks = "hooks.py"\n')
    with served(tmp_path / "history.db", "--rate", "100000/minute") as (url, process):
        longer = os.environ.get("TRIAGE_API")
        command = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{url}/api/v1/openapi.json", "--checks", "all", "--no-color",
            "--seed", "1", "--phases", "coverage,fuzzing", "--max-examples", "3", "--continue-on-failure",
            "--generation-database", "none", "--warnings", "off", *(["--max-time", longer] if longer else []),
        ]  # fmt: skip
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120 + float(longer or 0))
        assert told.returncode == 0, told.stdout + told.stderr
        assert "generated" in told.stdout
        assert process.poll() is None
