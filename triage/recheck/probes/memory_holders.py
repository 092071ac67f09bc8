"""Who holds the memory of the GPU now?

Confirms: memory is held that no living process accounts for (an orphan, or a process in another container); or, for
a diagnosis: other processes leave less free than was requested, or less than 1 GiB where the request is not known.

Refutes: the memory is free, or all of it belongs to the processes that are listed and leaves room for the request.

Ids: cuda-oom-other-process, smi-orphan-memory, vllm-free-memory, cuda-oom
"""

import json
import os
import sys

GROUP = "nvml"
WANTS = ("requested",)

_ORPHAN = 1 << 30  # bytes: contexts, reserved pages and rounding stay below it
_LEAST = 1 << 30  # bytes: a context of CUDA alone takes 518 MiB (measured on an H200), its libraries more


def _process(pid):
    """The command and the user of a process; None where it cannot be seen."""
    try:
        with open(f"/proc/{pid}/comm") as file:
            name = file.read().strip()
        return {"name": name, "uid": os.stat(f"/proc/{pid}").st_uid}
    except OSError:
        return None


def read(wanted):
    import pynvml as nvml

    nvml.nvmlInit()
    gpus = []
    for index in range(nvml.nvmlDeviceGetCount()):
        one = {"index": index}
        gpus.append(one)
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            one["pci"] = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one["uuid"], one["name"] = nvml.nvmlDeviceGetUUID(handle), nvml.nvmlDeviceGetName(handle)
            try:  # `used` without what the driver keeps for itself
                memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
            except (nvml.NVMLError, TypeError, AttributeError):
                memory = nvml.nvmlDeviceGetMemoryInfo(handle)
            one["memory"] = {"total": memory.total, "used": memory.used, "free": memory.free}
            one["processes"] = []
            for kind in ("Compute", "Graphics"):
                for process in getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses")(handle):
                    found = {"pid": process.pid, "bytes": process.usedGpuMemory, "kind": kind.lower()}
                    one["processes"].append({**found, "seen": _process(process.pid)})
        except nvml.NVMLError as error:
            one["error"] = str(error)
    return {"gpus": gpus, "namespace": os.path.exists("/.dockerenv") or "KUBERNETES_SERVICE_HOST" in os.environ}


def _gib(size):
    return f"{size / 2**30:.1f} GiB"


def _holders(gpu):
    shown = []
    for one in gpu["processes"]:
        name = (one["seen"] or {}).get("name") or "not seen from here"
        shown.append(f"pid {one['pid']} ({name}) {_gib(one['bytes']) if one['bytes'] else 'unknown size'}")
    return shown


def judge(reading, expectation):
    faults, notes = [], []
    requested = expectation.get("requested") or (_LEAST if expectation.get("id") else 0)
    for gpu in reading["gpus"]:
        memory, holders = gpu["memory"], _holders(gpu)
        sizes = [one["bytes"] for one in gpu["processes"]]
        orphan = 0 if None in sizes else memory["used"] - sum(sizes)
        text = f"{gpu['pci']}: {_gib(memory['free'])} of {_gib(memory['total'])} free"
        text += ("; " + ", ".join(holders)) if holders else ", no process"
        if orphan > _ORPHAN:
            where = " (of another container?)" if reading["namespace"] else ""
            faults.append(f"{gpu['pci']}: {_gib(orphan)} are held by no process that is listed{where}; {text}")
        elif requested and requested > memory["free"] and memory["used"] > _ORPHAN and requested <= memory["total"]:
            faults.append(f"{_gib(requested)} do not fit now; {text}")
        else:
            notes.append(text)
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
