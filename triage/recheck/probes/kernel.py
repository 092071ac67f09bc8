"""Does a known-good kernel run on each GPU, with the right result?

Confirms: a matrix product, a reduction or an index kernel fails, or gives a wrong number, on a GPU.

Refutes: all of them are right; so the failing kernel of the log is to be looked for in the program.

Ids: cuda-illegal-address, cuda-misaligned, cuda-launch-failure, xid-13, xid-31, xid-109, cublas-execution-failed
"""

import json
import sys
import time

GROUP = "torch"
LOAD = "needed"
SECONDS = 120.0

_SIDE = 4096


def _checks(torch, device):
    """Name, result and expectation of each kernel; the numbers are exact in float32."""
    ones = torch.ones(_SIDE, _SIDE, device=device)
    yield "matrix product", (ones @ ones).sum(dtype=torch.float64).item(), float(_SIDE**3)
    count = torch.arange(_SIDE * _SIDE, device=device, dtype=torch.int64)
    yield "reduction", count.sum().item(), (_SIDE**2 - 1) * _SIDE**2 // 2
    order = torch.randperm(_SIDE * _SIDE, device=device)
    yield "gather and scatter", torch.empty_like(count).scatter_(0, order, order).eq(count).sum().item(), _SIDE**2
    half = ones.to(torch.float16)
    yield "half precision", (half @ half).float().mean().item(), float(_SIDE)


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    gpus = []
    for index in range(torch.cuda.device_count()):
        found, began = torch.cuda.get_device_properties(index), time.monotonic()
        one = {"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name, "checks": {}}
        gpus.append(one)
        try:
            for name, value, right in _checks(torch, "cuda:%d" % index):
                one["checks"][name] = {"value": value, "right": right}
            torch.cuda.synchronize(index)
            one["failed"] = ""
        except Exception as error:
            one["failed"] = type(error).__name__ + ": " + str(error).split("\n")[0][:300]
        one["seconds"] = round(time.monotonic() - began, 3)
    return {"torch": torch.__version__, "gpus": gpus}


def judge(reading, expectation):
    faults = []
    for gpu in reading["gpus"]:
        name = f"{gpu['name']} {gpu['index']}"
        if gpu["failed"]:
            faults.append(f"{name}: {gpu['failed']}")
        for check, one in gpu["checks"].items():
            if one["value"] != one["right"]:
                faults.append(f"{name}: {check} gives {one['value']}, not {one['right']}")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults)}
    count, checks = len(reading["gpus"]), len(reading["gpus"][0]["checks"])
    return {"outcome": "refuted", "detail": f"{checks} kernels ran on {count} GPU(s), all results are right"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
