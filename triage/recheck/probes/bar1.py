"""Has the GPU its windows in the address space of the machine, and is BAR1 not used up?

Confirms: a memory window of the GPU got no address (too little space below or above 4 GB), or BAR1 is used to more
than 95 %.

Refutes: all windows have addresses, and BAR1 has room.

Ids: pci-bar-no-space, nvrm-invalid-bar, smi-bar1-exhausted
"""

import glob
import json
import os
import sys

GROUP = "nvml"

_FULL = 0.95
_MEMORY, _UNSET = 0x200, 0x20000000  # include/linux/ioport.h: IORESOURCE_MEM, IORESOURCE_UNSET


def _on_bus():
    """Each NVIDIA GPU on the bus with its memory windows, as the kernel lists them in `resource`."""
    found = []
    for folder in sorted(glob.glob("/sys/bus/pci/devices/*")):
        try:
            with open(folder + "/vendor") as vendor, open(folder + "/class") as kind:
                if vendor.read().strip() != "0x10de" or not kind.read().startswith("0x03"):
                    continue
            with open(folder + "/resource") as file:  # start, end and flags of each window
                rows = [[int(word, 16) for word in line.split()] for line in file.readlines()[:6]]
        except (OSError, ValueError):
            continue
        windows = [
            {"bar": n, "size": b - a + 1, "unset": bool(f & _UNSET) or (not a and b > 0)}
            for n, (a, b, f) in enumerate(rows) if f & _MEMORY
        ]
        found.append({"pci": os.path.basename(folder)[:-2], "windows": windows})
    return found


def read(wanted):
    gpus, why = {one["pci"]: one for one in _on_bus()}, "pynvml is not installed"
    try:
        import pynvml as nvml

        nvml.nvmlInit()
        for index in range(nvml.nvmlDeviceGetCount()):
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            memory = nvml.nvmlDeviceGetBAR1MemoryInfo(handle)
            pci = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one = gpus.setdefault(pci, {"pci": pci, "windows": []})
            one.update(index=index, uuid=nvml.nvmlDeviceGetUUID(handle), used=memory.bar1Used, total=memory.bar1Total)
    except ImportError:
        pass
    except Exception as error:  # what is read from the bus stays
        why = "NVML says: " + str(error)
    return {"gpus": list(gpus.values()), "why": why} if gpus else {"absent": "no NVIDIA GPU on the bus; " + why}


def judge(reading, expectation):
    faults, notes = [], []
    for gpu in reading["gpus"]:
        lost = [str(window["bar"]) for window in gpu["windows"] if window["unset"]]
        if lost:
            faults.append(f"{gpu['pci']}: memory window {', '.join(lost)} has no address")
        elif gpu["windows"]:
            notes.append(f"{gpu['pci']}: all {len(gpu['windows'])} windows have addresses")
        if gpu.get("total"):
            text = f"{gpu['pci']}: BAR1 {gpu['used'] >> 20} of {gpu['total'] >> 20} MiB used"
            (faults if gpu["used"] > _FULL * gpu["total"] else notes).append(text)
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    return {"outcome": "refuted" if notes else "inconclusive", "detail": "; ".join(notes) or reading["why"]}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
