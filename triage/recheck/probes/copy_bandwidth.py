"""Do copies between host and GPU run as fast as the PCIe link allows?

Confirms: the faster of several copies reaches less than 75 % of what the negotiated link carries.

Refutes: 75 to 100 %, as healthy links do. More than 100 % is no measurement (another link, or a wrong reading).

Ids: pcie-bandwidth-limited, smi-pcie-width
"""

import json
import os
import sys

GROUP = "torch"
LOAD = "needed"
SECONDS = 120.0

_BYTES = 256 << 20
_REPEATS = 5
_LEAST, _MOST = 0.75, 1.0
# GB/s of one lane and direction after line coding: 2.5 and 5 GT/s with 8b/10b, 8 to 32 GT/s with 128b/130b (PCI
# Express Base Specification). Generation 6 has another coding: 64 GT/s less about 2 % is an approximation.
_LANE = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.85}


def _link(uuid):
    """PCI address, generation and lanes of the link at this moment: as NVML tells them."""
    pci = gen = width = None
    try:
        import pynvml as nvml

        nvml.nvmlInit()
        handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
        pci = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
        gen, width = nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle), nvml.nvmlDeviceGetCurrPcieLinkWidth(handle)
    except Exception:  # not installed, or not told for this GPU
        pass
    return {"pci": pci, "link": [gen, width]}


def _copy(torch, index, target, source):
    """GB/s of the fastest of several copies, by events on the device."""
    best = 0.0
    for _ in range(_REPEATS + 1):  # the first wakes the link
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        target.copy_(source, non_blocking=True)
        end.record()
        torch.cuda.synchronize(index)
        best = max(best, _BYTES / 1e6 / begin.elapsed_time(end))
    return best


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    host = torch.empty(_BYTES, dtype=torch.uint8, pin_memory=True)
    gpus = []
    for index in range(torch.cuda.device_count()):
        found = torch.cuda.get_device_properties(index)
        one = {"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name}
        gpus.append(one)
        with torch.cuda.device(index):
            device = torch.empty(_BYTES, dtype=torch.uint8, device="cuda")
            one["to_device"] = round(_copy(torch, index, device, host), 2)
            one.update(_link(one["uuid"]))
            one["to_host"] = round(_copy(torch, index, host, device), 2)
            one["on_device"] = round(2 * _copy(torch, index, torch.empty_like(device), device), 1)
    return {"torch": torch.__version__, "gpus": gpus, "hypervisor": _hypervisor()}


def _hypervisor():
    if not os.path.exists("/proc/cpuinfo"):
        return None
    with open("/proc/cpuinfo") as file:
        return " hypervisor " in file.read().replace("\n", " ")


def judge(reading, expectation):
    slow, odd, notes = [], [], []
    for gpu in reading["gpus"]:
        name, (gen, width) = gpu["pci"] or f"{gpu['name']} {gpu['index']}", gpu["link"]
        speeds = f"{gpu['to_device']} GB/s to the GPU, {gpu['to_host']} GB/s back"
        if gen not in _LANE or not width:
            odd.append(f"{name}: {speeds}; the link is not known")
            continue
        full = _LANE[gen] * width
        shares = [gpu["to_device"] / full, gpu["to_host"] / full]
        text = f"{name}: {speeds}; {shares[0]:.0%} and {shares[1]:.0%} of the {full:.1f} GB/s of Gen{gen} x{width}"
        (odd if max(shares) > _MOST else slow if min(shares) < _LEAST else notes).append(text)
    if slow:
        guest = "; a virtual machine: its host may hold the copies back" if reading["hypervisor"] else ""
        return {"outcome": "confirmed", "detail": "; ".join(slow + odd + notes) + guest, "warning": True}
    if odd:
        return {"outcome": "inconclusive", "detail": "; ".join(odd + notes)}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
