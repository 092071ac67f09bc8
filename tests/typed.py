"""The command line as a real process, and two logs for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FAULT = (
    "[88213.557816] NVRM: GPU at PCI:0000:43:00: GPU-8a2b6f0e-7c1d-4c7e-9d0a-1f2e3d4c5b6a\n"
    "[88213.557916] NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)

HEALTHY = (
    "[    4.101] nvidia: loading out-of-tree module taints kernel.\n"
    "[    4.203] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24 22:55:15 UTC 2024\n"
    "[    4.311] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  535.161.08\n"
)


def run(*arguments: str, stdin: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TRIAGE_DEBUG")}
    return subprocess.run(
        [sys.executable, "-m", "triage", *arguments],
        input=data, capture_output=True, env={**clean, "PYTHONPATH": str(ROOT), **env}, timeout=300, check=False,
    )  # fmt: skip
