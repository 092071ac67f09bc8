"""Is there room on the disks that training writes to?

Confirms: a file system of the working, home, temporary or cache folder has less than 1 % or 1 GiB free, no inodes
left, or has become read-only.

Refutes: all of them have room.

Ids: disk-full, disk-quota, io-error-python, checkpoint-corrupt
"""

import json
import os
import sys
import tempfile

GROUP = "host"

_SHARE, _BYTES = 0.01, 1 << 30
_VARIABLES = ("HOME", "TMPDIR", "HF_HOME", "TORCH_HOME", "TRITON_CACHE_DIR", "XDG_CACHE_HOME", "WANDB_DIR")


def read(wanted):
    folders = {os.environ.get("PWD", ""), tempfile.gettempdir(), *(os.environ.get(name, "") for name in _VARIABLES)}
    found = {}
    for folder in sorted(filter(os.path.isdir, folders)):
        try:
            device = os.stat(folder).st_dev
            if hasattr(os, "statvfs"):
                one = os.statvfs(folder)
                numbers = {"total": one.f_frsize * one.f_blocks, "free": one.f_frsize * one.f_bavail,
                           "inodes": one.f_files, "inodes_free": one.f_favail,
                           "read_only": bool(one.f_flag & os.ST_RDONLY)}  # fmt: skip
            else:
                import shutil

                usage = shutil.disk_usage(folder)
                numbers = {"total": usage.total, "free": usage.free, "inodes": 0, "inodes_free": 0, "read_only": False}
        except OSError as error:
            found.setdefault(folder, {"folder": folder, "error": str(error)})
            continue
        found.setdefault(device, {"folder": folder, **numbers})
    return {"disks": list(found.values())}


def judge(reading, expectation):
    faults, notes = [], []
    for one in reading["disks"]:
        if "error" in one:
            faults.append(one["error"])
            continue
        text = f"{one['folder']}: {one['free'] / 2**30:.1f} of {one['total'] / 2**30:.1f} GiB free"
        if one["read_only"]:
            faults.append(f"{one['folder']} is read-only")
        elif one["inodes"] and not one["inodes_free"]:
            faults.append(f"{one['folder']} has no inodes left")
        elif one["total"] and one["free"] < max(_SHARE * one["total"], min(_BYTES, one["total"] / 10)):
            faults.append(text)
        else:
            notes.append(text)
    if not faults and not notes:
        return {"outcome": "inconclusive", "detail": "no folder to look at"}
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    return {"outcome": "refuted", "detail": "; ".join(notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
