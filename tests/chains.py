"""Incidents made of causal chains: one fault on one rank of a job of several hosts, what follows from it on the others,
and around it noise, clocks that differ, zones, and files that are lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

PER_HOST = 4
START = datetime(2031, 5, 2, 8, 0, 0)
BUSES = ("1b", "43", "9d", "c3")
LIMIT = 600  # seconds that a collective waits
QUIET = (
    "usb 1-3: new high-speed USB device number 7 using xhci_hcd", "IPv6: ADDRCONF(NETDEV_CHANGE): eno2: link becomes ready",
    "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Quota mode: none.", "perf: interrupt took too long, lowering",
    "nvidia-nvlink: Nvlink Core is being initialized, major device number 510", "mlx5_core 0000:5e:00.0 eth2: Link up",
)  # fmt: skip
TALK = (
    "step {n} loss 2.{n:04d} lr 3e-4 tok/s 10{n:03d}", "INFO saved checkpoint step-{n} in 4.{n} s", "WARNING sample {n} was cut to 8192 tokens",
    "DEBUG allocated 41.{n} GiB, 0 errors so far", "epoch 3 step {n} grad norm 0.{n:03d}",
)  # fmt: skip


@dataclass
class Made:
    """An incident: the text of each file, the ids that are right as its cause, and the rank that failed first."""

    files: dict[str, str]
    causes: tuple[str, ...]
    rank: int | None  # None where a whole host is at fault
    kind: str


@dataclass
class Job:
    """What is written while an incident is made: lines with their true time, by host and by rank."""

    rng: random.Random
    hosts: int
    rank: int
    at: datetime
    kernel: dict[int, list[tuple[datetime, str]]] = field(default_factory=dict)
    logs: dict[int, list[tuple[datetime, str]]] = field(default_factory=dict)
    skew: dict[int, timedelta] = field(default_factory=dict)  # by host
    of_host: bool = False

    def stamp(self, after: float, rank: int) -> str:
        """The time of glog, on the clock of the host of a rank."""
        when = self.at + timedelta(seconds=after) + self.skew[rank // PER_HOST]
        return f"{when.month}{when:%d %H:%M:%S}.{self.rng.randrange(10**9):09}"

    @property
    def ranks(self) -> int:
        return self.hosts * PER_HOST

    @property
    def bus(self) -> str:
        return BUSES[self.rank % PER_HOST]

    @property
    def pid(self) -> int:
        return 41000 + self.rank

    def says_kernel(self, after: float, *lines: str, host: int | None = None) -> None:
        own = self.kernel.setdefault(self.rank // PER_HOST if host is None else host, [])
        own += [(self.at + timedelta(seconds=after + 0.001 * i), line) for i, line in enumerate(lines)]

    def says(self, after: float, *lines: str, rank: int | None = None) -> None:
        own = self.logs.setdefault(self.rank if rank is None else rank, [])
        own += [(self.at + timedelta(seconds=after + 0.001 * i), line) for i, line in enumerate(lines)]

    def raises(self, after: float, error: str, rank: int | None = None) -> None:
        self.says(after, "Traceback (most recent call last):", '  File "/app/train.py", line 212, in <module>', "    loss.backward()", error, rank=rank)

    def others_wait(self) -> None:
        """The other ranks run into the limit; the launcher ends them."""
        for rank in range(self.ranks):
            if rank != self.rank:
                self.says(LIMIT, f"[rank{rank}]:[E{self.stamp(LIMIT, rank)} ProcessGroupNCCL.cpp:683] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1277, OpType=ALLREDUCE, NumelIn=256, NumelOut=256, Timeout(ms)={LIMIT * 1000}) ran for {LIMIT * 1000 + 29} milliseconds before timing out.", rank=rank)

    def others_lose(self) -> None:
        """The other ranks see the connection close."""
        for rank in range(self.ranks):
            if rank != self.rank:
                self.says(1, f"node{rank // PER_HOST + 1}:{41000 + rank}:{42000 + rank} [{rank % PER_HOST}] misc/socket.cc:752 NCCL WARN socketProgress: Connection closed by remote peer node{self.rank // PER_HOST + 1}<47301>", rank=rank)

    def fails(self, code: int) -> None:
        host = self.rank // PER_HOST
        text = f"""E{self.stamp(3, self.rank).zfill(23)[:20]} 4000 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: {code}) local_rank: {self.rank % PER_HOST} (pid: {self.pid}) of binary: /usr/bin/python3"""
        self.says(3, text, rank=host * PER_HOST)


def _bus_lost(job: Job) -> tuple[str, ...]:
    bus, port = job.bus, f"{int(job.bus, 16) - 1:02x}"
    job.says_kernel(0, f"pcieport 0000:{port}:01.0: AER: Uncorrected (Fatal) error message received from 0000:{bus}:00.0")
    _lost(job)
    return ("pcie-aer-uncorrectable-fatal",)


def _lost(job: Job) -> tuple[str, ...]:
    job.says_kernel(0.2, f"NVRM: GPU at PCI:0000:{job.bus}:00: GPU-3f1c2a4e-7b60-4f0e-9f5a-1d2c3b4a5e6f", f"NVRM: Xid (PCI:0000:{job.bus}:00): 79, pid={job.pid}, name=python3, GPU has fallen off the bus.")
    job.raises(1, "torch.AcceleratorError: CUDA error: unspecified launch failure")
    job.others_wait()
    return ("xid-79", "gpu-fallen-off-bus")


def _memory_cell(job: Job) -> tuple[str, ...]:
    bus, who = job.bus, f"pid={job.pid}, name=python3"
    job.says_kernel(0, f"NVRM: Xid (PCI:0000:{bus}:00): 48, {who}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 1.", f"NVRM: Xid (PCI:0000:{bus}:00): 63, {who}, Row Remapper: New row (0x00000000b19c03a0) marked for remapping, reset gpu to activate.", f"NVRM: Xid (PCI:0000:{bus}:00): 94, {who}, Contained: SM (0x1). RST: No, D-RST: No")
    job.raises(1, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered")
    job.others_wait()
    return ("xid-48",)


def _firmware(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, f"NVRM: Xid (PCI:0000:{job.bus}:00): 119, pid={job.pid}, name=python3, Timeout after 6s of waiting for RPC response from GPU{job.rank % PER_HOST} GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a026 0x4).")
    job.others_wait()
    return ("xid-119",)


def _wild_write(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, f"NVRM: Xid (PCI:0000:{job.bus}:00): 31, pid={job.pid}, name=python3, channel 0x00000002, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_5 faulted @ 0x7a1c_50b40000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE")
    job.raises(0.5, "torch.AcceleratorError: CUDA error: an illegal memory access was encountered")
    job.others_wait()
    return ("cuda-illegal-address", "xid-31")


def _assertion(job: Job) -> tuple[str, ...]:
    job.says(0, "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.")
    job.raises(0.5, "torch.AcceleratorError: CUDA error: device-side assert triggered")
    job.says_kernel(0.4, f"NVRM: Xid (PCI:0000:{job.bus}:00): 43, pid={job.pid}, name=python3, Ch 00000008")
    job.others_wait()
    return ("cuda-assert",)


def _out_of_memory(job: Job) -> tuple[str, ...]:
    job.raises(0, f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU {job.rank % PER_HOST} has a total capacity of 79.10 GiB of which 1.01 GiB is free. Including non-PyTorch memory, this process has 78.09 GiB memory in use. Of the allocated memory 77.00 GiB is allocated by PyTorch, and 210.00 MiB is reserved by PyTorch but unallocated.")
    job.others_lose()
    job.fails(1)
    return ("cuda-oom-own-use", "cuda-oom")


def _killed(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-998", f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/c1,task=python3,pid={job.pid},uid=0", f"Memory cgroup out of memory: Killed process {job.pid} (python3) total-vm:98000000kB, anon-rss:67000000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:140000kB oom_score_adj:-998")
    job.others_lose()
    job.fails(-9)
    return ("cgroup-oom-kill",)


def _exception(job: Job) -> tuple[str, ...]:
    job.raises(0, "ValueError: batch of rank is empty")
    job.others_wait()
    job.fails(1)
    return ("python-exception",)


def _late(job: Job) -> tuple[str, ...]:
    job.others_wait()
    for rank in range(job.ranks):
        number = 1276 if rank == job.rank else 1277
        job.says(LIMIT + 2, f"[rank{rank}]:[E{job.stamp(LIMIT + 2, rank)} ProcessGroupNCCL.cpp:1914] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: {number}, last completed NCCL work: 1276.", rank=rank)
    return ("rank-lagging",)


def _fabric_link(job: Job) -> tuple[str, ...]:
    buses = (job.bus, BUSES[(job.rank + 1) % PER_HOST])
    job.says_kernel(0, "nvidia-nvswitch0: SXid (PCI:0000:c5:00.0): 22003, Fatal, Link 30 MINION HALT (First)", *(f"NVRM: Xid (PCI:0000:{bus}:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)" for bus in buses))
    job.says_kernel(0.5, *(f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid={41000 + job.rank // PER_HOST * PER_HOST + BUSES.index(bus)}, name=python3, Ch 00000001" for bus in buses))
    job.raises(1, "torch.AcceleratorError: CUDA error: unspecified launch failure")
    job.others_wait()
    job.of_host = True
    return ("sxid-22003",)


def _port_down(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, "mlx5_core 0000:5e:00.0: Port module event[error]: module 0, Cable error, Bus stuck (I2C or data shorted)", "mlx5_core 0000:5e:00.0 ens5f0np0: Link down")
    host = job.rank // PER_HOST
    job.says(0.4, f"node{host + 1}:{job.pid}:{job.pid + 1000} [{job.rank % PER_HOST}] transport/net_ib.cc:112 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error")
    job.others_lose()
    job.of_host = True
    return ("mlx5-port-module-error", "mlx5-link-down")


def _no_shared_memory(job: Job) -> tuple[str, ...]:
    host = job.rank // PER_HOST
    for rank in range(host * PER_HOST, (host + 1) * PER_HOST):
        job.says(0, f"node{host + 1}:{41000 + rank}:{42000 + rank} [{rank % PER_HOST}] misc/shmutils.cc:87 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-Qm7x{rank:02} (size 9637888), error: No space left on device (28)", rank=rank)
        job.raises(0.3, "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.28.9\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.", rank=rank)
    job.of_host = True
    return ("nccl-shm-create",)


def _panic(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3f2c41 offset:0x0 grain:32)", "Kernel panic - not syncing: Fatal machine check")
    job.others_lose()
    job.of_host = True
    return ("edac-ue",)


def _segfault(job: Job) -> tuple[str, ...]:
    job.says_kernel(0, f"python3[{job.pid}]: segfault at 18 ip 00007f2d1c0a1b2c sp 00007ffd5e1f3a40 error 4 in libcustom_ops.so[7f2d1c000000+1a0000]")
    job.others_lose()
    job.fails(-11)
    return ("segfault-user",)


Kind = Callable[[Job], tuple[str, ...]]
KINDS: tuple[Kind, ...] = (
    _bus_lost, _lost, _memory_cell, _firmware, _wild_write, _assertion, _out_of_memory, _killed, _exception, _late,
    _fabric_link, _port_down, _no_shared_memory, _panic, _segfault,
)  # fmt: skip


def _identity(rank: int, ranks: int) -> str:
    local = rank % PER_HOST
    return f"node{rank // PER_HOST + 1}:{41000 + rank}:{42000 + rank} [{local}] NCCL INFO ncclCommInitRankConfig comm 0x55d0 rank {rank} nranks {ranks} cudaDev {local} nvmlDev {local} busId {int(BUSES[local], 16) << 12:x} commId 0x8a1d5f4f0e1a7c2b - Init COMPLETE"


def make(seed: int, hosts: int = 0, kind: Kind | None = None) -> Made:
    """The incident of this number; the same number gives the same incident."""
    rng = random.Random(seed)
    hosts = hosts or rng.choice((1, 2, 3, 4))
    job = Job(rng, hosts, rng.randrange(hosts * PER_HOST), START + timedelta(seconds=rng.randrange(3600, 40_000)))
    kind = kind or rng.choice(KINDS)
    stamped = rng.random() < 0.5  # NCCL's lines have stamps, so that larger skews can be told
    most = 900 if stamped else 120
    skew = job.skew = {host: timedelta(seconds=rng.choice((0, 0, rng.randrange(-most, most)))) for host in range(hosts)}
    causes = kind(job)
    zone = timedelta(hours=rng.choice((0, 0, 2)))  # of the hosts; containers log in UTC
    boot = rng.random() < 0.3  # the kernel's log counts from boot
    files: dict[str, str] = {}
    for host in range(hosts):
        lines = job.kernel.get(host, []) + [(job.at - timedelta(seconds=rng.randrange(5, 3000)), rng.choice(QUIET)) for _ in range(20)]
        rows = []
        for when, text in sorted(lines):
            local = when + skew[host] + zone
            seconds = (when - START).total_seconds() + 90_000
            rows.append(f"[{seconds:12.6f}] {text}" if boot else f"{local:%b %e %H:%M:%S} node{host + 1} kernel: [{seconds:12.6f}] {text}")
        files[f"node{host + 1}/dmesg.txt" if boot else f"node{host + 1}/kern.log"] = "\n".join(rows) + "\n"
    others = [r for r in range(job.ranks) if r != job.rank and r % PER_HOST]
    lost = rng.choice([None, None, *others]) if job.ranks > 2 else None
    for rank in range(job.ranks):
        if rank == lost:
            continue
        drift = skew[rank // PER_HOST]
        talk = [(job.at - timedelta(seconds=600 - 20 * i), rng.choice(TALK).format(n=i)) for i in range(25)]
        began = job.at - timedelta(seconds=900 - rng.random()) + drift
        rows = [f"{began:[%Y-%m-%d %H:%M:%S]} " * stamped + _identity(rank, job.ranks)]
        for when, text in sorted(talk) + sorted(job.logs.get(rank, []), key=lambda pair: pair[0]):
            bare = text.startswith(("[rank", "E0", "E1", "Traceback", "  ", "    ", "node", "torch.", "/pytorch", "ValueError"))
            rows.append(text if bare else f"{when + drift:%Y-%m-%d %H:%M:%S} {text}")
        files[f"node{rank // PER_HOST + 1}/rank{rank}.log"] = "\n".join(rows) + "\n"
    return Made(files, causes, None if job.of_host else job.rank, kind.__name__.strip("_"))


def write(made: Made, folder: Path) -> Path:
    for name, text in made.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
