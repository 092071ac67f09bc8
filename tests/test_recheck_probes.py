"""What each probe makes of a reading: real ones of a healthy H200, changed in the one value that a fault changes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from triage.recheck.judging import Result, judge
from triage.recheck.registry import probes

RECORDED = Path(__file__).resolve().parent.parent / "fixtures" / "recheck" / "h200-x1" / "all.json"
HEALTHY = {one["probe"]: one["reading"] for one in json.loads(RECORDED.read_text())["results"]}
GIB = 1 << 30


def judged(name: str, change: Any = None, **expectation: Any) -> Result:
    """The judgement of the healthy reading after `change` was done to it."""
    reading = copy.deepcopy(HEALTHY[name])
    if change is not None:
        change(reading)
    return judge(probes()[name], reading, expectation)


def setting(path: str, value: Any) -> Any:
    """A change that puts a value at `gpus.0.width` of a reading."""
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]

    def change(reading: Any) -> None:
        for part in parents:
            reading = reading[part]
        reading[last] = value

    return change


@pytest.mark.parametrize(
    ("probe", "path", "value", "words"),
    [
        ("pcie-link", "gpus.0.width_load", 8, "Gen5 x8 of Gen5 x16: lanes are missing"),
        ("pcie-link", "gpus.0.gen_load", 3, "Gen3 x16 of Gen5 x16 under load"),
        ("pcie-link", "gpus.0.replays", [2, 40], "rose from 2 to 40"),
        ("pcie-link", "gpus.0.path_after", [{"pci": "0000:00:01.0", "aer": {"correctable": 0, "nonfatal": 3, "fatal": 0}}], "0000:00:01.0 counts AER errors: 3 nonfatal"),
        ("ecc-remap", "gpus.0.rows", {"corrected": 1, "uncorrected": 0, "pending": 1, "failed": 0}, "pending until the GPU is reset"),
        ("ecc-remap", "gpus.0.rows", {"corrected": 0, "uncorrected": 8, "pending": 0, "failed": 1}, "row remapping failed"),
        ("ecc-remap", "gpus.0.volatile_uncorrected", 2, "2 uncorrectable errors since the driver"),
        ("ecc-remap", "gpus.0.action", 4, "drain and reset"), ("ecc-remap", "gpus.0.action", 9, "number 9"),
        ("ecc-remap", "gpus.0.sram_threshold", True, "SRAM threshold"), ("ecc-remap", "gpus.0.unrepairable", True, "cannot be repaired"),
        ("ecc-remap", "gpus.0.repair_pending", True, "repair of a memory channel"),
        ("throttle", "gpus.0.now.reasons", 0x8 | 0x80, "HW slowdown, HW power brake slowdown"),
        ("throttle", "gpus.0.now.temperature", 94, "is at 94 C, its slowdown limit is 89 C"),
        ("fabric", "gpus.0.fabric", {"state": 2, "status": 0, "health": 0}, "registration with the fabric is in progress"),
        ("fabric", "gpus.0.fabric", {"state": 3, "status": 9, "health": 0}, "failed with status 9"),
        ("fabric", "gpus.0.fabric", {"state": 3, "status": 0, "health": 0x01}, "degraded bandwidth"),
        ("compute-mode", "gpus.0.mode", 2, "Prohibited"), ("compute-mode", "gpus.0.mig", [0, 1], "MIG is off and will be on"),
        ("bar1", "gpus.0.used", 262_000 << 20, "BAR1 262000 of 262144 MiB used"),
        ("bar1", "gpus.0.windows", [{"bar": 2, "size": 1, "unset": True}], "memory window 2 has no address"),
        ("driver-match", "module", "580.126.09", "kernel module 580.126.09, but libcuda.so.1 580.159.04"),
        ("cuda-arch", "archs", ["sm_50", "sm_60", "sm_70"], "no code for NVIDIA H200 (9.0)"),
        ("cuda-init", "cuda", None, "is built without CUDA"), ("cuda-init", "driver.version", 12080, "the driver is for CUDA 12"),
        ("cuda-init", "driver.init", 802, "cuInit fails with 802 (system not yet initialized (the fabric))"),
        ("cuda-init", "contexts", ["AcceleratorError: CUDA error: busy"], "no context can be made: cuda:0: Accel"),
        ("kernel", "gpus.0.checks.reduction.value", 7, "reduction gives 7"),
        ("kernel", "gpus.0.failed", "AcceleratorError: CUDA error: misaligned address", "misaligned"),
        ("numerics", "gpus.0.errors.fp32", 0.01, "fp32 is off by 1.0e-02"), ("numerics", "gpus.0.errors.bf16", "nan", "bf16 is off by nan"),
        ("numerics", "gpus.0.repeatable", False, "gave two results"),
        ("gpu-present", "bus.0.alive", False, "reads as all ones on the bus: it has fallen off"),
        ("gpu-present", "gpus.0.error", "GPU is lost", "0000:00:06 GPU is lost"),
        ("gpu-present", "control", "not a device of the driver", "/dev/nvidiactl is not a device of the driver"),
        ("shm", "free", 1 << 20, "1 of 131,072 MiB free in /dev/shm"), ("disk", "disks.0.read_only", True, "/root is read-only"),
        ("disk", "disks.0.free", 100 << 20, "/root: 0.1 of 252.0 GiB free"), ("disk", "disks.0.inodes_free", 0, "no inodes left"),
        ("cgroup-memory", "host.MemAvailable", 1 << 30, "only 1.0 GiB of the machine are left"),
        ("port", "tried", {"0.0.0.0": "Address already in use"}, "port 29500 cannot be bound"),
        ("memlock", "pids", {"now": 990, "max": 1000}, "limit of processes is nearly reached"),
        ("allreduce", "runs.0.error", "rank 0: the sum is wrong", "nothing works"),
    ],
)  # fmt: skip
def test_a_fault_is_confirmed(probe: str, path: str, value: Any, words: str) -> None:
    found = judged(probe, setting(path, value))
    assert (found.outcome, found.warning) == ("confirmed", False), found.detail
    assert words in found.detail


@pytest.mark.parametrize(
    ("probe", "path", "value", "words"),
    [
        ("throttle", "gpus.0.now.temperature", 86, "is at 86 C"), ("throttle", "gpus.0.limit", 400_000, "may draw 400 W, the default is 700 W"),
        ("persistence", "gpus.0.persistence", 0, "persistence mode is off on 0000:00:06"),
        ("pcie-link", "gpus.0.path_after", [{"pci": "0000:00:06.0", "aer": {"correctable": 5, "nonfatal": 0, "fatal": 0}}], "5 corrected AER errors"),
        ("driver-match", "disk", "595.10.01", "a reboot would load 595.10.01"), ("copy-bandwidth", "gpus.0.to_device", 3.1, "a virtual machine"),
        ("shm", "total", 64 << 20, "the small default of a container"),
    ],
)  # fmt: skip
def test_what_does_not_stop_work_is_a_warning(probe: str, path: str, value: Any, words: str) -> None:
    found = judged(probe, setting(path, value))
    assert (found.outcome, found.warning) == ("confirmed", True), found.detail
    assert words in found.detail


@pytest.mark.parametrize(
    ("probe", "path", "value"),
    [
        ("pcie-link", "gpus.0.gen_load", 0), ("throttle", "gpus.0.now.reasons", 0x1 | 0x4), ("throttle", "gpus.0.now.temperature", 84),
        ("ecc-remap", "gpus.0.aggregate_uncorrected", 5), ("ecc-remap", "gpus.0.rows", {"corrected": 3, "uncorrected": 1, "pending": 0, "failed": 0}),
        ("compute-mode", "gpus.0.mode", 3), ("cuda-arch", "archs", ["sm_80", "compute_90"]), ("memory-holders", "gpus.0.memory.used", GIB // 2),
        ("disk", "disks.0.inodes", 0), ("driver-match", "disk", "580.159.04"),
    ],
)  # fmt: skip
def test_what_is_normal_is_refuted(probe: str, path: str, value: Any) -> None:
    assert judged(probe, setting(path, value)).outcome == "refuted"


@pytest.mark.parametrize("code", [9, 12, 13])
def test_machine_code_runs_on_its_generation_only(code: int) -> None:
    assert judged("cuda-arch", setting("archs", [f"sm_{code}0"])).outcome == ("refuted" if code == 9 else "confirmed")
    assert judged("cuda-arch", setting("archs", [f"sm_{code}0a"])).outcome == ("refuted" if code == 9 else "confirmed")


def test_more_than_the_link_carries_is_no_measurement() -> None:
    assert judged("copy-bandwidth", setting("gpus.0.to_device", 70.0)).outcome == "inconclusive"
    assert judged("copy-bandwidth", setting("gpus.0.link", [None, None])).outcome == "inconclusive"


def test_the_number_of_gpus() -> None:
    assert judged("gpu-present", gpus=1).outcome == "refuted"
    found = judged("gpu-present", gpus=2)
    assert (found.outcome, found.detail) == ("confirmed", "1 of 2 expected GPUs answer")


def test_the_gpu_of_the_log_decides() -> None:
    assert judged("gpu-present", pci="0000:00:06").outcome == "refuted"
    gone = judged("gpu-present", pci="0000:3b:00")
    assert (gone.outcome, gone.detail) == ("confirmed", "0000:3b:00 is not on the PCI bus; 1 GPU answers")

    def another(reading: Any) -> None:
        reading["bus"].append({"pci": "0000:3b:00", "alive": False})

    assert "0000:3b:00 reads as all ones" in judged("gpu-present", another, pci="0000:00:06").detail


@pytest.mark.parametrize(("container", "outcome"), [(False, "confirmed"), (True, "refuted")])
def test_a_gpu_that_a_container_was_not_given_is_not_missing(container: bool, outcome: str) -> None:
    def hidden(reading: Any) -> None:
        reading["bus"].append({"pci": "0000:00:07", "alive": True})
        reading["driver"].append({"pci": "0000:00:07", "file": "missing"})
        reading["container"] = container

    assert judged("gpu-present", hidden).outcome == outcome


def test_a_device_file_that_was_replaced_is_told_in_a_container_too() -> None:
    def replaced(reading: Any) -> None:
        reading["gpus"] = []
        reading["driver"][0]["file"] = "not a device of the driver"
        reading["container"] = True

    found = judged("gpu-present", replaced)
    assert found.outcome == "confirmed"
    assert "its device file is not a device of the driver" in found.detail


def holders(used: int, *processes: tuple[int, int | None]) -> Any:
    def change(reading: Any) -> None:
        memory = reading["gpus"][0]["memory"]
        memory["used"], memory["free"] = used, memory["total"] - used
        reading["gpus"][0]["processes"] = [{"pid": pid, "bytes": size, "kind": "compute", "seen": None} for pid, size in processes]

    return change


def test_memory_that_nobody_accounts_for() -> None:
    found = judged("memory-holders", holders(30 * GIB))
    assert found.outcome == "confirmed"
    assert "30.0 GiB are held by no process that is listed" in found.detail
    assert judged("memory-holders", holders(30 * GIB, (4711, 30 * GIB - 7))).outcome == "refuted"
    assert judged("memory-holders", holders(30 * GIB, (4711, None))).outcome == "refuted"  # WDDM tells no size


def test_memory_that_others_leave() -> None:
    busy = holders(130 * GIB, (4711, 130 * GIB))
    assert judged("memory-holders", busy, id="cuda-oom-other-process", requested=20 * GIB).outcome == "confirmed"
    assert judged("memory-holders", busy, id="cuda-oom-other-process", requested=5 * GIB).outcome == "refuted"
    full = holders(140 * GIB - (600 << 20), (4711, 140 * GIB - (600 << 20)))
    assert judged("memory-holders", full, id="cublas-alloc-failed").outcome == "confirmed"
    assert judged("memory-holders", full).outcome == "refuted"  # without a diagnosis that is somebody's work


def asked(size: int, **values: Any) -> Any:
    def change(reading: Any) -> None:
        reading["requested"] = size
        gpu = reading["gpus"][0]
        gpu["fits"] = size <= gpu["free"]
        gpu.update(values)

    return change


def test_the_request_again() -> None:
    assert judged("alloc", asked(300 * GIB)).detail.startswith("300.00 GiB are more than the GPU has")
    assert judged("alloc", asked(20 * GIB)).outcome == "refuted"
    again = judged("alloc", asked(300 * GIB, tried=True, result="CUDA out of memory. Tried to allocate 300.00 GiB."))
    assert again.detail.startswith("reproduced: 300.00 GiB with 139.29 GiB of 139.80 GiB free")
    assert judged("alloc", asked(130 * GIB), stress=True).outcome == "inconclusive"  # more than 80 % of what is free
    assert judged("alloc").outcome == "not-applicable"


def limited(size: int, **values: Any) -> Any:
    def change(reading: Any) -> None:
        asked(size, **values)(reading)
        reading["allowed"] = 14 * GIB

    return change


def test_the_request_under_the_limit_that_the_program_had_set() -> None:
    assert judged("alloc", limited(20 * GIB)).detail.startswith("20.00 GiB would fit without the limit of 14.00 GiB")
    out = "CUDA out of memory. Tried to allocate 20.00 GiB."
    again = judged("alloc", limited(20 * GIB, result="ok", limited=out))
    assert again.outcome == "confirmed"
    assert again.detail.startswith("reproduced: 20.00 GiB with 14.00 GiB allowed")
    assert judged("alloc", limited(20 * GIB, result="ok", limited="ok")).outcome == "refuted"
    assert judged("alloc", limited(300 * GIB)).detail.startswith("300.00 GiB do not fit without the limit either")


def test_fragmentation_without_a_fault_or_a_cure() -> None:
    assert judged("fragmentation", setting("plain.error", "")).outcome == "refuted"
    assert "not cured" in judged("fragmentation", setting("expandable.error", "CUDA out of memory")).detail
    assert judged("fragmentation", setting("plain", {"failed": "exit status 1: no"})).outcome == "inconclusive"


def test_the_race_needs_the_shared_module() -> None:
    assert judged("parallel-to", setting("runs.shared", ["ok"] * 3)).outcome == "refuted"
    assert judged("parallel-to", setting("runs.one thread", ["SIGSEGV"] * 3)).outcome == "inconclusive"
    assert "not cured by the lock" in judged("parallel-to", setting("runs.lock", ["SIGSEGV", "ok", "ok"])).detail


@pytest.mark.parametrize(
    ("group", "outcome", "words"),
    [
        ({"limit": 8 * GIB, "now": 7 * GIB, "reclaimable": 0, "kills": 2}, "confirmed", "2 processes of /job were killed for want of memory"),
        ({"limit": 8 * GIB, "now": 8 * GIB - 1, "reclaimable": 0, "kills": 0}, "confirmed", "0.0 of 8.0 GiB left in /job"),
        ({"limit": 8 * GIB, "now": 8 * GIB - 1, "reclaimable": 5 * GIB, "kills": 0}, "refuted", "5.0 of 8.0 GiB left in /job"),
        ({"limit": 1 << 62, "now": 8 * GIB, "reclaimable": 0, "kills": None}, "refuted", "GiB of the machine available"),
    ],
)  # fmt: skip
def test_memory_of_the_cgroup(group: dict[str, Any], outcome: str, words: str) -> None:
    found = judged("cgroup-memory", setting("groups", [{"path": "/job", **group}]))
    assert found.outcome == outcome
    assert words in found.detail
    assert judged("cgroup-memory", requested=200 * GIB).outcome == "confirmed"


def runs(*pairs: tuple[str, str]) -> Any:
    def change(reading: Any) -> None:
        reading["ranks"], reading["own"] = 2, {"NCCL_SOCKET_IFNAME": "ib7"}
        reading["runs"] = [{"variant": name, "seconds": 5.0, "error": error, "speed": None} for name, error in pairs]

    return change


@pytest.mark.parametrize(
    ("pairs", "expectation", "outcome", "words"),
    [
        ([("as it is", "rank 0: no socket interface"), ("without the variables that choose the network", "")], {}, "confirmed", "NCCL_SOCKET_IFNAME=ib7): they are at fault (cured)"),
        ([("as it is", "rank 1: hung"), ("over /dev/shm", "x"), ("without P2P", "")], {}, "confirmed", "the direct path between the GPUs is at fault"),
        ([("as it is", "rank 1: hung"), ("without P2P", "x"), ("over eth0", "")], {}, "confirmed", "it works over eth0"),
        ([("as it is", "")], {"id": "rank-lagging"}, "inconclusive", "nothing here holds a rank up"),
        ([("as it is", ""), ("over /dev/shm", "rank 0: Error: failed to extend /dev/shm/nccl-x")], {"id": "nccl-shm-create"}, "confirmed", "reproduced, over /dev/shm"),
        ([("as it is", ""), ("two ranks on one GPU", "rank 0: Duplicate GPU detected")], {"id": "nccl-duplicate-gpu"}, "confirmed", "(cured)"),
        ([("as it is", ""), ("two ranks on one GPU", "")], {"id": "nccl-duplicate-gpu"}, "refuted", "right sum"),
    ],
)  # fmt: skip
def test_the_guilty_transport(pairs: Any, expectation: Any, outcome: str, words: str) -> None:
    found = judged("allreduce", runs(*pairs), **expectation)
    assert found.outcome == outcome
    assert words in found.detail


def pair(**values: Any) -> Any:
    def change(reading: Any) -> None:
        reading.pop("absent", None)
        usual = {"from": 0, "to": 1, "peer": True, "error": "", "nvlink": True, "level": "SYS", "wrong": 0, "speed": 380.0}
        reading["pairs"] = [{**usual, **values}]

    return change


@pytest.mark.parametrize(
    ("values", "outcome", "words"),
    [
        ({}, "refuted", "1 copies arrived unchanged, 380 to 380 GB/s (NVLink)"), ({"wrong": 4096}, "confirmed", "4096 of 16777216 words differ after a copy (directly)"),
        ({"peer": False}, "confirmed", "joined by NVLink, but without peer access"), ({"peer": False, "nvlink": False}, "refuted", "no peer access: 0-1"),
        ({"error": "RuntimeError: x"}, "confirmed", "GPU 0 to 1: RuntimeError: x"),
    ],
)  # fmt: skip
def test_copies_between_gpus(values: Any, outcome: str, words: str) -> None:
    found = judged("p2p", pair(**values))
    assert (found.outcome, words in found.detail) == (outcome, True), found.detail


def test_a_word_that_memory_lost_is_shown_by_its_bits() -> None:
    def lost(reading: Any) -> None:
        reading["gpus"][0].update(wrong=3, example={"chunk": 0, "word": 7, "wrote": -1, "read": -2})

    assert "3 words differ, the first in the bits 0x00000001" in judged("memtest", lost).detail
    assert judged("memtest", setting("gpus.0.bytes", 0)).outcome == "inconclusive"


def machine(**values: Any) -> Any:
    def change(reading: Any) -> None:
        gpus = [{"pci": f"0000:{bus}:00.0", "iommu": "identity"} for bus in ("3b", "5e")]
        reading.update(gpus_on_bus=gpus, hypervisor=False, bridges={"0000:3a:00.0": 0, "0000:5d:00.0": None})
        reading.update(values)

    return change


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({}, "refuted"), ({"bridges": {"0000:3a:00.0": 0x1D}}, "confirmed"), ({"bridges": {"0000:3a:00.0": "hidden"}}, "inconclusive"),
        ({"gpus_on_bus": [{"pci": "a", "iommu": "DMA-FQ"}, {"pci": "b", "iommu": "DMA-FQ"}]}, "confirmed"),
        ({"hypervisor": True, "bridges": {"0000:3a:00.0": 0x1D}}, "not-applicable"),
    ],
)  # fmt: skip
def test_acs_and_iommu(values: Any, outcome: str) -> None:
    assert judged("acs-iommu", machine(**values)).outcome == outcome


# Windows: in the form that PowerShell, winreg and wevtutil give, after their documentation; no machine was at hand.
DEVICES = [
    {"Name": "NVIDIA GeForce RTX 3090", "PNPDeviceID": r"PCI\VEN_10DE&DEV_2204", "ConfigManagerErrorCode": 43, "Status": "Error"},
    {"Name": "Intel(R) UHD Graphics", "PNPDeviceID": r"PCI\VEN_8086", "ConfigManagerErrorCode": 0, "Status": "OK"},
    {"Name": "NVIDIA GeForce RTX 2080", "PNPDeviceID": r"PCI\VEN_10DE&DEV_1E87", "ConfigManagerErrorCode": 45, "Status": "Unknown"},
]  # fmt: skip
EVENT = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='{}'/><EventID Qualifiers='0'>{}</EventID><TimeCreated SystemTime='2026-03-14T10:02:11.123Z'/></System></Event>"


def windows(probe: str, reading: dict[str, Any], **expectation: Any) -> Result:
    return judge(probes()[probe], reading, expectation)


def test_problem_codes_of_windows() -> None:
    assert windows("pnp-problem", {"devices": DEVICES}).detail == "NVIDIA GeForce RTX 3090: code 43"
    assert windows("pnp-problem", {"devices": DEVICES}, device_code=43).outcome == "confirmed"
    assert windows("pnp-problem", {"devices": DEVICES}, device_code=12).outcome == "refuted"
    assert windows("pnp-problem", {"devices": DEVICES[1:]}).outcome == "refuted"  # 45 is a card of the past
    assert windows("pnp-problem", {"devices": []}).outcome == "inconclusive"


def test_the_time_limit_of_windows() -> None:
    assert windows("tdr-registry", {"values": {"TdrLevel": None, "TdrDelay": None}}).outcome == "refuted"
    assert windows("tdr-registry", {"values": {"TdrDelay": 60}}).detail == "TdrDelay=60 (default 2)"
    assert windows("tdr-registry", {"values": {"TdrLevel": 0}}).outcome == "confirmed"
    assert windows("tdr-registry", {"values": {"TdrDelay": 1}}).outcome == "confirmed"


def test_events_of_windows() -> None:
    faults = EVENT.format("Display", 4101) * 2 + EVENT.format("nvlddmkm", 153)
    found = windows("eventlog", {"xml": faults})
    assert found.detail == "Display 4101: 2 (last 2026-03-14T10:02:11); nvlddmkm 153: 1 (last 2026-03-14T10:02:11)"
    corrected = windows("eventlog", {"xml": EVENT.format("Microsoft-Windows-WHEA-Logger", 17)})
    assert (corrected.outcome, corrected.warning) == ("confirmed", True)
    assert windows("eventlog", {"xml": EVENT.format("Microsoft-Windows-WHEA-Logger", 20)}).warning is False
    assert windows("eventlog", {"xml": ""}).outcome == "refuted"
