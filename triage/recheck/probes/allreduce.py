"""Does an all-reduce over all GPUs end in time with the right sum, and if not, which transport is guilty?

Confirms: with the settings of this environment it fails, hangs or gives a wrong sum; what then works (without P2P,
without shared memory, over which interface, without variables that choose the network) names the guilty part. For an
error that belongs to one variant (two ranks on one GPU, a small /dev/shm, the interface of the log): that variant
gives it again, and as it is now it works.

Refutes: it works as it is. Of a rank that lags it only tells that transport and GPUs are not what holds it up.

Ids: pg-watchdog-timeout, rank-lagging, nccl-bootstrap-no-interface, nccl-wrong-interface, nccl-duplicate-gpu,
nccl-connect-refused, nccl-connect-timeout, nccl-shm-create, nccl-no-transport
"""

import glob
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

GROUP = "nccl"
LOAD = "needed"
TOGETHER = True
SECONDS = 420.0
MEMORY_GIB = 96.0  # one process with PyTorch for each GPU
WANTS = ("interface",)

_NUMBERS = 16 << 20  # float32: 64 MiB
_INIT, _END = 40, 60  # seconds for NCCL, and for a process in all
_CHOOSING = ("NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY", "NCCL_IB_HCA", "NCCL_NET", "NCCL_IB_GID_INDEX")
_ALONE = {"NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_IB_DISABLE": "1"}
# Diagnosis -> the variant that provokes its error, and a word that this error holds.
_PROVOKED = {
    "nccl-duplicate-gpu": ("two ranks on one GPU", "uplicate GPU"), "nccl-shm-create": ("over /dev/shm", "/dev/shm"),
    "nccl-bootstrap-no-interface": ("over the interface of the log", "no socket interface"),
}  # fmt: skip
_LATE = ("rank-lagging", "pg-watchdog-timeout", "rank-exited-early", "rank-missing")


def _rank(wanted):
    """One rank: joins, reduces, checks the sum."""
    import datetime

    import torch
    import torch.distributed as dist

    rank, world, device = wanted["rank"], wanted["world"], torch.device("cuda", wanted["device"])
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", init_method="file://" + wanted["file"], rank=rank, world_size=world,
                            timeout=datetime.timedelta(seconds=_INIT))  # fmt: skip
    numbers = torch.full((_NUMBERS,), float(rank + 1), device=device)
    dist.all_reduce(numbers)
    torch.cuda.synchronize(device)
    right = world * (world + 1) / 2
    result = {"right": bool((numbers == right).all())}
    began = time.monotonic()
    for _ in range(3):
        dist.all_reduce(numbers)
    torch.cuda.synchronize(device)
    result["speed"] = round(3 * _NUMBERS * 4 / 1e9 / (time.monotonic() - began), 2)
    dist.destroy_process_group()
    return result


def _why(output):
    """The first warning of NCCL, else the last line: what a reader would look at first."""
    warned = re.search(r"NCCL WARN (.+)", output)
    lines = [line for line in output.strip().splitlines() if line.strip()]
    text = warned.group(1) if warned else lines[-1] if lines else "no output"
    return text.strip()[:240]


def _segments():
    """The shared memory of NCCL that lies in /dev/shm."""
    return {name for name in os.listdir("/dev/shm") if name.startswith("nccl-")} if os.path.isdir("/dev/shm") else set()


def _sweep(before):
    """Removes what ended ranks of ours left in /dev/shm; what any process has mapped stays."""
    left = _segments() - before
    for path in glob.glob("/proc/[0-9]*/maps") if left else ():
        try:
            with open(path) as file:
                text = file.read()
        except OSError:
            continue
        left -= {name for name in left if name in text}
    for name in left:
        try:
            if os.stat("/dev/shm/" + name).st_uid == os.getuid():
                os.unlink("/dev/shm/" + name)
        except OSError:
            continue


def _run(name, change, devices, drop=()):
    """All ranks of one variant, as processes of their own that are ended together."""
    before = _segments()
    env = {key: value for key, value in os.environ.items() if key not in drop}
    env.update({"NCCL_DEBUG": "WARN", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1", **change})
    began, folder = time.monotonic(), tempfile.mkdtemp(prefix="ranks-", dir=".")
    ranks, files = [], []
    for rank, device in enumerate(devices):
        wanted = {"rank": rank, "world": len(devices), "device": device, "file": os.path.abspath(folder) + "/store"}
        files.append(open(f"{folder}/{rank}", "w+b"))
        ranks.append(subprocess.Popen([sys.executable, __file__, json.dumps(wanted)], env=env, stdout=files[-1],
                                      stderr=subprocess.STDOUT))  # fmt: skip
    until = began + _END
    while any(one.poll() is None for one in ranks) and time.monotonic() < until:
        if any(one.poll() for one in ranks):  # one has failed: the others would only wait for it
            until = min(until, time.monotonic() + 5)
        time.sleep(0.1)
    hung = [rank for rank, one in enumerate(ranks) if one.poll() is None]
    for one in ranks:
        one.kill()
        one.wait()
    _sweep(before)
    texts = []
    for file in files:
        file.seek(0)
        texts.append(file.read(200000).decode("utf-8", "replace"))
        file.close()
    result = {"variant": name, "seconds": round(time.monotonic() - began, 2), "error": "", "speed": None}
    failed = [rank for rank, one in enumerate(ranks) if one.returncode != 0 and rank not in hung]
    if failed:
        result["error"] = f"rank {failed[0]}: {_why(texts[failed[0]])}"
    elif hung:
        result["error"] = f"rank {', '.join(map(str, hung))}: no end within {_END} s"
    else:
        said = [json.loads(re.findall(r"^\{.*\}$", text, re.MULTILINE)[-1]) for text in texts]
        result["speed"] = min(one["speed"] for one in said)
        wrong = [rank for rank, one in enumerate(said) if not one["right"]]
        result["error"] = f"rank {wrong[0]}: the sum is wrong" if wrong else ""
    return result


def _interfaces():
    """The interfaces that are up."""
    found = []
    for _, name in socket.if_nameindex():
        try:
            with open(f"/sys/class/net/{name}/operstate") as file:
                if file.read().strip() in ("up", "unknown"):
                    found.append(name)
        except OSError:
            continue
    return sorted(found, key=lambda name: name == "lo")[:4]


def read(wanted):
    import torch

    if not torch.cuda.is_available() or not torch.distributed.is_nccl_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU or has no NCCL (probe cuda-init tells why)"}
    devices = list(range(torch.cuda.device_count()))
    runs = [_run("as it is", {}, devices)]
    variant = _PROVOKED.get(wanted.get("id"), ("", ""))[0]
    for name, change, ranks, drop in _variants(wanted, devices):
        if variant and not runs[0]["error"] and name != variant:
            continue  # it works, so only the error of the log is of interest
        runs.append(_run(name, change, ranks, drop))
        if drop and runs[0]["error"] and not runs[-1]["error"]:
            break  # the variables of this environment are at fault, which is all there is to know
    names = [*_CHOOSING, "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"]
    own = {name: os.environ[name] for name in names if os.environ.get(name)}
    version = ".".join(map(str, torch.cuda.nccl.version()))
    return {"torch": torch.__version__, "nccl": version, "ranks": len(devices), "own": own, "runs": runs}


def _variants(wanted, devices):
    """What else to try: name, variables to set, devices of the ranks, variables to drop."""
    if any(os.environ.get(name) for name in _CHOOSING):
        yield "without the variables that choose the network", {}, devices, _CHOOSING
    if wanted.get("id") == "nccl-duplicate-gpu":
        yield "two ranks on one GPU", {}, [0, 0], ()
    if wanted.get("interface"):
        yield "over the interface of the log", {"NCCL_SOCKET_IFNAME": wanted["interface"]}, devices, ()
    if len(devices) > 1:
        yield "over /dev/shm", {"NCCL_P2P_DISABLE": "1", "NCCL_CUMEM_HOST_ENABLE": "0"}, devices, ()
        yield "without P2P", {"NCCL_P2P_DISABLE": "1"}, devices, ()
        for name in _interfaces():
            yield "over " + name, {**_ALONE, "NCCL_SOCKET_IFNAME": "=" + name}, devices, _CHOOSING


def _guilty(reading, works):
    """What is at fault, from what works instead."""
    own = ", ".join(f"{name}={value}" for name, value in reading["own"].items())
    if "without the variables that choose the network" in works:
        return f"it works without the variables that choose the network ({own}): they are at fault (cured)"
    if "without P2P" in works:
        return "it works without P2P: the direct path between the GPUs is at fault"
    nets = [name for name in works if name.startswith("over ") and name != "over /dev/shm"]
    if nets:
        return f"it works {', '.join(nets)}: shared memory or the chosen interface is at fault"
    return "nothing works" + (" either" if len(reading["runs"]) > 1 else "")


def judge(reading, expectation):
    first, rest = reading["runs"][0], reading["runs"][1:]
    works = [run["variant"] for run in reading["runs"] if not run["error"]]
    fails = [f"{run['variant']}: {run['error']}" for run in rest if run["error"]]
    good = f"all-reduce over {reading['ranks']} GPU(s): right sum in {first['seconds']:g} s (NCCL {reading['nccl']})"
    variant, word = _PROVOKED.get(expectation.get("id"), ("", ""))
    provoked = next((run["error"] for run in rest if run["variant"] == variant), "")
    if word and word in provoked and not first["error"]:
        detail = f"reproduced, {variant}: {provoked}; as it is now it works (cured): {good}"
        return {"outcome": "confirmed", "detail": detail}
    if first["error"]:
        return {"outcome": "confirmed", "detail": f"{first['error']}; {_guilty(reading, works)}"}
    if expectation.get("id") in _LATE:
        detail = f"{good}: nothing here holds a rank up; look at what that rank does"
        return {"outcome": "inconclusive", "detail": "; ".join([detail, *fails])}
    return {"outcome": "refuted", "detail": "; ".join([good, *fails])}


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1]) if sys.argv[1:] else {}
    print(json.dumps(_rank(wanted) if "rank" in wanted else read(wanted), default=str))
