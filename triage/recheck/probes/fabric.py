"""Are the GPUs joined into their NVLink fabric, and are all links up?

Confirms: a GPU has not finished its registration with the fabric (Fabric Manager not running or failing), reports a
degraded or unhealthy fabric, or has fewer active links than the other GPUs of its model.

Refutes: registration is completed with success where there is a fabric, and equal GPUs have equally many active links.
GPUs without NVLink, and pairs without a bridge, have nothing to measure.

Ids: fabric-state-in-progress, cuda-802-fabric, nvlink-inactive, xid-74, xid-149
"""

import ctypes
import json
import subprocess
import sys

GROUP = "nvml"

# nvml.h, nvmlGpuFabricState_t and NVML_GPU_FABRIC_HEALTH_MASK_*: shift of each field that is bad when it is 1
_STATES = ("not supported", "not started", "in progress", "completed")
_HEALTH = {0: "degraded bandwidth", 2: "route recovery in progress", 4: "route unhealthy", 6: "access timeout recovery"}
_CONFIGURATION = 8  # shift of the field "incorrect configuration": 0 not supported, 1 none
_ERRORS = {0: "replay", 1: "recovery", 2: "CRC"}


def _service():
    command = ["systemctl", "show", "nvidia-fabricmanager", "-p", "LoadState,ActiveState,Result"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    rows = [line.split("=", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if "=" in line]
    return dict(rows) or None


def read(wanted):
    import pynvml as nvml

    def ask(function, *arguments):
        try:
            return getattr(nvml, function)(*arguments)
        except (nvml.NVMLError, AttributeError):
            return None

    def fabric(handle):
        for version in ("c_nvmlGpuFabricInfo_v3_t", "c_nvmlGpuFabricInfo_v2_t"):
            info = getattr(nvml, version, lambda: None)()
            if info and ask("nvmlDeviceGetGpuFabricInfoV", handle, ctypes.byref(info)) is not None:
                return {"state": info.state, "status": info.status, "health": info.healthMask}
        return None

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
        one["fabric"] = fabric(handle)
        one["links"] = {}
        for link in range(nvml.NVML_NVLINK_MAX_LINKS):
            state = ask("nvmlDeviceGetNvLinkState", handle, link)
            if state is not None:
                errors = {name: ask("nvmlDeviceGetNvLinkErrorCounter", handle, link, n) for n, name in _ERRORS.items()}
                one["links"][str(link)] = {"active": bool(state), "errors": errors}
    return {"gpus": gpus, "service": _service()}


def _fabric_faults(fabric):
    if fabric["state"] not in (0, 3):
        state = _STATES[fabric["state"]] if fabric["state"] < len(_STATES) else f"state {fabric['state']}"
        yield f"registration with the fabric is {state}"
    elif fabric["state"] == 3 and fabric["status"]:
        yield f"registration with the fabric failed with status {fabric['status']}"
    for shift, name in _HEALTH.items():
        if fabric["state"] == 3 and fabric["health"] >> shift & 3 == 1:
            yield name
    if fabric["state"] == 3 and fabric["health"] >> _CONFIGURATION & 15 > 1:
        yield f"incorrect configuration ({fabric['health'] >> _CONFIGURATION & 15})"


def judge(reading, expectation):
    faults, notes = [], []
    active = {gpu["pci"]: sum(link["active"] for link in gpu["links"].values()) for gpu in reading["gpus"]}
    most = {}
    for gpu in reading["gpus"]:
        most[gpu["name"]] = max(most.get(gpu["name"], 0), active[gpu["pci"]])
    for gpu in reading["gpus"]:
        pci, own, links = gpu["pci"], active[gpu["pci"]], gpu["links"]
        faults += [f"{pci}: {text}" for text in (_fabric_faults(gpu["fabric"]) if gpu["fabric"] else ())]
        down = [number for number, link in links.items() if not link["active"]]
        if own < most[gpu["name"]] or (own and down and gpu["fabric"] and gpu["fabric"]["state"] == 3):
            faults.append(f"{pci}: only {own} of {len(links)} NVLinks are active (down: {', '.join(down)})")
        elif links:
            notes.append(f"{pci}: {own} of {len(links)} NVLinks active")
        counts = {name: sum(link["errors"].get(name) or 0 for link in links.values()) for name in _ERRORS.values()}
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        if told:
            notes.append(f"{pci}: NVLink errors since the last reset: {told}")
    service = reading["service"] or {}
    if service.get("LoadState") == "loaded" and service.get("ActiveState") != "active" and faults:
        faults.append(f"nvidia-fabricmanager is {service.get('ActiveState')}")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    joined = [gpu for gpu in reading["gpus"] if gpu["fabric"] and gpu["fabric"]["state"] == 3]
    if not joined and not any(active.values()):
        return {"outcome": "not-applicable", "detail": "these GPUs are in no NVLink fabric and have no active NVLink"}
    return {"outcome": "refuted", "detail": "; ".join(([f"{len(joined)} GPUs registered"] if joined else []) + notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
