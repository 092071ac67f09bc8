"""Is every GPU there, and does each answer?

Confirms: the GPU of the log, or any GPU that the machine should have, is not on the PCI bus, reads as all ones there
(fallen off the bus), has no device file, or gives NVML an error such as "GPU is lost".

Refutes: the GPU of the log (without one: all GPUs, as many as expected) is on the bus and answers NVML.

Ids: xid-79, gpu-fallen-off-bus, smi-gpu-lost, smi-no-devices, smi-unknown-error, rminitadapter-failed, xid-119
"""

import glob
import json
import os
import stat
import subprocess
import sys

GROUP = "nvml"
WANTS = ("pci", "gpu_uuid", "gpu", "gpus")
SECONDS = 60.0

_MAJOR = 195  # of /dev/nvidia*, Documentation/admin-guide/devices.txt of the kernel
_CONTAINER = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")


def _on_bus():
    """The NVIDIA GPUs that the kernel lists; `alive` is false where the first bytes of their configuration are ff."""
    found = []
    for folder in sorted(glob.glob("/sys/bus/pci/devices/*")):
        try:
            with open(folder + "/vendor") as vendor, open(folder + "/class") as kind:
                if vendor.read().strip() != "0x10de" or not kind.read().startswith("0x03"):
                    continue
            with open(folder + "/config", "rb") as config:
                found.append({"pci": os.path.basename(folder)[:-2], "alive": config.read(4) != b"\xff" * 4})
        except OSError as error:
            found.append({"pci": os.path.basename(folder)[:-2], "alive": None, "error": str(error)})
    return found


def _file(path):
    """How a device file is: ok, missing, or not the driver's."""
    try:
        status = os.stat(path)
    except OSError as error:
        return "missing" if error.errno == 2 else str(error)
    return "ok" if stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) == _MAJOR else "not a device of the driver"


def _by_driver():
    """The GPUs that the kernel module holds, each with the state of its device file."""
    found = []
    for path in sorted(glob.glob("/proc/driver/nvidia/gpus/*/information")):
        with open(path) as file:
            rows = dict(line.split(":", 1) for line in file if ":" in line)
        minor = rows.get("Device Minor", "").strip()
        name = os.path.basename(os.path.dirname(path))[:-2]
        found.append({"pci": name, "file": _file("/dev/nvidia" + minor) if minor.isdigit() else "unknown"})
    return found


def _by_nvml():
    """The GPUs that NVML lists, each by itself: one that is lost does not hide the others."""
    try:
        import pynvml as nvml
    except ImportError:
        return _by_smi()
    try:
        nvml.nvmlInit()
        count = nvml.nvmlDeviceGetCount()
    except nvml.NVMLError as error:
        return [], type(error).__name__ + ": " + str(error)
    found = []
    for index in range(count):
        one = {"index": index}
        found.append(one)
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            one["pci"] = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one["uuid"], one["name"] = nvml.nvmlDeviceGetUUID(handle), nvml.nvmlDeviceGetName(handle)
            one["temperature"] = nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
        except nvml.NVMLError as error:
            one["error"] = str(error)
    return found, ""


def _by_smi():
    """The same through nvidia-smi, where pynvml is not installed."""
    command = ["nvidia-smi", "--query-gpu=index,pci.bus_id,uuid,name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=40)
    except FileNotFoundError:
        return [], "neither pynvml (package nvidia-ml-py) nor nvidia-smi is here"
    except subprocess.TimeoutExpired:
        return [], "nvidia-smi gave no answer within 40 s"
    rows = [line.split(", ") for line in done.stdout.decode("utf-8", "replace").splitlines()]
    found = [
        {"index": int(row[0]), "pci": row[1].lower()[-12:-2], "uuid": row[2], "name": row[3]}
        for row in rows if len(row) == 4 and row[0].isdigit()
    ]
    return found, "" if done.returncode == 0 else ", ".join(" ".join(row) for row in rows if len(row) != 4)[:300]


def read(wanted):
    gpus, error = _by_nvml()
    driver = _by_driver()
    return {
        "gpus": gpus, "error": error, "bus": _on_bus(), "driver": driver,
        "loaded": bool(driver) or os.path.exists("/proc/driver/nvidia/version") or bool(gpus),
        "control": _file("/dev/nvidiactl") if os.name == "posix" and not os.path.exists("/dev/dxg") else "ok",
        "container": any(os.path.exists(path) for path in _CONTAINER) or "container" in os.environ,
    }


def _state(reading, pci):
    """What is wrong with the GPU at an address, or nothing."""
    one = next((gpu for gpu in reading["gpus"] if gpu.get("pci") == pci), None)
    slot = next((gpu for gpu in reading["bus"] if gpu["pci"] == pci), None)
    held = next((gpu for gpu in reading["driver"] if gpu["pci"] == pci), None)
    if slot is not None and slot["alive"] is False:
        return "reads as all ones on the bus: it has fallen off"
    if one is not None:
        return one.get("error", "")
    if held is not None and held["file"] != "ok":
        return "is with the driver, but its device file is " + held["file"]
    if slot is not None:
        return "is on the PCI bus, but not with the driver"
    return "is not on the PCI bus" if reading["bus"] else "is not listed by NVML"


def _given(reading, pci):
    """Whether this container was given the GPU; on a host always."""
    held = next((gpu for gpu in reading["driver"] if gpu["pci"] == pci), None)
    return not (reading["container"] and held is not None and held["file"] == "missing")


def judge(reading, expectation):
    gpus = reading["gpus"]
    if not gpus and not reading["bus"] and not reading["loaded"] and not expectation.get("gpus"):
        return {"outcome": "not-applicable", "detail": "no NVIDIA GPU and no NVIDIA driver on this machine"}
    pcis = [gpu.get("pci") for gpu in gpus] + [gpu["pci"] for gpu in reading["bus"] if _given(reading, gpu["pci"])]
    pcis = sorted(set(filter(None, pcis)))
    faults = [f"{pci} {_state(reading, pci)}" for pci in pcis if _state(reading, pci)]
    faults += [f"GPU {gpu['index']}: {gpu['error']}" for gpu in gpus if "error" in gpu and "pci" not in gpu]
    if reading["control"] != "ok" and (reading["bus"] or reading["loaded"]):
        faults.append("/dev/nvidiactl is " + reading["control"])
    if reading["error"]:
        faults.append(reading["error"])
    good = [gpu for gpu in gpus if "error" not in gpu]
    count = expectation.get("gpus")
    if count and len(good) < count:
        faults.append(f"{len(good)} of {count} expected GPUs answer")
    wanted = expectation.get("pci") or next(
        (gpu.get("pci") for gpu in gpus if gpu.get("uuid") and gpu["uuid"] == expectation.get("gpu_uuid")), None
    )
    if wanted and not count:
        state = _state(reading, wanted)
        one = next((gpu for gpu in good if gpu.get("pci") == wanted), None)
        if one is not None and not state:
            return {"outcome": "refuted", "detail": f"{wanted} answers: {one.get('name')}; {_all(good, faults)}"}
        return {"outcome": "confirmed", "detail": f"{wanted} {state or reading['error']}; {_all(good, [])}"}
    if expectation.get("gpu_uuid") and not count and not faults:
        return {"outcome": "confirmed", "detail": f"{expectation['gpu_uuid']} is not listed; {_all(good, [])}"}
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults[:6])}
    return {"outcome": "refuted", "detail": _all(good, [])}


def _all(good, faults):
    text = f"{len(good)} GPU{'' if len(good) == 1 else 's'} answer{'s' if len(good) == 1 else ''}"
    return "; ".join([text, *faults[:3]])


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
