"""Does a fragmented cache make an allocation fail here, and does `expandable_segments:True` cure it?

Confirms: with a limit on its own memory, the probe fills a cache whose blocks each keep a small live tensor; a request
that the idle part covers then fails (reproduced), and with `expandable_segments:True` the same request fits (cured).

Refutes: the request fits without the setting.

Ids: cuda-oom-fragmented
"""

import json
import os
import subprocess
import sys

GROUP = "torch"
LOAD = "needed"
SECONDS = 180.0

_BLOCKS = 8
_PAGE = 2 << 20  # bytes in which the allocator takes memory from the driver
_LARGEST = 16 << 30  # bytes that the probe takes at most
_VARIABLES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")  # the old name and, since 2.9, the new one


def _provoke(limit):
    """Fragments a cache of `limit` bytes and asks for two blocks at once; runs in a process of its own."""
    import torch

    free, total = torch.cuda.mem_get_info(0)
    torch.cuda.set_per_process_memory_fraction(limit / total, 0)
    small = limit // (_BLOCKS + 1) // 25 // _PAGE * _PAGE
    size = 25 * small
    live, rest = [], []
    for _ in range(_BLOCKS):  # each block becomes a small live tensor with the rest of the block behind it
        block = torch.empty(size, dtype=torch.uint8, device="cuda:0")
        del block
        live.append(torch.empty(small, dtype=torch.uint8, device="cuda:0"))
        rest.append(torch.empty(size - small, dtype=torch.uint8, device="cuda:0"))
    rest.clear()
    stats = {"allocated": torch.cuda.memory_allocated(0), "reserved": torch.cuda.memory_reserved(0)}
    asked = 2 * size
    try:
        torch.empty(asked, dtype=torch.uint8, device="cuda:0")
        error = ""
    except RuntimeError as failure:
        error = str(failure).split("\n")[0][:500]
    return {**stats, "asked": asked, "limit": limit, "error": error, "free": free}


def _child(limit, setting):
    env = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    env.update({name: setting for name in _VARIABLES if setting})
    done = subprocess.run([sys.executable, __file__, json.dumps({"limit": limit})], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=80)  # fmt: skip
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    if done.returncode or not lines:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no output"]
        return {"failed": f"exit status {done.returncode}: {errors[0][:300]}"}
    return json.loads(lines[-1])


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    room = int(torch.cuda.mem_get_info(0)[0] * wanted.get("share", 0.8))
    if room < 1 << 30:
        return {"refused": f"only {room >> 20} MiB of the GPU may be used; 1 GiB is needed"}
    limit = min(room, _LARGEST)
    own = next((os.environ[name] for name in _VARIABLES if os.environ.get(name)), "")
    return {"torch": torch.__version__, "own": own, "plain": _child(limit, ""),
            "expandable": _child(limit, "expandable_segments:True")}  # fmt: skip


def judge(reading, expectation):
    plain, cured = reading["plain"], reading["expandable"]
    for name, one in (("plain", plain), ("with expandable_segments:True", cured)):
        if "failed" in one:
            return {"outcome": "inconclusive", "detail": f"{name}: {one['failed']}"}
    idle = plain["reserved"] - plain["allocated"]
    numbers = f"{plain['asked'] / 2**30:.2f} GiB asked with {idle / 2**30:.2f} GiB idle in the cache"
    if not plain["error"]:
        return {"outcome": "refuted", "detail": f"{numbers}: it fits"}
    if idle < plain["asked"]:
        return {"outcome": "inconclusive", "detail": f"{numbers}: it failed, but the idle part does not cover it"}
    cure = "it fits (cured)" if not cured["error"] else "it fails too (not cured): " + cured["error"][:120]
    return {"outcome": "confirmed", "detail": f"reproduced: {numbers} fails; with expandable_segments:True {cure}"}


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1]) if sys.argv[1:] else {}
    print(json.dumps(_provoke(wanted["limit"]) if "limit" in wanted else read(wanted), default=str))
