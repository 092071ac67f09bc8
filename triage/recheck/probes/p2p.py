"""Can the GPUs reach each other's memory, and does what is copied arrive unchanged?

Confirms: bytes differ after a direct copy (an IOMMU or ACS in between), a copy fails, or the driver grants no peer
access although NVLinks join the pair.

Refutes: every copy arrived unchanged, both ways. A pair without peer access is copied through the host; that is told,
and is normal between cards of the consumer class.

Ids: iommu-dmar-fault, iommu-amd-io-page-fault, pcie-aer-acsviol, p2p-blocked-acs, nccl-p2p-peer, cuda-peer-unsupported
"""

import json
import sys

GROUP = "torch"
LOAD = "needed"
TOGETHER = True
SECONDS = 180.0

_WORDS = 16 << 20  # of 4 bytes
# nvml.h, nvmlGpuTopologyLevel_t, in the words of `nvidia-smi topo -m`
_LEVELS = {0: "same board", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}


def _nvml(uuids):
    """For each pair of GPUs what lies between them, and whether NVLinks join them; empty without pynvml."""
    try:
        import pynvml as nvml

        nvml.nvmlInit()
        handles = [nvml.nvmlDeviceGetHandleByUUID(uuid) for uuid in uuids]
    except Exception:
        return {}
    found = {}
    for a in range(len(handles)):
        for b in range(a + 1, len(handles)):
            try:
                level = nvml.nvmlDeviceGetTopologyCommonAncestor(handles[a], handles[b])
                joined = nvml.nvmlDeviceGetP2PStatus(handles[a], handles[b], nvml.NVML_P2P_CAPS_INDEX_NVLINK) == 0
                found[a, b] = {"level": _LEVELS.get(level, str(level)), "nvlink": joined}
            except nvml.NVMLError:
                continue
    return found


def _copy(torch, a, b):
    """Copies random words from one GPU to the other; gives how many differ, and GB/s of a second copy."""
    host = torch.randint(-(2**31), 2**31 - 1, (_WORDS,), dtype=torch.int32)
    source, target = host.to("cuda:%d" % a), torch.zeros(_WORDS, dtype=torch.int32, device="cuda:%d" % b)
    target.copy_(source)
    torch.cuda.synchronize(b)
    wrong = int(target.cpu().ne(host).sum())
    with torch.cuda.device(a):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        target.copy_(source)
        end.record()
        torch.cuda.synchronize(a)
    return {"wrong": wrong, "speed": round(_WORDS * 4 / 1e6 / begin.elapsed_time(end), 1)}


def read(wanted):
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count < 2:
        return {"absent": f"two GPUs are needed, PyTorch {torch.__version__} sees {count}"}
    uuids = ["GPU-" + str(getattr(torch.cuda.get_device_properties(index), "uuid", "")) for index in range(count)]
    between, pairs = _nvml(uuids), []
    for a in range(count):
        for b in range(count):
            if a != b:
                one = {"from": a, "to": b, "peer": torch.cuda.can_device_access_peer(a, b), "error": ""}
                one.update(between.get((min(a, b), max(a, b)), {}))
                try:
                    one.update(_copy(torch, a, b))
                except RuntimeError as error:
                    one["error"] = str(error).split("\n")[0][:200]
                pairs.append(one)
    return {"torch": torch.__version__, "uuids": uuids, "pairs": pairs}


def judge(reading, expectation):
    faults, slow = [], []
    for one in reading["pairs"]:
        name = f"GPU {one['from']} to {one['to']}"
        if one["error"]:
            faults.append(f"{name}: {one['error']}")
        elif one["wrong"]:
            way = "directly" if one["peer"] else "through the host"
            faults.append(f"{name}: {one['wrong']} of {_WORDS} words differ after a copy ({way})")
        elif one.get("nvlink") and not one["peer"]:
            faults.append(f"{name}: joined by NVLink, but without peer access")
        elif not one["peer"]:
            slow.append(f"{one['from']}-{one['to']}")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults)}
    speeds = [one["speed"] for one in reading["pairs"]]
    levels = sorted({"NVLink" if one.get("nvlink") else one.get("level", "") for one in reading["pairs"]} - {""})
    text = f"{len(speeds)} copies arrived unchanged, {min(speeds):g} to {max(speeds):g} GB/s"
    text += f" ({', '.join(levels)})" if levels else ""
    return {"outcome": "refuted", "detail": text + (f"; no peer access: {', '.join(slow)}" if slow else "")}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
