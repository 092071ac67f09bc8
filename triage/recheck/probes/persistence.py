"""Does the driver stay initialised while no program uses the GPU?

Confirms: persistence mode is off on a GPU, or the service nvidia-persistenced failed. A warning: work goes on, but
the first program waits, and states such as ECC counters are lost in between.

Refutes: persistence mode is on for every GPU.

Ids: persistenced-init-failed, persistenced-crash, smi-persistence-off
"""

import json
import subprocess
import sys

GROUP = "nvml"


def _service():
    """What systemd knows of the daemon, or None."""
    command = ["systemctl", "show", "nvidia-persistenced", "-p", "LoadState,ActiveState,Result,NRestarts"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    rows = dict(line.split("=", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if "=" in line)
    return rows or None


def read(wanted):
    if sys.platform != "linux":
        return {"absent": "persistence mode is a matter of Linux"}
    import pynvml as nvml

    nvml.nvmlInit()
    gpus = []
    for index in range(nvml.nvmlDeviceGetCount()):
        one = {"index": index}
        gpus.append(one)
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            one["pci"] = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one["uuid"] = nvml.nvmlDeviceGetUUID(handle)
            one["persistence"] = nvml.nvmlDeviceGetPersistenceMode(handle)
        except nvml.NVMLError as error:
            one["error"] = str(error)
    return {"gpus": gpus, "service": _service()}


def judge(reading, expectation):
    off = [gpu["pci"] for gpu in reading["gpus"] if not gpu["persistence"]]
    service = reading["service"] or {}
    state = f"nvidia-persistenced: {service.get('ActiveState')}" if service.get("LoadState") == "loaded" else ""
    if service.get("ActiveState") == "failed":
        state += f" ({service.get('Result')}, {service.get('NRestarts')} restarts)"
        return {"outcome": "confirmed", "detail": state, "warning": not off}
    if off:
        detail = "persistence mode is off on " + ", ".join(off) + (f"; {state}" if state else "")
        return {"outcome": "confirmed", "detail": detail, "warning": True}
    return {"outcome": "refuted", "detail": "persistence mode is on for all GPUs" + (f"; {state}" if state else "")}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
