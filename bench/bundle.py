"""A bundle of one incident, of any size: 256 ranks on 32 hosts, one GPU falls off the bus; how long, how much memory.

    python bench/bundle.py --mb 1000 [--keep FOLDER]

Every rank has a log of its own (torchrun's tree) with NCCL's start and thousands of training steps, every host a
syslog; a third of the lines hold words that vary. Printed are the wall and CPU time and the peak memory of `triage
analyze` with all of its processes, and whether the cause, the host, the rank and the device are right. `taskset -c 0`
before it shows the same with one process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

HOSTS, PER_HOST = 32, 8
RANKS = HOSTS * PER_HOST
BUSES = (0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)
BAD = 109  # on gpu-013, local rank 5
START = datetime(2031, 5, 2, 6, 0, 0)
FAILED = START + timedelta(hours=8)

_STEP = (
    "[{t}] [INFO] [trainer.py:418:log_step] iteration {i:>8}/ 900000 | consumed samples: {n} | elapsed time per"
    " iteration (ms): {ms:.1f} | learning rate: {lr:.3E} | loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f}"
)
_CHATTER = (
    "[{t}] [INFO] [loader.py:92:prefetch] /data/{w}/{v}/shard-{n:08d}.parquet is open, {ms:.1f} MB ahead",
    "[{t}] [INFO] [tokens.py:57:count] {w} {v}: {n} tokens of {i} documents",
    "[{t}] [DEBUG] [module.py:310:hook] {w}.{v}.weight: mean {loss:.4e}, deviation {norm:.4e}",
    "wandb: {w}/{v} {loss:.5f}",
    "[{t}] [DEBUG] [memory.py:51:note] allocated {ms:.2f} GiB, reserved {norm:.2f} GiB, {n} segments",
    "[{t}] [INFO] [timers.py:77:write] forward-backward: {ms:.2f} | all-reduce: {norm:.2f} | optimizer: {loss:.2f}",
    "gpu:{n}:{i} [{g}] NCCL INFO AllReduce: opCount {n:x} sendbuff 0x7f{n:08x}00 recvbuff 0x7f{i:08x}00 count {n}"
    " datatype 9 op 0 root 0 comm 0x55{i:08x}0 [nranks=256] stream 0x55{n:08x}0",
    "[{t}] [WARNING] [data.py:211:__getitem__] sample {n} has {i} tokens, cut to 8192",
    "[{t}] [INFO] [checkpoint.py:130:save] iteration {i}: shard written in {ms:.1f} ms, checksum {n:016x}",
)
_SYSLOG = (
    "systemd[1]: Started Session {n} of user ops.",
    "CRON[{n}]: (root) CMD (command -v debian-sa1 > /dev/null)",
    'kernel: [{up:12.6f}] audit: type=1400 audit({n}.{i}:{g}): apparmor="ALLOWED" operation="open" pid={n}',
    'containerd[1711]: time="{t}" level=info msg="image update {n:016x} took {ms:.2f}ms"',
    "kernel: [{up:12.6f}] IPv6: ADDRCONF(NETDEV_CHANGE): veth{i:06x}: link becomes ready",
    "sshd[{n}]: Accepted publickey for ops from 10.0.{g}.9 port {i} ssh2: ED25519 SHA256:{n:032x}",
    "kubelet[1502]: I{g}502 {n} pod_{w}.go:{i}] volume {v} of pod {w}/{v} is mounted",
    "dockerd[1188]: container {w}-{v} {n:016x}",
    "nvidia-dcgm[988]: polled {g} GPUs in {ms:.1f} ms",
    "smartd[744]: Device: /dev/nvme{g}n1, temperature {g} C",
)


_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
# Variables that are plain words: masking digits alone does not collapse such lines.
_WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%d %H:%M:%S") + f",{when.microsecond // 1000:03}"


def _lines(shapes: tuple[str, ...], main: str, begin: datetime, size: int, rng: random.Random) -> Iterator[str]:
    """Lines of the shapes until the time of the failure, `size` bytes of them; every third one is `main`."""
    share = size / (FAILED - begin).total_seconds()
    written = number = 0
    while written < size:
        when = begin + timedelta(seconds=written / share)
        number += 1
        shape = main if main and number % 3 == 0 else rng.choice(shapes)
        line = shape.format(
            t=_stamp(when), i=number, n=rng.randrange(1 << 22), ms=rng.uniform(1, 4000), lr=3e-4, loss=rng.uniform(1, 3),
            norm=rng.uniform(0, 2), w=rng.choice(_WORDS), v=rng.choice(_WORDS), g=rng.randrange(8), up=(when - START).total_seconds() + 864000,
        )  # fmt: skip
        written += len(line) + 1
        yield line


def _start(rank: int, pid: int) -> Iterator[str]:
    host, local = f"gpu-{rank // PER_HOST:03}", rank % PER_HOST
    head = f"{host}:{pid}:{pid + 900} [{local}] NCCL INFO"
    yield f"{head} NCCL version 2.28.9+cuda13.0"
    yield f"{head} NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.{rank // PER_HOST}.7<0>"
    bus = f"{BUSES[local] << 12:x}"
    where = f"rank {rank} nranks {RANKS} cudaDev {local} nvmlDev {local} busId {bus} commId 0x8a1d5f4f0e1a7c2b"
    yield f"{head} ncclCommInitRankConfig comm 0x55d0{rank:06x} {where} - Init START"
    for channel in range(16):
        yield f"{head} Channel {channel:02}/0 : {rank}[{local}] -> {(rank + 1) % RANKS}[{(local + 1) % 8}] via P2P/CUMEM"
    yield f"{head} ncclCommInitRankConfig comm 0x55d0{rank:06x} {where} - Init COMPLETE"


def _end(rank: int) -> Iterator[str]:
    if rank == BAD:
        yield f"[rank{rank}]: Traceback (most recent call last):"
        yield f'[rank{rank}]:   File "/app/train.py", line 412, in <module>'
        yield f"[rank{rank}]:     loss.backward()"
        yield f"[rank{rank}]: torch.AcceleratorError: CUDA error: unspecified launch failure"
        yield f"[rank{rank}]: CUDA kernel errors might be asynchronously reported at some other API call."
        return
    late = FAILED + timedelta(seconds=600, milliseconds=rank * 3)
    head = f"[rank{rank}]:[E{late.month}{late:%d %H:%M:%S}.{late.microsecond:06}000 ProcessGroupNCCL.cpp:683] [Rank {rank}]"
    yield (
        f"{head} Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88213, OpType=ALLREDUCE, NumelIn=131072,"
        f" NumelOut=131072, Timeout(ms)=600000) ran for {600000 + rank} milliseconds before timing out."
    )


def _kernel_fault() -> Iterator[str]:
    bus = f"{BUSES[BAD % PER_HOST]:02x}"
    head = f"{FAILED:%b} {FAILED.day:2} {FAILED:%H:%M:%S} gpu-{BAD // PER_HOST:03} kernel: [892800.000000]"
    yield f"{head} NVRM: GPU at PCI:0000:{bus}:00: GPU-3f1c2a4e-7b60-4f0e-9f5a-1d2c3b4a5e6f"
    yield f"{head} NVRM: Xid (PCI:0000:{bus}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    yield f"{head} NVRM: GPU 0000:{bus}:00.0: GPU has fallen off the bus."
    yield f"{head} NVRM: Xid (PCI:0000:{bus}:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"


def _write_host(job: tuple[str, int, int]) -> None:
    folder, host, size = job
    rng = random.Random(host)
    for rank in range(host * PER_HOST, (host + 1) * PER_HOST):
        path = Path(folder, f"gpu-{host:03}", "attempt_0", str(rank % PER_HOST), "stderr.log")
        path.parent.mkdir(parents=True)
        text = [*_start(rank, 4200 + rank), *_lines(_CHATTER, _STEP, START, size, rng), *_end(rank)]
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
    head = "{t} " + f"gpu-{host:03} "
    lines = _lines(tuple(head + shape for shape in _SYSLOG), "", START, size, rng)
    stamped = [f"{START:%b} {START.day:2} {line[11:19]} {line[24:]}" for line in lines]
    fault = _kernel_fault() if host == BAD // PER_HOST else ()
    Path(folder, f"gpu-{host:03}", "syslog").write_text("\n".join([*stamped, *fault]) + "\n", encoding="utf-8")


def write(folder: Path, megabytes: int) -> int:
    """Writes the bundle; the bytes that were written."""
    size = megabytes * 1_000_000 // (RANKS + HOSTS)
    with ProcessPoolExecutor() as pool:
        list(pool.map(_write_host, [(str(folder), host, size) for host in range(HOSTS)]))
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _memory(pid: int) -> int:
    """The resident bytes of a process and all of its children (what they share is counted once for each)."""
    total, todo = 0, [pid]
    while todo:
        one = todo.pop()
        try:
            todo += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
            smaps = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += next(int(row.split()[1]) for row in smaps.splitlines() if row.startswith("Pss:")) << 10
        except (OSError, StopIteration):
            continue
    return total


def measure(folder: Path) -> tuple[float, float, int, dict]:
    """Seconds of wall and of CPU, peak bytes of memory over all processes, and the report of one run."""
    began, peak = time.perf_counter(), [0]
    command = [sys.executable, "-m", "triage", "analyze", "--format", "json", "--exit-zero", str(folder)]
    earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = earlier.ru_utime + earlier.ru_stime
    child = subprocess.Popen(command, stdout=subprocess.PIPE)

    def watch() -> None:
        while child.poll() is None:
            peak[0] = max(peak[0], _memory(child.pid))
            time.sleep(0.2)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = child.communicate()
    watcher.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime - before, peak[0], json.loads(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=1000)
    parser.add_argument("--keep", help="write the bundle here, or use what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        if not (folder.is_dir() and any(folder.iterdir())):
            write(folder, options.mb)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        cores = len(os.sched_getaffinity(0))
        print(f"{size / 1e6:,.0f} MB in {RANKS} ranks on {HOSTS} hosts, {cores} cores, load {os.getloadavg()[0]:.1f}")
        seconds, cpu, peak, report = measure(folder)
    top = report["findings"][0]
    print(f"{seconds:.1f} s, {size / 1e6 / seconds:.1f} MB/s, {cpu:.1f} s of CPU, {peak / 1e6:,.0f} MB of memory")
    print(report["summary"])
    want = {"pci": f"0000:{BUSES[BAD % PER_HOST]:02x}:00", "rank": BAD, "host": f"gpu-{BAD // PER_HOST:03}"}
    got = {key: top["entities"].get(key) for key in want}
    if top["id"] != "xid-79" or got != want:
        sys.exit(f"wrong: {top['id']} {got}, want xid-79 {want}")


if __name__ == "__main__":
    main()
