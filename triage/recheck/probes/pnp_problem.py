"""Does Windows report a problem of a display device?

Confirms: the device manager holds a problem code for a display device (of the code in the log: the same one).

Refutes: all display devices that are present have none.

Ids: win-code-3, win-code-10, win-code-12, win-code-28, win-code-31, win-code-39, win-code-43, win-code-52
"""

import json
import subprocess
import sys

GROUP = "windows"
SECONDS = 90.0
WANTS = ("device_code",)

_QUERY = (
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; "
    "@(Get-CimInstance Win32_PnPEntity -Filter \"PNPClass='Display'\" | "
    "Select-Object Name, PNPDeviceID, ConfigManagerErrorCode, Status, Present) | ConvertTo-Json -Compress"
)
_PHANTOM = 45  # CM_PROB_PHANTOM: remembered, not connected now


def read(wanted):
    if sys.platform != "win32":
        return {"absent": "problem codes of devices are a matter of Windows"}
    command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", _QUERY]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    devices = json.loads(done.stdout.decode("utf-8-sig", "replace") or "[]")
    return {"devices": devices if isinstance(devices, list) else [devices]}


def judge(reading, expectation):
    faults, notes, code = [], [], expectation.get("device_code")
    for one in reading["devices"]:
        problem = one.get("ConfigManagerErrorCode") or 0
        text = f"{one.get('Name') or one.get('PNPDeviceID')}: code {problem}"
        (faults if problem and problem != _PHANTOM else notes).append((problem, text))
    if code is not None and not any(problem == code for problem, _ in faults):
        others = "; ".join(text for _, text in faults + notes)
        return {"outcome": "refuted", "detail": f"no display device has code {code} now; {others or 'none is listed'}"}
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(text for _, text in faults)}
    if not reading["devices"]:
        return {"outcome": "inconclusive", "detail": "Windows lists no display device"}
    return {"outcome": "refuted", "detail": "; ".join(text for _, text in notes)}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
