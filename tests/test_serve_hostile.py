"""The help desk under attack and in trouble: it answers, says what is wrong, and goes on."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.desk import XID
from tests.served import ask, served

NOISE = "Nov 30 10:00:00 node07 kernel: usb 1-1: new high-speed USB device number 4 using xhci_hcd\n"
BIG = NOISE * 1_500 + f"Nov 30 10:00:01 node07 kernel: {XID.split('] ')[1]}\n"


@contextmanager
def disk(folder: Path, kib: int) -> Iterator[Path]:
    """A file system of this size; skips where none can be mounted."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root mounts a file system")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)], capture_output=True)
    if made.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def workers(pid: int) -> list[int]:
    """The processes that analyse."""
    found = subprocess.run(["pgrep", "-P", str(pid), "-f", "spawn_main"], capture_output=True, text=True).stdout
    return [int(one) for one in found.split()]


def test_a_killed_worker_costs_one_answer_and_probes_of_health_do_not_wait(tmp_path: Path) -> None:
    with served(tmp_path / "h.db", "--rate", "100000/minute") as (url, process), ThreadPoolExecutor(50) as pool:
        with httpx2.Client(base_url=url, timeout=120, limits=httpx2.Limits(max_connections=60)) as client:
            asked = [pool.submit(client.post, "/api/v1/analyze", content=BIG.encode()) for _ in range(50)]  # more than threads
            slowest = 0.0
            while client.get("/healthz").json()["waiting"] < 42:
                time.sleep(0.05)
            for number in range(4):
                began = time.perf_counter()
                assert client.get("/healthz").status_code == 200
                slowest = max(slowest, time.perf_counter() - began)
                if number in (1, 3):
                    for one in workers(process.pid):
                        os.kill(one, signal.SIGKILL)
                time.sleep(0.1)
            statuses = [one.result().status_code for one in asked]
        assert slowest < 5
        assert set(statuses) == {200, 422}
        assert statuses.count(422) <= 3
        assert ask(f"{url}/api/v1/analyze", XID.encode())["report"]["verdict"] == "fault"  # type: ignore[index]


def test_slow_clients_do_not_keep_others_out(tmp_path: Path) -> None:
    with served(tmp_path / "h.db", "--rate", "100000/minute") as (url, process):
        place = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        slow = [socket.create_connection(place) for _ in range(200)]
        for number, one in enumerate(slow):
            head = b"POST /api/v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\n"
            one.sendall(head[:20] if number % 2 else head + b"x")
        assert ask(f"{url}/api/v1/analyze", XID.encode())["report"]["verdict"] == "fault"  # type: ignore[index]
        for one in slow:
            one.close()
        metrics, until = f"{url}/metrics", time.monotonic() + 30
        while 'route="/api/v1/analyze",status="499"} 100' not in httpx2.get(metrics).text:
            time.sleep(0.05)
            assert process.poll() is None
            assert time.monotonic() < until


def test_two_services_share_one_store(tmp_path: Path) -> None:
    store = tmp_path / "h.db"
    with served(store, "--rate", "100000/minute") as (first, _), served(store, "--rate", "100000/minute") as (second, _):
        with ThreadPoolExecutor(8) as pool:
            urls = [f"{(first, second)[at % 2]}/api/v1/analyze" for at in range(16)]
            ids = [told["id"] for told in pool.map(lambda url: ask(url, XID.encode()), urls)]
        assert len(set(ids)) == 16
        assert all(ask(f"{second}/api/v1/reports/{id}")["id"] == id for id in ids)  # also those of the first


def test_a_full_disk_of_the_store_hides_no_cause(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    with disk(place, 1024), served(place / "h.db", "--rate", "100000/minute") as (url, _):
        first = ask(f"{url}/api/v1/analyze", XID.encode())
        assert first["id"]
        (place / "filler").write_bytes(b"x" * (os.statvfs(place).f_bavail * os.statvfs(place).f_frsize))
        for _ in range(30):
            told = ask(f"{url}/api/v1/analyze", XID.encode())
            if not told["id"]:
                break
        assert not told["id"]
        assert "not kept" in told["report"]["notes"][0]  # type: ignore[index]
        assert told["report"]["findings"][0]["id"] == "xid-79"  # type: ignore[index]
        (place / "filler").unlink()
        assert ask(f"{url}/api/v1/analyze", XID.encode())["id"]
        assert ask(f"{url}/api/v1/reports/{first['id']}")["id"] == first["id"]


def test_a_full_disk_for_uploads_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    with disk(place, 8192):
        monkeypatch.setenv("TMPDIR", str(place))
        with served(tmp_path / "h.db") as (url, _), httpx2.Client(base_url=url, timeout=60) as client:
            for path, accept in (("/api/v1/analyze", "*/*"), ("/", "text/html")):
                answer = client.post(path, files={"files": ("a.log", b"x" * (12 << 20))}, headers={"accept": accept})
                assert (answer.status_code, "disk of the help desk is full" in answer.text) == (503, True), answer.text
            assert client.post("/api/v1/analyze", files={"files": ("a.log", XID.encode())}).status_code == 200
            assert [one.name for one in place.rglob("*") if one.is_file()] == ["in-use"]
