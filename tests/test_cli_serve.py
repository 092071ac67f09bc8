from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.desk import XID
from tests.served import ask, served


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


def test_slack_without_a_way_to_prove_itself_is_refused(tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if not key.startswith("SLACK")} | {"SLACK_BOT_TOKEN": "xoxb-x"}
    command = [sys.executable, "-m", "triage", "serve", "--port", "0", "--workers", "1", "--history", str(tmp_path / "h.db")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert told.returncode == 2
    assert "SLACK_SIGNING_SECRET" in told.stderr


def test_a_port_that_is_taken_is_named_before_anything_is_promised(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "triage", "serve", "--port", str(port), "--workers", "1", "--history", str(tmp_path / "h.db")]
        told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 2
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in " ".join(told.stderr.split())
    assert "http://" not in told.stderr


@pytest.mark.parametrize(("options", "statuses"), [((), [200, 200, 429, 429]), (("--proxy", "127.0.0.1"), [200] * 4)])
def test_addresses_behind_a_proxy_are_told_apart_where_it_is_known(
    tmp_path: Path, options: tuple[str, ...], statuses: list[int]
) -> None:
    with served(tmp_path / "history.db", "--rate", "2/minute", *options) as (url, _):
        found = [
            httpx2.post(f"{url}/api/v1/analyze", content=XID, headers={"x-forwarded-for": f"10.0.0.{at // 2}"}, timeout=60)
            for at in range(4)
        ]
    assert [one.status_code for one in found] == statuses
