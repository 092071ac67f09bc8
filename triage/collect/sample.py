"""One sample of the state of all GPUs and of the host; a self-contained script like a probe (docs/recheck.md)."""

import glob
import json
import subprocess
import sys


def _text(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _aer(pci, kind):
    """The sum of an AER counter of the GPU, or None."""
    rows = [line.split() for line in _text(f"/sys/bus/pci/devices/{pci}.0/aer_dev_{kind}").splitlines()]
    return next((int(row[1]) for row in rows if row and row[0].startswith("TOTAL_ERR_")), None)


def _xids():
    """How many Xid lines the kernel log holds, or None where it may not be read."""
    try:
        done = subprocess.run(["dmesg"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.count(b"NVRM: Xid (") if done.returncode == 0 else None


def _host():
    rows = (line.split() for line in _text("/proc/meminfo").splitlines())
    memory = {row[0].rstrip(":"): int(row[1]) >> 10 for row in rows if len(row) > 1 and row[1].isdigit()}
    load = _text("/proc/loadavg").split()
    temperatures = [
        int(text) // 1000 for path in glob.glob("/sys/class/thermal/thermal_zone*/temp")
        if (text := _text(path).strip()).lstrip("-").isdigit()
    ]
    return {
        "memory_free": memory.get("MemAvailable"), "load": float(load[0]) if load else None, "xids": _xids(),
        "temperature": max(temperatures, default=None),
    }


def _gpu(nvml, handle):
    def ask(function, *arguments):
        try:
            return getattr(nvml, function)(*arguments)
        except (nvml.NVMLError, AttributeError):
            return None

    def scaled(value, unit):
        return None if value is None else round(value / unit)

    pci = nvml.nvmlDeviceGetPciInfo(handle).busId.lower()[-12:-2]
    use, memory = ask("nvmlDeviceGetUtilizationRates", handle), ask("nvmlDeviceGetMemoryInfo", handle)
    rows = ask("nvmlDeviceGetRemappedRows", handle)
    reasons = ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
    return {
        "pci": pci, "temperature": ask("nvmlDeviceGetTemperature", handle, 0),
        "power": scaled(ask("nvmlDeviceGetPowerUsage", handle), 1000),
        "power_limit": scaled(ask("nvmlDeviceGetEnforcedPowerLimit", handle), 1000),
        "clock": ask("nvmlDeviceGetClockInfo", handle, 1), "utilization": use and use.gpu,
        "memory_used": memory and memory.used >> 20,
        "reasons": ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle) if reasons is None else reasons,
        "link_gen": ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        "link_width": ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
        "replays": ask("nvmlDeviceGetPcieReplayCounter", handle),
        "ecc_corrected": ask("nvmlDeviceGetTotalEccErrors", handle, 0, 0),
        "ecc_uncorrected": ask("nvmlDeviceGetTotalEccErrors", handle, 1, 0),
        "remapped": rows and rows[0] + rows[1], "aer_corrected": _aer(pci, "correctable"),
        "aer_nonfatal": _aer(pci, "nonfatal"), "aer_fatal": _aer(pci, "fatal"),
    }


def read(wanted):
    import pynvml as nvml

    nvml.nvmlInit()
    gpus = []
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            gpus.append({"index": index, **_gpu(nvml, nvml.nvmlDeviceGetHandleByIndex(index))})
        except nvml.NVMLError as error:
            gpus.append({"index": index, "error": str(error)})
    return {"gpus": gpus, "host": _host()}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
