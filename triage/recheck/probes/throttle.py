"""Does anything hold the clocks of the GPU down: heat, power, or a limit below the default?

Confirms: hardware slowdown, thermal slowdown or the power brake is active, the GPU is as hot as its own slowdown
limit, or its power limit is below the default. More than 85 C is a warning.

Refutes: only idle, the power cap under full load (which is normal), or settings hold the clocks. Without --stress
the GPU may be idle, and then only the present state is judged.

Ids: smi-throttle-hw-thermal, smi-throttle-hw-power-brake, smi-throttle-sw-thermal, smi-power-limit-reduced,
smi-low-clocks-under-load
"""

import json
import sys
import threading
import time

GROUP = "nvml"
LOAD = "optional"
SECONDS = 90.0

_BUSY = 6.0  # seconds of load; power and clocks settle within two
_WARM = 85  # C
# nvml.h, nvmlClocksEventReason*
_REASONS = {
    0x1: "idle", 0x2: "applications clocks setting", 0x4: "SW power cap", 0x8: "HW slowdown", 0x10: "sync boost",
    0x20: "SW thermal slowdown", 0x40: "HW thermal slowdown", 0x80: "HW power brake slowdown",
    0x100: "display clock setting",
}  # fmt: skip
_FAULTS = 0x8 | 0x20 | 0x40 | 0x80


def _load(stop, errors):
    """Matrix products on every visible GPU until `stop` is set."""
    try:
        import torch

        kind = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        pairs = [torch.randn(4096, 4096, dtype=kind, device="cuda:%d" % i) for i in range(torch.cuda.device_count())]
        while not stop.is_set():
            for one in pairs:
                for _ in range(20):
                    one @ one
            for index in range(len(pairs)):
                torch.cuda.synchronize(index)
    except Exception as error:
        errors.append(type(error).__name__ + ": " + str(error)[:200])


def read(wanted):
    import pynvml as nvml

    def ask(function, *arguments):
        try:
            return getattr(nvml, function)(*arguments)
        except (nvml.NVMLError, AttributeError):
            return None

    def sample(handle):
        reasons = ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
        if reasons is None:  # the old name of the same
            reasons = ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
        return {
            "reasons": reasons, "temperature": ask("nvmlDeviceGetTemperature", handle, 0),
            "power": ask("nvmlDeviceGetPowerUsage", handle), "sm": ask("nvmlDeviceGetClockInfo", handle, 1),
        }

    nvml.nvmlInit()
    gpus, handles = [], []
    for index in range(nvml.nvmlDeviceGetCount()):
        one = {"index": index}
        gpus.append(one)
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            one["pci"] = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one["uuid"], one["name"] = nvml.nvmlDeviceGetUUID(handle), nvml.nvmlDeviceGetName(handle)
        except nvml.NVMLError as error:
            one["error"] = str(error)
            continue
        handles.append((one, handle))
        one["now"] = sample(handle)
        one["slowdown"] = ask("nvmlDeviceGetTemperatureThreshold", handle, 1)
        one["limit"] = ask("nvmlDeviceGetEnforcedPowerLimit", handle)
        one["limit_default"] = ask("nvmlDeviceGetPowerManagementDefaultLimit", handle)
        one["sm_max"] = ask("nvmlDeviceGetMaxClockInfo", handle, 1)
    errors = []
    if wanted.get("stress"):
        stop = threading.Event()
        worker = threading.Thread(target=_load, args=(stop, errors), daemon=True)
        worker.start()
        until = time.monotonic() + _BUSY
        while time.monotonic() < until and worker.is_alive():
            time.sleep(0.5)
            for one, handle in handles:
                one.setdefault("load", []).append(sample(handle))
        stop.set()
        worker.join(20)
    return {"gpus": gpus, "load_error": errors[0] if errors else None}


def _names(mask):
    return [name for bit, name in _REASONS.items() if mask & bit]


def _judge_one(gpu, faults, warnings, notes):
    pci, samples = gpu["pci"], [gpu["now"], *gpu.get("load", [])]
    mask = 0
    for one in samples:
        mask |= one["reasons"] or 0
    if mask & _FAULTS:
        faults.append(f"{pci}: {', '.join(_names(mask & _FAULTS))}")
    hottest = max((one["temperature"] for one in samples if one["temperature"] is not None), default=None)
    if hottest is not None and gpu["slowdown"] and hottest >= gpu["slowdown"]:
        faults.append(f"{pci} is at {hottest} C, its slowdown limit is {gpu['slowdown']} C")
    elif hottest is not None and hottest > _WARM:
        warnings.append(f"{pci} is at {hottest} C")
    if gpu["limit"] and gpu["limit_default"] and gpu["limit"] < gpu["limit_default"]:
        watts = (gpu["limit"] / 1000, gpu["limit_default"] / 1000)
        warnings.append(f"{pci} may draw {watts[0]:.0f} W, the default is {watts[1]:.0f} W")
    last = samples[-1]
    state = "under load" if len(samples) > 1 else "now"
    parts = [f"{last['sm']} of {gpu['sm_max']} MHz", f"{hottest} C", f"{(last['power'] or 0) / 1000:.0f} W"]
    notes.append(f"{pci} {state}: {', '.join(parts)}, {', '.join(_names(last['reasons'] or 0)) or 'nothing'} holds it")


def judge(reading, expectation):
    faults, warnings, notes = [], [], []
    for gpu in reading["gpus"]:
        _judge_one(gpu, faults, warnings, notes)
    if reading["load_error"]:
        notes.append("not read under load: " + reading["load_error"])
    if faults or warnings:
        return {"outcome": "confirmed", "detail": "; ".join(faults + warnings + notes), "warning": not faults}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
