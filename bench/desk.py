"""The help desk under load: one paste, fifty at once, a large upload, and a soak with hostile requests among good ones.

    python bench/desk.py [--soak SECONDS] [--upload MIB]

Starts `triage serve` on a free port and prints what a person who waits would see, beside the same paste given to
`triage analyze --format json` as a new process.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import io
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import httpx2

ROOT = Path(__file__).resolve().parent.parent
NOISE = "Nov 30 10:{m:02}:{s:02} node07 kernel: usb {a}-{b}: new high-speed USB device number {c} using xhci_hcd\n"
XID = "Nov 30 11:00:00 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.\n"


def log(size: int, seed: int = 0) -> str:
    """About `size` bytes of kernel log with one fault at its end."""
    some = random.Random(seed)
    rows, length = [], 0
    while length < size:
        rows.append(NOISE.format(m=some.randrange(60), s=some.randrange(60), a=some.randrange(9), b=some.randrange(9),
                                 c=some.randrange(200)))
        length += len(rows[-1])
    return "".join(rows) + XID


def memory(pid: int) -> int:
    """Resident MiB of a process and its children, shared pages counted in each."""
    total = 0
    pids = [pid, *map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split())]
    for one in pids:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue
        total += int(status.split("VmRSS:")[1].split()[0]) >> 10
    return total


def answered(client: httpx2.Client, text: str) -> float:
    began = time.perf_counter()
    answer = client.post("/api/v1/analyze", content=text, headers={"content-type": "text/plain"}, timeout=300)
    assert answer.status_code == 200, answer.text
    assert answer.json()["report"]["findings"][0]["id"] == "xid-79"
    return time.perf_counter() - began


def soak(client: httpx2.Client, seconds: float, pid: int) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.log", b"\0" * (300 << 20))
    hostile = (
        lambda: client.post("/api/v1/analyze", files={"files": ("b.zip", bomb.getvalue())}, timeout=300),
        lambda: client.post("/api/v1/analyze", content=os.urandom(200_000), headers={"content-type": "text/plain"}, timeout=300),
        lambda: client.post("/api/v1/analyze", content=b"{" * 100_000, headers={"content-type": "application/json"}),
        lambda: client.post("/api/v1/analyze", content=b"x", headers={"content-encoding": "gzip"}),
        lambda: client.get("/r/../../etc/passwd"),
    )
    until, times, refused, errors = time.monotonic() + seconds, [], 0, 0
    before = memory(pid)
    number = 0
    while time.monotonic() < until:
        number += 1
        if number % 5 == 0:
            status = hostile[number // 5 % len(hostile)]().status_code
            refused += status >= 400
            errors += status >= 500
        else:
            times.append(answered(client, log(20_000, number)))
    print(f"soak {seconds:.0f} s: {len(times)} pastes, median {statistics.median(times) * 1000:.0f} ms, "
          f"p95 {statistics.quantiles(times, n=20)[-1] * 1000:.0f} ms; {refused} hostile requests refused, {errors} errors of "
          f"the server; memory {before} -> {memory(pid)} MiB; still healthy: {client.get('/healthz').status_code == 200}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=float, default=60)
    parser.add_argument("--upload", type=int, default=200)
    chosen = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "triage", "serve", "--port", str(port), "--history", f"{folder}/h.db", "--rate", "1000000/minute"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as server, httpx2.Client(
        base_url=f"http://127.0.0.1:{port}", limits=httpx2.Limits(max_connections=60)
    ) as client:
        try:
            while True:
                try:
                    client.get("/healthz")
                    break
                except httpx2.HTTPError:
                    time.sleep(0.2)
            paste = log(200 * 95)
            answered(client, paste)
            times = sorted(answered(client, paste) for _ in range(15))
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "triage", "analyze", "--exit-zero", "-q", "--format", "json", "-"], input=paste,
                           text=True, stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
            print(f"paste of {paste.count(chr(10))} lines: median {times[7] * 1000:.0f} ms, worst of 15 {times[-1] * 1000:.0f} ms; "
                  f"triage analyze as a new process: {(time.perf_counter() - began) * 1000:.0f} ms")
            large = [log(1 << 20, seed) for seed in range(50)]
            began = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(50) as pool:
                asked = [pool.submit(answered, client, text) for text in large]
                probes = []
                while not all(one.done() for one in asked):
                    start = time.perf_counter()
                    assert client.get("/healthz").status_code == 200
                    probes.append(time.perf_counter() - start)
                    time.sleep(0.5)
                times = sorted(one.result() for one in asked)
            print(f"50 pastes of 1 MB at once on {os.cpu_count()} cores: no error, median {times[24]:.1f} s, p95 {times[47]:.1f} s, "
                  f"all in {time.perf_counter() - began:.1f} s; meanwhile the slowest of {len(probes)} probes of health "
                  f"took {max(probes) * 1000:.0f} ms")
            body = log(chosen.upload << 20).encode()
            began = time.perf_counter()
            answer = client.post("/api/v1/analyze", files={"files": ("big.log", body)}, timeout=300)
            assert answer.status_code == 200, answer.text
            print(f"upload of {chosen.upload} MiB: {time.perf_counter() - began:.1f} s, server with workers {memory(server.pid)} MiB")
            soak(client, chosen.soak, server.pid)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
