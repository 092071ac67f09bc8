"""Does the PCIe link of the GPU run at its full width and speed, without errors?

Confirms: fewer lanes than GPU and slot can have; under load (--stress) a lower generation; uncorrectable AER errors on
the GPU or the port above it; a replay counter that rises while it is watched. Corrected errors are a warning.

Refutes: full width, no uncorrectable errors, no rising replays, and under load full speed. A low generation at idle
is the normal saving of power and says nothing.

Ids: xid-79, gpu-fallen-off-bus, pcie-bandwidth-limited, pcie-aer-uncorrectable-fatal, pcie-aer-uncorrectable-nonfatal,
smi-pcie-width, smi-replay
"""

import json
import os
import sys
import time

GROUP = "nvml"
LOAD = "optional"
SECONDS = 60.0

_WATCH = 1.0  # seconds between two readings of the counters
_BUSY = 2.0  # seconds of copies, so that the link has left its saving state


def _text(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return None


def _aer(folder):
    """The sums of the AER counters of a device: correctable, nonfatal, fatal; None where the kernel has none."""
    sums = {}
    for kind in ("correctable", "nonfatal", "fatal"):
        rows = _text(folder + "/aer_dev_" + kind)
        total = [row.split()[1] for row in (rows or "").splitlines() if row.startswith("TOTAL_ERR_")]
        sums[kind] = int(total[0]) if total else None
    return None if all(value is None for value in sums.values()) else sums


def _path(pci):
    """The GPU and the ports above it up to the root, as they stand in /sys."""
    real = os.path.realpath("/sys/bus/pci/devices/" + pci + ".0")
    parts = [part for part in real.split("/") if part.count(":") == 2 and "." in part]
    return [{"pci": part, "aer": _aer("/sys/bus/pci/devices/" + part)} for part in reversed(parts)]


def _load(count):
    """Copies both ways on every visible GPU for a while, calling `look` in between; an error is given as text."""
    import torch

    count = min(count, torch.cuda.device_count())
    host = torch.empty(64 << 20, dtype=torch.uint8, pin_memory=True)
    device = [torch.empty_like(host, device="cuda:%d" % index) for index in range(count)]
    until = time.monotonic() + _BUSY
    while time.monotonic() < until:
        for tensor in device:
            tensor.copy_(host, non_blocking=True)
            host.copy_(tensor, non_blocking=True)
        yield
        for index in range(count):
            torch.cuda.synchronize(index)


def read(wanted):
    import pynvml as nvml

    def ask(function, handle):
        try:
            return getattr(nvml, function)(handle)
        except (nvml.NVMLError, AttributeError):
            return None

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
        one["gen"] = ask("nvmlDeviceGetCurrPcieLinkGeneration", handle)
        one["gen_max"] = ask("nvmlDeviceGetMaxPcieLinkGeneration", handle)
        one["width"] = ask("nvmlDeviceGetCurrPcieLinkWidth", handle)
        one["width_max"] = ask("nvmlDeviceGetMaxPcieLinkWidth", handle)
        one["replays"] = [ask("nvmlDeviceGetPcieReplayCounter", handle)]
        one["path"] = _path(one["pci"])
    load_error = None
    if wanted.get("stress"):
        try:
            for _ in _load(len(handles)):
                for one, handle in handles:
                    for key, name in (("gen", "Generation"), ("width", "Width")):
                        now = ask("nvmlDeviceGetCurrPcieLink" + name, handle)
                        one[key + "_load"] = max(now or 0, one.get(key + "_load") or 0)
        except Exception as failure:
            load_error = type(failure).__name__ + ": " + str(failure)[:200]
    else:
        time.sleep(_WATCH)
    for one, handle in handles:
        one["replays"].append(ask("nvmlDeviceGetPcieReplayCounter", handle))
        one["path_after"] = _path(one["pci"])
    return {"gpus": gpus, "load_error": load_error}


def _link(gen, width):
    return f"Gen{gen} x{width}"


def _judge_one(gpu, faults, warnings, notes):
    pci, gen, width = gpu["pci"], gpu.get("gen_load") or gpu["gen"], gpu.get("width_load") or gpu["width"]
    full = _link(gpu["gen_max"], gpu["width_max"])
    if width and gpu["width_max"] and width < gpu["width_max"]:
        faults.append(f"{pci} runs at {_link(gen, width)} of {full}: lanes are missing")
    elif gpu.get("gen_load") and gpu["gen_max"] and gen < gpu["gen_max"]:
        faults.append(f"{pci} runs at {_link(gen, width)} of {full} under load")
    elif gen and gpu["gen_max"] and gen < gpu["gen_max"]:
        notes.append(f"{pci} {_link(gen, width)} of {full}, as usual at idle (--stress reads it under load)")
    else:
        notes.append(f"{pci} {_link(gen, width)} of {full}" + (" under load" if gpu.get("gen_load") else ""))
    before, after = (value or 0 for value in gpu["replays"])
    if after > before:
        faults.append(f"{pci}: the replay counter rose from {before} to {after} while it was watched")
    for port in gpu["path_after"]:
        aer = port["aer"] or {}
        bad = {kind: aer[kind] for kind in ("nonfatal", "fatal") if aer.get(kind)}
        if bad:
            faults.append(f"{port['pci']} counts AER errors: {', '.join(f'{n} {kind}' for kind, n in bad.items())}")
        if aer.get("correctable"):
            warnings.append(f"{port['pci']} counts {aer['correctable']} corrected AER errors")


def judge(reading, expectation):
    faults, warnings, notes = [], [], []
    for gpu in reading["gpus"]:
        _judge_one(gpu, faults, warnings, notes)
    if reading["load_error"]:
        notes.append("not read under load: " + reading["load_error"])
    if faults or warnings:
        return {"outcome": "confirmed", "detail": "; ".join(faults + warnings + notes), "warning": not faults}
    if all(gpu["width"] is None and gpu["gen"] is None for gpu in reading["gpus"]):
        return {"outcome": "not-applicable", "detail": "these GPUs tell no PCIe link"}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
