"""Does the request that failed fit now?

Confirms: the request is larger than what is free, or than the whole GPU; with --stress it is asked for again, and
fails with the same error (reproduced). For an out-of-memory by the program's own use the probe first takes as much as
the program held, which needs --stress --force. For a limit that the program had set: the request is over the limit and
would fit without it; with --stress both are tried.

Refutes: it fits; with --stress it was allocated and given back.

Ids: cuda-oom, cuda-oom-fraction, cuda-oom-own-use, cuda-oom-too-large, cuda-oom-other-process, cuda-oom-raw,
cublas-alloc-failed
"""

import json
import sys

GROUP = "torch"
LOAD = "optional"
SECONDS = 120.0
WANTS = ("requested", "allocated", "allowed")

_OWN = "cuda-oom-own-use"
_LIMITED = "cuda-oom-fraction"


def _try(torch, index, size, held, part=1.0):
    """What comes of an allocation while `held` bytes are held: `ok`, or the first words of the error.

    `part` is the share of the GPU that this process may use meanwhile.
    """
    try:
        torch.cuda.set_per_process_memory_fraction(part, index)
        blocks = [torch.empty(part, dtype=torch.uint8, device="cuda:%d" % index) for part in (held, size)]
        del blocks
        return "ok"
    except RuntimeError as error:
        return str(error).split("\n")[0][:400]
    finally:
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(1.0, index)


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    size, share = int(wanted.get("requested") or 0), wanted.get("share", 0.8)
    own = int(wanted.get("allocated") or 0) if wanted.get("id") == _OWN else 0
    allowed = int(wanted.get("allowed") or 0) if wanted.get("id") == _LIMITED else 0
    gpus = []
    for index in range(torch.cuda.device_count()):
        found = torch.cuda.get_device_properties(index)
        one = {"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name}
        gpus.append(one)
        try:
            one["free"], one["total"] = torch.cuda.mem_get_info(index)
        except RuntimeError as error:
            one["error"] = str(error).split("\n")[0][:200]
            continue
        one["fits"] = size <= one["free"]
        # What fits but takes most of the free memory could starve others; what cannot fit harms nobody.
        held = own if own <= share * one["free"] and share == 1 else 0
        one["tried"] = bool(wanted.get("stress")) and size > 0 and (size <= share * one["free"] or not one["fits"])
        one["held"] = held if one["tried"] else 0
        one["result"] = _try(torch, index, size, held) if one["tried"] else None
        if one["tried"] and 0 < allowed < one["total"]:
            part = min(int(wanted.get("allocated") or 0), allowed)
            one["limited"] = _try(torch, index, size, part, allowed / one["total"])
        one["free_after"] = torch.cuda.mem_get_info(index)[0]
    return {"requested": size, "own": own, "allowed": allowed, "share": share, "gpus": gpus}


def _gib(size):
    return f"{size / 2**30:.2f} GiB"


def _limited(reading):
    """What the limit that the program had set does to the request."""
    size, allowed = _gib(reading["requested"]), _gib(reading["allowed"])
    failing, fitting = [], []
    for gpu in reading["gpus"]:
        room = f"{_gib(gpu['free'])} of {_gib(gpu['total'])} free on {gpu['name']} {gpu['index']}"
        if not gpu["fits"] or gpu["result"] not in (None, "ok"):
            fitting.append(f"{size} do not fit without the limit either: {room}")
        elif gpu["result"] and gpu.get("limited") not in (None, "ok"):
            text = f"reproduced: {size} with {allowed} allowed, {room}: {gpu['limited'][:160]}"
            failing.append(text + "; without the limit allocated")
        elif gpu.get("limited") == "ok":
            fitting.append(f"{size} fit with {allowed} allowed, {room}")
        else:
            failing.append(f"{size} would fit without the limit of {allowed}, {room} (not tried)")
    return {"outcome": "confirmed" if failing else "refuted", "detail": "; ".join(failing or fitting)}


def judge(reading, expectation):
    size = reading["requested"]
    if not size:
        text = "; ".join(f"{gpu['name']}: {_gib(gpu['free'])} of {_gib(gpu['total'])} free" for gpu in reading["gpus"])
        return {"outcome": "not-applicable", "detail": f"no request is known (--set requested=20GiB); {text}"}
    if reading.get("allowed"):
        return _limited(reading)
    failing, fitting, untried = [], [], []
    for gpu in reading["gpus"]:
        room = f"{_gib(gpu['free'])} of {_gib(gpu['total'])} free on {gpu['name']} {gpu['index']}"
        held = f" on top of {_gib(gpu['held'])}" if gpu["held"] else ""
        if gpu["result"] not in (None, "ok"):
            failing.append(f"reproduced: {_gib(size)}{held} with {room}: {gpu['result'][:160]}")
        elif gpu["result"] == "ok":
            fitting.append(f"{_gib(size)}{held} allocated and given back, {room}")
        elif size > gpu["total"]:
            failing.append(f"{_gib(size)} are more than the GPU has: {room}")
        elif not gpu["fits"]:
            failing.append(f"{_gib(size)} do not fit: {room}")
        elif size > reading["share"] * gpu["free"] and expectation.get("stress"):
            untried.append(f"{_gib(size)} would take more than {reading['share']:.0%} of {room}: --force tries it")
        else:
            fitting.append(f"{_gib(size)} would fit ({room}; not tried)")
    if failing:
        return {"outcome": "confirmed", "detail": "; ".join(failing)}
    if untried:
        return {"outcome": "inconclusive", "detail": "; ".join(untried)}
    if reading["own"] and not any(gpu["held"] for gpu in reading["gpus"]):
        text = f"the {_gib(reading['own'])} that the program held are gone with it: --stress --force takes them again"
        return {"outcome": "inconclusive", "detail": "; ".join([*fitting, text])}
    return {"outcome": "refuted", "detail": "; ".join(fitting)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
