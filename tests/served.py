"""The help desk on a real port: as the command in a process of its own, or as an application in a thread."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def served(store: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    port = free_port()
    env = {key: value for key, value in os.environ.items() if not re.match("SLACK|GITHUB|TRIAGE", key)}
    command = [sys.executable, "-m", "triage", "serve", "--port", str(port), "--workers", "1", "--history", str(store), *options]
    with (
        tempfile.TemporaryFile("w+") as said,  # a pipe that nobody reads would stop the service
        subprocess.Popen(command, stderr=said, text=True, env=env) as process,
    ):
        url = f"http://127.0.0.1:{port}"
        try:
            until = time.monotonic() + 120
            while time.monotonic() < until:
                try:
                    urllib.request.urlopen(f"{url}/healthz", timeout=5)
                    break
                except OSError:
                    assert process.poll() is None, said.seek(0) or said.read()
                    time.sleep(0.2)
            yield url, process
        finally:
            process.kill()


def ask(url: str, data: bytes | None = None) -> dict[str, object]:
    request = urllib.request.Request(url, data, {"content-type": "text/plain"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        told: dict[str, object] = json.load(answer)
        return told


@contextmanager
def live(app: FastAPI) -> Iterator[str]:
    """The address of an application that uvicorn serves, with the settings of `triage serve`."""
    import uvicorn

    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical", server_header=False, proxy_headers=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < until
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
