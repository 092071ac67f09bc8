"""Are the limits of this process wide enough: locked memory, open files, processes?

Confirms: locked memory is limited where there are RDMA devices (NCCL and GPUDirect register memory); for "too many
open files" and failed forks: few files are allowed, or the limit of processes is nearly reached.

Refutes: the limits are wide. Limits belong to a process: run it as the job runs, not in a login shell.

Ids: nccl-ib-reg-mr, too-many-open-files, fork-failed
"""

import glob
import json
import os
import sys

GROUP = "nccl"

_LOCKED = 64 << 20  # bytes: the old default of 64 KiB and the new one of 8 MiB are below it
_FILES = 4096
_FULL = 0.9


def _number(path):
    try:
        with open(path) as file:
            text = file.read().strip()
        return int(text) if text.isdigit() else None
    except OSError:
        return None


def read(wanted):
    try:
        import resource
    except ImportError:
        return {"absent": "limits of this kind are a matter of Unix"}
    limits = {}
    for name in ("MEMLOCK", "NOFILE", "NPROC"):
        if hasattr(resource, "RLIMIT_" + name):
            pair = resource.getrlimit(getattr(resource, "RLIMIT_" + name))
            limits[name.lower()] = [None if value == resource.RLIM_INFINITY else value for value in pair]
    group = ""
    if os.path.exists("/proc/self/cgroup"):
        with open("/proc/self/cgroup") as file:
            group = "/sys/fs/cgroup" + file.read().strip().splitlines()[-1].split(":", 2)[2]
    return {
        "limits": limits, "open": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,
        "rdma": [os.path.basename(path) for path in glob.glob("/sys/class/infiniband/*")],
        "pids": {"now": _number(group + "/pids.current"), "max": _number(group + "/pids.max")},
    }


def _shown(value, unit=""):
    return "unlimited" if value is None else f"{value:,}{unit}"


def judge(reading, expectation):
    limits, pids, name = reading["limits"], reading["pids"], expectation.get("id", "")
    locked, files = (limits.get(key, [None, None])[0] for key in ("memlock", "nofile"))
    detail = f"locked memory {_shown(locked, ' bytes')}, open files {_shown(files)}"
    detail += f", processes {_shown(pids['now'])} of {_shown(pids['max'])}" if pids["now"] is not None else ""
    if pids["max"] and pids["now"] and pids["now"] > _FULL * pids["max"]:
        return {"outcome": "confirmed", "detail": detail + ": the cgroup's limit of processes is nearly reached"}
    if name == "too-many-open-files" and files is not None and files < _FILES:
        return {"outcome": "confirmed", "detail": f"{detail}: fewer than {_FILES:,} open files are allowed"}
    if reading["rdma"] and locked is not None and locked < _LOCKED:
        text = f"{detail}: too little locked memory for {', '.join(reading['rdma'][:4])}"
        return {"outcome": "confirmed", "detail": text}
    if name == "nccl-ib-reg-mr" and not reading["rdma"]:
        return {"outcome": "inconclusive", "detail": detail + "; there is no RDMA device here"}
    return {"outcome": "refuted", "detail": detail}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
