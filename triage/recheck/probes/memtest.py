"""Does the memory of the GPU keep what is written to it?

Confirms: a word that was written is read back otherwise.

Refutes: every word of the memory that was tested came back, in every pattern. It says nothing of memory that others
hold, nor of errors that ECC corrected (probe ecc-remap counts those).

Ids: xid-48, xid-94, xid-95, xid-63, xid-64
"""

import json
import sys
import time

GROUP = "torch"
LOAD = "needed"
SECONDS = 180.0

_TIME = 10.0  # seconds of testing for each GPU, unless told otherwise
_CHUNK = 1 << 30  # bytes
_PATTERNS = (0x00000000, -1, 0x55555555, -0x55555556)  # the last is 0xAAAAAAAA


def _test(torch, device, chunks, until):
    """Writes and reads every pattern, then the number of each word; gives the passes and the words that differ."""
    wrong, passes, example = 0, 0, None
    while time.monotonic() < until and not wrong:
        for pattern in (*_PATTERNS, None):
            for number, chunk in enumerate(chunks):
                if pattern is None:
                    torch.arange(number, number + chunk.numel(), out=chunk)
                else:
                    chunk.fill_(pattern)
            torch.cuda.synchronize(device)
            for number, chunk in enumerate(chunks):
                right = pattern if pattern is not None else torch.arange(
                    number, number + chunk.numel(), dtype=torch.int32, device=device
                )  # fmt: skip
                bad = chunk.ne(right)
                count = int(bad.sum())
                if count:
                    at = int(bad.nonzero()[0])
                    value = pattern if pattern is not None else number + at
                    example = {"chunk": number, "word": at, "wrote": value, "read": int(chunk[at])}
                wrong += count
            if time.monotonic() >= until and passes:
                break
        passes += 1
    return {"wrong": wrong, "passes": passes, "example": example}


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    gpus = []
    for index in range(torch.cuda.device_count()):
        found, began = torch.cuda.get_device_properties(index), time.monotonic()
        one = {"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name}
        gpus.append(one)
        device = "cuda:%d" % index
        room = int(torch.cuda.mem_get_info(index)[0] * wanted.get("share", 0.8)) - 3 * _CHUNK  # the compared copy
        try:
            chunks = [torch.empty(_CHUNK // 4, dtype=torch.int32, device=device) for _ in range(max(0, room // _CHUNK))]
            one["bytes"] = len(chunks) * _CHUNK
            one.update(_test(torch, device, chunks, began + float(wanted.get("seconds", _TIME))) if chunks else {})
            del chunks
        except RuntimeError as error:
            one["error"] = str(error).split("\n")[0][:300]
        torch.cuda.empty_cache()
        one["seconds"] = round(time.monotonic() - began, 3)
    return {"torch": torch.__version__, "gpus": gpus}


def judge(reading, expectation):
    faults, notes, untested = [], [], []
    for gpu in reading["gpus"]:
        name = f"{gpu['name']} {gpu['index']}"
        if not gpu["bytes"]:
            untested.append(f"{name}: too little free memory to test")
        elif gpu["wrong"]:
            one = gpu["example"]
            differing = (one["wrote"] ^ one["read"]) & 0xFFFFFFFF
            faults.append(f"{name}: {gpu['wrong']} words differ, the first in the bits 0x{differing:08x}")
        else:
            notes.append(f"{name}: {gpu['bytes'] >> 30} GiB, {gpu['passes']} passes of 5 patterns, no difference")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults)}
    if untested:
        return {"outcome": "inconclusive", "detail": "; ".join(untested + notes)}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
