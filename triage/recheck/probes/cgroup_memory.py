"""Was or is this machine or container short of memory?

Confirms: the kernel killed processes in this cgroup for want of memory, or less than 5 % of its limit (of the
machine's memory) is left; or a request that is known is larger than what is left.

Refutes: no process of this cgroup was killed, and there is room.

Ids: cgroup-oom-kill, host-oom-kill, k8s-oomkilled, slurm-oom, ray-oom, host-alloc-failed
"""

import json
import os
import sys

GROUP = "host"
WANTS = ("requested",)

_LEFT = 0.05


def _text(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return None


def _number(path):
    text = _text(path)
    return int(text) if text and text.isdigit() else None


def _pairs(path):
    rows = (line.split() for line in (_text(path) or "").splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def _groups():
    """The cgroup of this process and those above it, which limit it too; version 2, else the memory part of 1."""
    found = []
    for line in (_text("/proc/self/cgroup") or "").splitlines():
        number, kinds, path = [*line.split(":", 2), "", ""][:3]
        if number == "0" and not kinds and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            root, names = "/sys/fs/cgroup", ("memory.max", "memory.current", "memory.events", "oom_kill")
        elif "memory" in kinds.split(","):
            root = "/sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", "oom_kill")
        else:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(len(parts), -1, -1):
            folder = "/".join([root, *parts[:depth]])
            limit, now = (_number(folder + "/" + name) for name in names[:2])
            cache = _pairs(folder + "/memory.stat")
            file = cache.get("inactive_file", cache.get("total_inactive_file", 0))
            kills = _pairs(folder + "/" + names[2]).get(names[3])
            if now is not None or kills is not None:
                found.append({"path": folder, "limit": limit, "now": now, "reclaimable": file, "kills": kills})
    return found


def read(wanted):
    memory = {name.rstrip(":"): size * 1024 for name, size in (
        (row[0], int(row[1])) for row in (line.split() for line in (_text("/proc/meminfo") or "").splitlines())
    )}  # fmt: skip
    if not memory:
        return {"absent": "the memory of this system is not told in /proc/meminfo"}
    kept = ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree", "CommitLimit", "Committed_AS")
    return {
        "host": {name: memory[name] for name in kept if name in memory}, "groups": _groups(),
        "overcommit": _number("/proc/sys/vm/overcommit_memory"), "kills": _pairs("/proc/vmstat").get("oom_kill"),
    }  # fmt: skip


def judge(reading, expectation):
    host, faults, notes = reading["host"], [], []
    left = host.get("MemAvailable", 0)
    notes.append(f"{left / 2**30:.1f} of {host['MemTotal'] / 2**30:.1f} GiB of the machine available")
    if left < _LEFT * host["MemTotal"]:
        faults.append(f"only {left / 2**30:.1f} GiB of the machine are left")
    for group in reading["groups"]:
        if group["kills"]:
            faults.append(f"{group['kills']} processes of {group['path']} were killed for want of memory")
        if group["limit"] and group["now"] is not None and group["limit"] < host["MemTotal"]:
            room = group["limit"] - group["now"] + group["reclaimable"]
            left = min(left, room)
            text = f"{room / 2**30:.1f} of {group['limit'] / 2**30:.1f} GiB left in {group['path']}"
            (faults if room < _LEFT * group["limit"] else notes).append(text)
    if reading["kills"] and not any(group["kills"] for group in reading["groups"]):
        notes.append(f"the kernel killed {reading['kills']} processes for want of memory since boot")
        if expectation.get("id") == "host-oom-kill":
            faults.append(notes.pop())
    if expectation.get("requested") and expectation["requested"] > left:
        faults.append(f"{expectation['requested'] / 2**30:.1f} GiB are not left")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
