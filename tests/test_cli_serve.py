from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from tests.desk import XID


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def served(store: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    port = free_port()
    env = {key: value for key, value in os.environ.items() if not re.match("SLACK|GITHUB|TRIAGE", key)}
    command = [sys.executable, "-m", "triage", "serve", "--port", str(port), "--workers", "1", "--history", str(store)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            until = time.monotonic() + 120
            while time.monotonic() < until:
                try:
                    urllib.request.urlopen(f"{url}/healthz", timeout=5)
                    break
                except OSError:
                    assert process.poll() is None, process.stderr and process.stderr.read()
                    time.sleep(0.2)
            yield url, process
        finally:
            process.kill()


def ask(url: str, data: bytes | None = None) -> dict[str, object]:
    request = urllib.request.Request(url, data, {"content-type": "text/plain"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        told: dict[str, object] = json.load(answer)
        return told


def test_a_killed_service_loses_no_finished_report_and_starts_again(tmp_path: Path) -> None:
    store = tmp_path / "history.db"
    with served(store) as (url, process):
        ids = [ask(f"{url}/api/v1/analyze", XID.encode())["id"] for _ in range(3)]
        process.send_signal(signal.SIGKILL)
        process.wait(20)
    with served(store) as (url, _):
        assert all(ask(f"{url}/api/v1/reports/{id}")["id"] == id for id in ids)


def test_a_missing_package_is_named() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from triage.cli import main\n"
        "main(['serve'])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert told.returncode == 2
    assert "gpu-triage[serve]" in " ".join(told.stderr.split())


def test_mcp_wants_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "triage", "mcp", "--root", str(tmp_path / "nothing")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert (told.returncode, told.stdout) == (2, "")
    assert "is no folder" in told.stderr
