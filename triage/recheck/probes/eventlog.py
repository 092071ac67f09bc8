"""Has Windows logged faults of the display driver or of hardware lately?

Confirms: in the last 24 hours there are events of the display driver (Display 4101, nvlddmkm 13, 14, 153), uncorrected
hardware errors (WHEA-Logger), or restarts without a shutdown (Kernel-Power 41). Corrected ones are a warning.

Refutes: there are none.

Ids: win-tdr-4101, win-nvlddmkm-13, win-nvlddmkm-14, win-nvlddmkm-153, win-whea-17, win-kernel-power-41
"""

import json
import re
import subprocess
import sys

GROUP = "windows"
SECONDS = 90.0

_WHEA = "Microsoft-Windows-WHEA-Logger"  # its even numbers are fatal errors, its odd ones corrected (its manifest)
_FAULTS = {
    "Display": (4101,), "nvlddmkm": (13, 14, 153), "Microsoft-Windows-Kernel-Power": (41,),
    _WHEA: (1, *range(16, 28, 2), *range(40, 50, 2)),
}  # fmt: skip
_CORRECTED = {_WHEA: (2, *range(17, 28, 2), *range(41, 50, 2))}
_DAY = 24 * 3600 * 1000
_EVENT = re.compile(r"<Event .*?</Event>", re.DOTALL)


def _query():
    names = " or ".join(f"@Name='{name}'" for name in _FAULTS)
    return f"*[System[Provider[{names}] and TimeCreated[timediff(@SystemTime) <= {_DAY}]]]"


def read(wanted):
    if sys.platform != "win32":
        return {"absent": "this event log is a matter of Windows"}
    command = ["wevtutil", "qe", "System", "/q:" + _query(), "/f:xml", "/c:2000", "/rd:true"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if done.returncode:
        return {"refused": "the event log cannot be read: " + done.stderr.decode("mbcs", "replace").strip()[:200]}
    return {"xml": done.stdout.decode("utf-8", "replace")}


def _counts(xml):
    """The number of events of each provider and id, with the time of the last one (events come newest first)."""
    counts = {}
    for event in _EVENT.findall(xml):
        provider = re.search(r"<Provider Name=['\"]([^'\"]+)", event)
        number = re.search(r"<EventID(?: [^>]*)?>(\d+)<", event)
        time = re.search(r"SystemTime=['\"]([^'\"]+)", event)
        if provider and number:
            entry = counts.setdefault((provider.group(1), int(number.group(1))), [0, time.group(1) if time else ""])
            entry[0] += 1
    return counts


def judge(reading, expectation):
    faults, warnings = [], []
    for (provider, number), (count, last) in _counts(reading["xml"]).items():
        text = f"{provider.replace('Microsoft-Windows-', '')} {number}: {count} (last {last[:19]})"
        if number in _FAULTS.get(provider, ()):
            faults.append(text)
        elif number in _CORRECTED.get(provider, ()):
            warnings.append(text)
    if faults or warnings:
        return {"outcome": "confirmed", "detail": "; ".join(faults + warnings), "warning": not faults}
    return {"outcome": "refuted", "detail": "no such event in the last 24 hours"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
