"""Do the memory of the GPU and its own state of health show errors?

Confirms: a row remapping failed or is pending, pages wait for retirement, memory cannot be repaired, the SRAM threshold
is exceeded, the GPU asks for a recovery action, or uncorrectable errors were counted since the driver was loaded.

Refutes: none of these. Errors of the past that are counted in the aggregate are told beside it.

Ids: xid-48, xid-63, xid-64, xid-94, xid-95, xid-92, xid-140, smi-ecc-uncorrected, smi-remap-pending, smi-remap-failure
"""

import ctypes
import json
import sys

GROUP = "nvml"

# nvml.h, nvmlDeviceGpuRecoveryAction_t
_ACTIONS = ("none", "GPU reset", "node reboot", "drain P2P", "drain and reset", "recover IMEX domain", "bus reset",
            "system reboot")  # fmt: skip


def read(wanted):
    import pynvml as nvml

    def ask(function, *arguments):
        try:
            return getattr(nvml, function)(*arguments)
        except (nvml.NVMLError, AttributeError):
            return None  # not supported by this GPU, driver or binding

    def field(handle, name):
        got = ask("nvmlDeviceGetFieldValues", handle, [getattr(nvml, name)]) if hasattr(nvml, name) else None
        return got[0].value.uiVal if got and got[0].nvmlReturn == 0 else None

    def sram(handle):
        status = getattr(nvml, "c_nvmlEccSramErrorStatus_v1_t", lambda: None)()
        got = status and ask("nvmlDeviceGetSramEccErrorStatus", handle, ctypes.byref(status))
        return None if got is None else bool(status.bThresholdExceeded)

    nvml.nvmlInit()
    gpus = []
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
        mode = ask("nvmlDeviceGetEccMode", handle)
        one["ecc"] = mode and {"current": mode[0], "pending": mode[1]}
        for kind in ("CORRECTED", "UNCORRECTED"):
            for span in ("VOLATILE", "AGGREGATE"):
                values = [getattr(nvml, "NVML_MEMORY_ERROR_TYPE_" + kind), getattr(nvml, "NVML_" + span + "_ECC")]
                one[(span + "_" + kind).lower()] = ask("nvmlDeviceGetTotalEccErrors", handle, *values)
        rows = ask("nvmlDeviceGetRemappedRows", handle)
        one["rows"] = rows and dict(zip(("corrected", "uncorrected", "pending", "failed"), rows))
        repairs = ask("nvmlDeviceGetRepairStatus", handle)
        one["repair_pending"] = repairs and any(repairs)
        one["pages_pending"] = ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)
        one["sram_threshold"] = sram(handle)
        one["unrepairable"] = ask("nvmlDeviceGetUnrepairableMemoryFlag_v1", handle)
        one["action"] = field(handle, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION")
    return {"gpus": gpus}


def _faults(gpu):
    rows = gpu["rows"] or {}
    if rows.get("failed"):
        yield "row remapping failed"
    if rows.get("pending"):
        yield "a row remapping is pending until the GPU is reset"
    if gpu["repair_pending"]:
        yield "a repair of a memory channel or TPC is pending until the GPU is reset"
    if gpu["pages_pending"]:
        yield "pages wait for retirement until the GPU is reset"
    if gpu["unrepairable"]:
        yield "memory cannot be repaired"
    if gpu["sram_threshold"]:
        yield "the SRAM threshold of uncorrectable errors is exceeded"
    if gpu["volatile_uncorrected"]:
        yield f"{gpu['volatile_uncorrected']} uncorrectable errors since the driver was loaded"
    if gpu["action"]:
        action = _ACTIONS[gpu["action"]] if gpu["action"] < len(_ACTIONS) else f"number {gpu['action']}"
        yield f"the GPU asks for a recovery action: {action}"


def judge(reading, expectation):
    faults, notes, blind = [], [], 0
    for gpu in reading["gpus"]:
        found = list(_faults(gpu))
        faults += [f"{gpu['pci']}: {text}" for text in found]
        counts = {kind: gpu["aggregate_" + kind] for kind in ("corrected", "uncorrected")}
        past = [f"{count} {kind}" for kind, count in counts.items() if count]
        rows = gpu["rows"] or {}
        past += [f"{rows[key]} rows remapped ({key})" for key in ("corrected", "uncorrected") if rows.get(key)]
        if past:
            notes.append(f"{gpu['pci']} in its life: {', '.join(past)}")
        blind += not gpu["ecc"] and gpu["rows"] is None and not found
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    if blind == len(reading["gpus"]):
        return {"outcome": "not-applicable", "detail": "these GPUs count no memory errors (no ECC, or switched off)"}
    good = f"{len(reading['gpus'])} GPU(s): no repair pending or failed, no uncorrectable error since the driver loaded"
    return {"outcome": "refuted", "detail": "; ".join([good, *notes])}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
