"""May a new program use the GPU?

Confirms: the compute mode is Prohibited, or exclusive while a process holds the GPU; or a change of MIG mode is
pending, so that the GPU is not yet what it was set to.

Refutes: the mode is Default, or exclusive and nobody holds the GPU.

Ids: cuda-busy, smi-exclusive, smi-mig-mismatch
"""

import json
import sys

GROUP = "nvml"

# nvml.h, nvmlComputeMode_t
_MODES = ("Default", "Exclusive Thread", "Prohibited", "Exclusive Process")


def read(wanted):
    import pynvml as nvml

    nvml.nvmlInit()
    gpus = []
    for index in range(nvml.nvmlDeviceGetCount()):
        one = {"index": index, "mig": None}
        gpus.append(one)
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            one["pci"] = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
            one["uuid"] = nvml.nvmlDeviceGetUUID(handle)
            one["mode"] = nvml.nvmlDeviceGetComputeMode(handle)
            one["pids"] = [process.pid for process in nvml.nvmlDeviceGetComputeRunningProcesses(handle)]
        except nvml.NVMLError as error:
            one["error"] = str(error)
            continue
        try:
            one["mig"] = nvml.nvmlDeviceGetMigMode(handle)
        except nvml.NVMLError:
            pass  # GPUs without MIG
    return {"gpus": gpus}


def judge(reading, expectation):
    faults, notes = [], []
    for gpu in reading["gpus"]:
        mode = _MODES[gpu["mode"]] if gpu["mode"] < len(_MODES) else f"mode {gpu['mode']}"
        if mode == "Prohibited":
            faults.append(f"{gpu['pci']}: compute mode Prohibited, no program may use it")
        elif mode.startswith("Exclusive") and gpu["pids"]:
            faults.append(f"{gpu['pci']}: compute mode {mode}, held by pid {', '.join(map(str, gpu['pids']))}")
        if gpu["mig"] and gpu["mig"][0] != gpu["mig"][1]:
            now, then = ("on" if value else "off" for value in gpu["mig"])
            faults.append(f"{gpu['pci']}: MIG is {now} and will be {then} after a reset of the GPU")
        notes.append(f"{gpu['pci']} {mode}" + (", MIG on" if gpu["mig"] and gpu["mig"][0] else ""))
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults)}
    return {"outcome": "refuted", "detail": "compute mode: " + ", ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
