"""Is /dev/shm large enough?

Confirms: what is free in it is less than was asked for, or it is all but full. With nothing known of the request,
64 MiB or less in all (the default of Docker) is a warning: DataLoader workers and NCCL need more.

Refutes: there is room.

Ids: shm-exhausted, dataloader-shm, dataloader-killed, bus-error-text, nccl-shm-create, nccl-shm-attach
"""

import json
import os
import sys

GROUP = "nccl"
WANTS = ("requested",)

_FOLDER = "/dev/shm"
_SMALL = 64 << 20
_NEEDED = 32 << 20  # free bytes below which the first NCCL channel or worker batch may fail: judgement


def read(wanted):
    if not hasattr(os, "statvfs") or not os.path.isdir(_FOLDER):
        return {"absent": f"there is no {_FOLDER} on this system"}
    found = os.statvfs(_FOLDER)
    files = []
    for name in os.listdir(_FOLDER):
        try:
            files.append([name, os.lstat(os.path.join(_FOLDER, name)).st_size])
        except OSError:
            continue
    files.sort(key=lambda entry: -entry[1])
    return {"total": found.f_frsize * found.f_blocks, "free": found.f_frsize * found.f_bavail, "files": len(files),
            "largest": files[:5], "nccl": sum(name.startswith("nccl-") for name, _ in files)}  # fmt: skip


def judge(reading, expectation):
    total, free = reading["total"], reading["free"]
    detail = f"{free / 2**20:,.0f} of {total / 2**20:,.0f} MiB free in {_FOLDER}"
    if reading["files"]:
        detail += f", {reading['files']} files" + (f" ({reading['nccl']} of NCCL)" if reading["nccl"] else "")
    need = expectation.get("requested") or _NEEDED
    if free < need:
        return {"outcome": "confirmed", "detail": f"{detail}: less than {need / 2**20:,.0f} MiB"}
    if total <= _SMALL and not expectation.get("requested"):
        return {"outcome": "confirmed", "detail": f"{detail}: the small default of a container", "warning": True}
    return {"outcome": "refuted", "detail": detail}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
