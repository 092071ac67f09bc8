"""`python -m triage` is the command; importing it does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_it_runs_and_leaves_with_the_status():
    for words, status in ((["version"], 0), (["explain", "no-such-id"], 2)):
        done = subprocess.run([sys.executable, "-m", "triage", *words], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == status, done.stderr
        assert b"Traceback" not in done.stderr


def test_importing_it_starts_nothing():
    done = subprocess.run([sys.executable, "-c", "import triage.__main__"], cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
