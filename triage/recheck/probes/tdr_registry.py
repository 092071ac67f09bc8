"""Is the time limit of Windows for the GPU (TDR) as it comes?

Confirms: recovery is switched off, or a limit was set that is shorter than the default of 2 seconds. A longer limit,
which long compute kernels may need, is told and is no fault.

Refutes: the values are not set, or are the defaults.

Ids: win-tdr-4101, win-bugcheck-116, win-bugcheck-117
"""

import json
import sys

GROUP = "windows"

_KEY = r"SYSTEM\CurrentControlSet\Control\GraphicsDrivers"
# Defaults: learn.microsoft.com, "TDR registry keys"
_DEFAULTS = {"TdrLevel": 3, "TdrDelay": 2, "TdrDdiDelay": 5, "TdrLimitTime": 60, "TdrLimitCount": 5}


def read(wanted):
    if sys.platform != "win32":
        return {"absent": "TDR is a matter of Windows"}
    import winreg

    values = {}
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _KEY) as key:
        for name in (*_DEFAULTS, "HwSchMode"):
            try:
                values[name] = winreg.QueryValueEx(key, name)[0]
            except FileNotFoundError:
                values[name] = None
    return {"values": values}


def judge(reading, expectation):
    values = reading["values"]
    changed = {name: values.get(name) for name, usual in _DEFAULTS.items() if values.get(name) not in (None, usual)}
    shown = ", ".join(f"{name}={value} (default {_DEFAULTS[name]})" for name, value in changed.items())
    if values.get("TdrLevel") == 0:
        return {"outcome": "confirmed", "detail": f"recovery is switched off: {shown}"}
    delay = values.get("TdrDelay")
    if delay is not None and delay < _DEFAULTS["TdrDelay"]:
        return {"outcome": "confirmed", "detail": f"the limit is shorter than the default: {shown}"}
    return {"outcome": "refuted", "detail": shown or "no value is set: the defaults hold"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
