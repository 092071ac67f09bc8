"""Stands in for pynvml where there is no GPU: two H200 as they were read on a real machine, one of them lost on demand.

Only what the probes call is here; whatever else they ask for is "not supported", as on an old driver.
"""

import os
from types import SimpleNamespace

NVML_TEMPERATURE_GPU = 0
NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 0, 1
NVML_VOLATILE_ECC, NVML_AGGREGATE_ECC = 0, 1
NVML_NVLINK_MAX_LINKS = 18
nvmlMemory_v2 = 2
_UUIDS = ("GPU-7135b1d3-9a7e-4526-762f-80a0bc7c0b3b", "GPU-ae173600-b8dd-fe97-8c74-3ab8f4ffbf9f")


class NVMLError(Exception):
    pass


_VALUES = {
    "nvmlInit": None, "nvmlSystemGetDriverVersion": "580.159.04", "nvmlDeviceGetCount": 2, "nvmlDeviceGetName": "NVIDIA H200",
    "nvmlDeviceGetTemperature": 34, "nvmlDeviceGetComputeMode": 0, "nvmlDeviceGetMigMode": [0, 0],
    "nvmlDeviceGetComputeRunningProcesses": [], "nvmlDeviceGetGraphicsRunningProcesses": [], "nvmlDeviceGetPersistenceMode": 1,
    "nvmlDeviceGetCurrPcieLinkGeneration": 5, "nvmlDeviceGetMaxPcieLinkGeneration": 5, "nvmlDeviceGetCurrPcieLinkWidth": 16,
    "nvmlDeviceGetMaxPcieLinkWidth": 16, "nvmlDeviceGetPcieReplayCounter": 0, "nvmlDeviceGetEccMode": [1, 1],
    "nvmlDeviceGetTotalEccErrors": 0, "nvmlDeviceGetRemappedRows": (0, 0, 0, 0), "nvmlDeviceGetCurrentClocksEventReasons": 1,
    "nvmlDeviceGetPowerUsage": 77_020, "nvmlDeviceGetClockInfo": 345, "nvmlDeviceGetMaxClockInfo": 1980,
    "nvmlDeviceGetTemperatureThreshold": 89, "nvmlDeviceGetEnforcedPowerLimit": 700_000,
    "nvmlDeviceGetPowerManagementDefaultLimit": 700_000, "nvmlDeviceGetNvLinkState": 1, "nvmlDeviceGetNvLinkErrorCounter": 0,
    "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=0, memory=0),
    "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=150_754_820_096, used=0, free=150_109_880_320),
    "nvmlDeviceGetBAR1MemoryInfo": SimpleNamespace(bar1Total=262_144 << 20, bar1Used=1 << 20),
}  # fmt: skip


def nvmlDeviceGetHandleByIndex(index):
    if os.environ.get("FAKE_LOST") == str(index):
        raise NVMLError("GPU is lost")
    return index


def nvmlDeviceGetPciInfo(handle):
    return SimpleNamespace(busId=f"00000000:00:0{6 + handle}.0")


def nvmlDeviceGetUUID(handle):
    return _UUIDS[handle]


def __getattr__(name):
    if name in _VALUES:
        return lambda *_, **__: _VALUES[name]
    raise AttributeError(name)
