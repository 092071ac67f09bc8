"""Provokes real failures of GPU jobs, one for each name, so that their logs can be analysed and re-checked.

python3 bench/faults.py too-large                        # in one process
torchrun --nproc-per-node 2 bench/faults.py rank-wild     # in one process for each GPU
"""

import datetime
import os
import signal
import sys
import time

import torch

GIB, PAGE = 1 << 30, 2 << 20
BAD = int(os.environ.get("BAD_RANK", "1"))  # the rank that something happens to
WILD = 'extern "C" __global__ void f(int* p) { *(int*)0x7ff000000000ull = threadIdx.x; }'
ODD = 'extern "C" __global__ void f(char* p) { *(int*)(p + 1) = threadIdx.x; }'


def gib(size: float) -> torch.Tensor:
    """So many GiB, in whole pages of the allocator."""
    return torch.empty(round(size * GIB / PAGE) * PAGE, dtype=torch.uint8, device="cuda")


def kernel(source: str) -> None:
    """Runs a broken kernel on the current device and waits for it."""
    import cupy

    with cupy.cuda.Device(torch.cuda.current_device()):
        cupy.RawKernel(source, "f")((1,), (32,), (cupy.zeros(64, dtype=cupy.int8),))
        cupy.cuda.runtime.deviceSynchronize()


def too_large() -> None:
    gib(300)


def own_use() -> None:
    held = []
    while True:
        held.append(gib(20))


def fragmented() -> None:
    """As a cache becomes after long work: half a GiB live in each block of 10 GiB, then 20 GiB are asked for."""
    live, rest = [], []
    for _ in range(int(torch.cuda.mem_get_info()[0] / GIB * 0.9 / 10)):
        block = gib(10)
        del block
        live.append(gib(0.5))
        rest.append(gib(9.5))
    rest.clear()
    gib(20)


def fraction() -> None:
    torch.cuda.set_per_process_memory_fraction(0.1)
    gib(20)


def hold() -> None:
    """Another program: fills the GPU until it is ended."""
    keep = gib(torch.cuda.mem_get_info()[0] / GIB - float(os.environ.get("LEAVE_GIB", "5")))
    torch.cuda.synchronize()
    print("holding", keep.numel(), flush=True)
    time.sleep(300)


def request() -> None:
    gib(20)


def product() -> None:
    """The first matrix product on a GPU that this program has filled: no room for the handle."""
    a = torch.ones(64, 64, device="cuda")
    keep = gib(torch.cuda.mem_get_info()[0] / GIB - 0.003)  # noqa: F841
    print((a @ a).sum().item())


def wild() -> None:
    kernel(WILD)


def odd() -> None:
    kernel(ODD)


def ranks(act) -> None:
    """Six all-reduces; after the third `act(rank)` does what goes wrong."""
    import torch.distributed as dist

    rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", 0 if act is None else rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=15), device_id=device)
    for step in range(6):
        numbers = torch.ones(1 << 20, device=device)
        dist.all_reduce(numbers)
        torch.cuda.synchronize()
        print(f"step {step} sum {numbers[0].item()} rank {rank}", flush=True)
        if step == 2 and act is not None:
            act(rank)
    dist.destroy_process_group()


def late(rank: int) -> None:
    if rank == BAD:
        time.sleep(40)


def killed(rank: int) -> None:
    if rank == BAD:
        os.kill(os.getpid(), signal.SIGKILL)


def hungry(rank: int) -> None:
    """Takes memory of the host until its cgroup is full."""
    held = []
    while rank == BAD:
        held.append(bytearray(b"x") * (64 << 20))


JOBS = {
    "too-large": too_large, "own-use": own_use, "fragmented": fragmented, "fraction": fraction, "hold": hold,
    "request": request, "product": product, "wild": wild, "odd": odd,
    "ranks": lambda: ranks(lambda rank: None), "rank-same": lambda: ranks(None), "rank-late": lambda: ranks(late),
    "rank-killed": lambda: ranks(killed), "rank-hungry": lambda: ranks(hungry),
    "rank-wild": lambda: ranks(lambda rank: kernel(WILD) if rank == BAD else None),
    "rank-odd": lambda: ranks(lambda rank: kernel(ODD) if rank == BAD else None),
}  # fmt: skip

if __name__ == "__main__":
    JOBS[sys.argv[1]]()
