"""Do ACS or the IOMMU stand between the GPUs?

Confirms: on a machine with two or more NVIDIA GPUs that is no virtual machine, a bridge above a GPU redirects
requests between devices (ACS), or the IOMMU translates for the GPUs. Direct copies between GPUs are then slow, or
hang; where isolation is wanted (passthrough), it has to stay, so this is a warning.

Refutes: neither does.

Ids: p2p-blocked-acs, pcie-aer-acsviol, iommu-dmar-fault, iommu-amd-io-page-fault
"""

import glob
import json
import os
import struct
import sys

GROUP = "host"

_ACS = 0x000D  # PCI_EXT_CAP_ID_ACS, include/uapi/linux/pci_regs.h
_REDIRECT = 0x04 | 0x08  # PCI_ACS_RR, PCI_ACS_CR: request and completion redirect


def _text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _acs(pci):
    """The control word of ACS of a device: None without ACS; `hidden` when only root may read so far."""
    try:
        with open(f"/sys/bus/pci/devices/{pci}/config", "rb") as file:
            data = file.read()
    except OSError:
        return "hidden"
    if len(data) <= 256:
        return "hidden"
    at, seen = 256, set()
    while at >= 256 and at + 8 <= len(data) and at not in seen:
        seen.add(at)
        head = struct.unpack_from("<I", data, at)[0]
        if head & 0xFFFF == _ACS:
            return struct.unpack_from("<H", data, at + 6)[0]
        at = head >> 20 & 0xFFC
    return None


def read(wanted):
    if sys.platform != "linux":
        return {"absent": "ACS and the IOMMU are read from /sys of Linux"}
    gpus, bridges = [], {}
    for folder in sorted(glob.glob("/sys/bus/pci/devices/*")):
        if _text(folder + "/vendor") != "0x10de" or not _text(folder + "/class").startswith("0x03"):
            continue
        group = os.path.realpath(folder + "/iommu_group")
        kind = _text(group + "/type") if os.path.exists(folder + "/iommu_group") else ""
        gpus.append({"pci": os.path.basename(folder), "iommu": kind})
        for part in os.path.realpath(folder).split("/")[:-1]:
            if part.count(":") == 2 and "." in part:
                bridges[part] = _acs(part)
    flags = " hypervisor " in _text("/proc/cpuinfo").replace("\n", " ")
    words = [word for word in _text("/proc/cmdline").split() if "iommu" in word]
    return {"gpus_on_bus": gpus, "bridges": bridges, "hypervisor": flags, "kernel_words": words}


def judge(reading, expectation):
    gpus = reading["gpus_on_bus"]
    if len(gpus) < 2:
        return {"outcome": "not-applicable", "detail": f"{len(gpus)} NVIDIA GPU(s) on the bus: nothing to copy between"}
    redirecting = [pci for pci, word in reading["bridges"].items() if isinstance(word, int) and word & _REDIRECT]
    translated = [gpu["pci"] for gpu in gpus if gpu["iommu"].startswith("DMA")]
    state = f"ACS redirects at {', '.join(redirecting)}" if redirecting else ""
    if translated:
        state += ("; " if state else "") + f"the IOMMU translates for {', '.join(translated)}"
    if reading["hypervisor"]:
        why = "a virtual machine: ACS and IOMMU are those of its host"
        return {"outcome": "not-applicable", "detail": why + (f" ({state})" if state else "")}
    if state:
        return {"outcome": "confirmed", "detail": state, "warning": True}
    hidden = [pci for pci, word in reading["bridges"].items() if word == "hidden"]
    if hidden:
        return {"outcome": "inconclusive", "detail": f"ACS of {len(hidden)} bridges can be read by root only"}
    return {"outcome": "refuted", "detail": f"no redirection at {len(reading['bridges'])} bridges, no translation"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
