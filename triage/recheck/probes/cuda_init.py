"""Can PyTorch use CUDA here, and if not, which check is the first that fails?

Confirms: a check fails, in this order: PyTorch is built with CUDA, a driver is loaded and its device files may be
used, `cuInit`, the driver is new enough for this build, `CUDA_VISIBLE_DEVICES` leaves a GPU, PyTorch counts it, and
with --stress a context can be made on each.

Refutes: all of them pass.

Ids: cuda-no-device, cuda-invalid-device, torch-no-cuda-build, cuda-driver-too-old, cuda-init-error, cuda-802-fabric,
nvidia-device-files-missing, container-lost-gpu
"""

import ctypes
import glob
import json
import os
import sys

GROUP = "torch"
LOAD = "optional"
SECONDS = 120.0
WANTS = ("gpu",)

_LIBRARY = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
# cuda.h, CUresult
_ERRORS = {
    3: "not initialized", 35: "insufficient driver", 46: "devices unavailable", 100: "no device", 101: "invalid device",
    304: "operating system call failed", 802: "system not yet initialized (the fabric)", 803: "driver mismatch",
    804: "compat library not supported on this GPU", 999: "unknown error",
}  # fmt: skip


def _files():
    """The device files of the driver and what keeps us from using each."""
    found = {}
    for path in ["/dev/nvidiactl", "/dev/nvidia-uvm", *sorted(glob.glob("/dev/nvidia[0-9]*"))]:
        try:
            os.close(os.open(path, os.O_RDWR))
            found[path] = ""
        except OSError as error:
            found[path] = error.strerror
    return found


def _driver():
    """What the driver's own library says: its version, `cuInit`, and the number of devices."""
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        return {"library": str(error)}
    version, count = ctypes.c_int(), ctypes.c_int()
    result = {"library": "", "init": library.cuInit(0)}
    library.cuDriverGetVersion(ctypes.byref(version))
    result["version"] = version.value
    if result["init"] == 0:
        library.cuDeviceGetCount(ctypes.byref(count))
        result["count"] = count.value
    return result


def _contexts(torch):
    found = []
    for index in range(torch.cuda.device_count()):
        try:
            value = torch.ones(1, device="cuda:%d" % index).sum().item()
            found.append("" if value == 1 else f"1 became {value}")
        except Exception as error:
            found.append(type(error).__name__ + ": " + str(error).split("\n")[0][:200])
    return found


def read(wanted):
    import torch

    reading = {
        "torch": torch.__version__, "cuda": torch.version.cuda, "hip": getattr(torch.version, "hip", None),
        "platform": sys.platform, "driver": _driver(), "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "files": _files() if sys.platform == "linux" and not os.path.exists("/dev/dxg") else {},
        "loaded": os.path.exists("/proc/driver/nvidia/version"), "error": "", "count": 0, "contexts": None,
    }  # fmt: skip
    try:
        torch.cuda.init()
        reading["count"] = torch.cuda.device_count()
        reading["names"] = [torch.cuda.get_device_name(index) for index in range(reading["count"])]
        if wanted.get("stress"):
            reading["contexts"] = _contexts(torch)
    except Exception as error:
        reading["error"] = type(error).__name__ + ": " + str(error).split("\n")[0][:300]
    return reading


def _fault(reading, expectation):
    """The first check that fails, in words; nothing when all pass."""
    driver, visible = reading["driver"], reading["visible"]
    if reading["cuda"] is None:
        return f"PyTorch {reading['torch']} is built without CUDA"
    if driver["library"]:
        return "the driver's library is not here: " + driver["library"]
    bad = {path: text for path, text in reading["files"].items() if text}
    if driver["init"]:
        why = "; ".join(f"{path}: {text}" for path, text in bad.items())
        name = _ERRORS.get(driver["init"], "")
        return f"cuInit fails with {driver['init']}{' (' + name + ')' if name else ''}{': ' + why if why else ''}"
    have, need = driver["version"] // 1000, int(reading["cuda"].split(".")[0])
    if have < need:
        return f"the driver is for CUDA {have}, PyTorch {reading['torch']} is built with CUDA {reading['cuda']}"
    if reading["count"] == 0 and visible is not None:
        return f"CUDA_VISIBLE_DEVICES={visible!r} leaves no GPU (the driver counts {driver.get('count')})"
    if reading["error"] or reading["count"] == 0:
        return reading["error"] or "PyTorch counts no GPU"
    wrong = [f"cuda:{index}: {text}" for index, text in enumerate(reading["contexts"] or []) if text]
    if wrong:
        return "no context can be made: " + "; ".join(wrong)
    if expectation.get("id") == "cuda-invalid-device" and (expectation.get("gpu") or 0) >= reading["count"]:
        return f"cuda:{expectation['gpu']} does not exist: there are {reading['count']} GPUs"
    return ""


def judge(reading, expectation):
    if reading["hip"]:
        return {"outcome": "not-applicable", "detail": f"PyTorch {reading['torch']} is built for ROCm"}
    nothing = reading["driver"]["library"] and not reading["loaded"] and reading["files"].get("/dev/nvidiactl")
    if nothing and reading["platform"] == "linux":
        return {"outcome": "not-applicable", "detail": "no NVIDIA driver on this machine"}
    fault = _fault(reading, expectation)
    if fault:
        return {"outcome": "confirmed", "detail": fault}
    tried = "a context was made on each" if reading["contexts"] else "no context was made (--stress does)"
    names = ", ".join(sorted(set(reading["names"])))
    detail = f"PyTorch {reading['torch']} (CUDA {reading['cuda']}) sees {reading['count']} GPU(s): {names}; {tried}"
    return {"outcome": "refuted", "detail": detail}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
