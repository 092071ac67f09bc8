"""Do the loaded kernel module and the libraries of the driver have one version?

Confirms: the module is not loaded although a GPU is on the bus, or a library (libcuda, NVML) has another version than
the module, as after an update without a reboot or with a library mounted over another into a container.

Refutes: module and libraries have the same version.

Ids: driver-library-mismatch, nvrm-api-mismatch, driver-not-loaded
"""

import ctypes
import ctypes.util
import glob
import json
import os
import re
import subprocess
import sys

GROUP = "nvml"
WANTS = ("driver", "client_version")

_LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1")


def _text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _library(name):
    """The version in the real name of a library as the dynamic linker finds it, and where that is."""
    try:
        ctypes.CDLL(name)
        with open("/proc/self/maps") as file:
            paths = {line.split()[-1] for line in file if name.split(".so")[0] + ".so" in line}
    except OSError:
        return None
    path = os.path.realpath(sorted(paths)[0]) if paths else ""
    version = re.search(r"\.so\.(\d+\.\d[\d.]*)$", path)
    return {"path": path, "version": version.group(1) if version else None}


def _on_disk():
    """The version of the module that would be loaded next, or None."""
    try:
        done = subprocess.run(["modinfo", "-F", "version", "nvidia"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=10)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("ascii", "replace").strip() or None


def _nvml():
    try:
        import pynvml as nvml
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
        return {"driver": nvml.nvmlSystemGetDriverVersion()}
    except nvml.NVMLError as error:
        return {"error": type(error).__name__}


def read(wanted):
    if sys.platform != "linux":
        return {"absent": "the driver is one package on " + sys.platform}
    loaded = re.search(r"Kernel Module(?: for \S+)?\s+(\d+\.[\d.]+)", _text("/proc/driver/nvidia/version"))
    classes = (path for path in glob.glob("/sys/bus/pci/devices/*/class") if _text(path).startswith("0x03"))
    return {
        "module": loaded.group(1) if loaded else None, "disk": _on_disk(), "nvml": _nvml(),
        "libraries": {name: _library(name) for name in _LIBRARIES},
        "gpu_on_bus": any(_text(os.path.dirname(path) + "/vendor").strip() == "0x10de" for path in classes),
        "wsl": os.path.exists("/dev/dxg"),
    }


def judge(reading, expectation):
    module, libraries = reading["module"], reading["libraries"]
    found = {name: one["version"] for name, one in libraries.items() if one and one["version"]}
    if reading["wsl"]:
        return {"outcome": "not-applicable", "detail": "under WSL the driver is that of Windows"}
    if module is None:
        if reading["gpu_on_bus"]:
            detail = f"an NVIDIA GPU is on the bus, but the kernel module is not loaded (on disk: {reading['disk']})"
            return {"outcome": "confirmed", "detail": detail}
        return {"outcome": "not-applicable", "detail": "no NVIDIA GPU on the bus and no kernel module loaded"}
    other = {name: version for name, version in found.items() if version != module}
    if other or (reading["nvml"] or {}).get("error") == "NVMLError_LibRmVersionMismatch":
        shown = ", ".join(f"{name} {version}" for name, version in other.items()) or "NVML says that they differ"
        after = f"; a reboot would load {reading['disk']}" if reading["disk"] not in (None, module) else ""
        return {"outcome": "confirmed", "detail": f"kernel module {module}, but {shown}{after}"}
    if not found:
        return {"outcome": "inconclusive", "detail": f"kernel module {module}; no library tells its version"}
    if reading["disk"] not in (None, module):
        detail = f"module and libraries are {module} now, but a reboot would load {reading['disk']}"
        return {"outcome": "confirmed", "detail": detail, "warning": True}
    return {"outcome": "refuted", "detail": f"kernel module, {', '.join(sorted(found))} all have {module}"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
