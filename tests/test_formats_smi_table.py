"""The table of nvidia-smi in its widths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.clock import iso
from triage.formats import read
from triage.formats.smi_table import gpus, processes
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


OLD = """
Mon Jun  3 10:20:31 2019       
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  GeForce RTX 208...  Off  | 00000000:17:00.0 Off |                  N/A |
|ERR!   67C    P2   ERR! / 250W |   9873MiB / 10989MiB |     97%      Default |
+-------------------------------+----------------------+----------------------+
                                                                               
+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0     31337      C   python                                      9863MiB |
+-----------------------------------------------------------------------------+
"""
V100 = """
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 450.51.06    Driver Version: 450.51.06    CUDA Version: 11.0     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  Tesla V100-PCIE      On  | 00000000:3B:00.0 Off |                    0 |
| N/A   33C    P0    26W / 250W |     11MiB / 16160MiB |      0%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
|   1  Tesla V100-PCIE      On  | 00000000:AF:00.0 Off |                    2 |
| N/A   35C    P0    38W / 250W |  14873MiB / 16160MiB |      0%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
"""
H200 = """
Mon Nov 30 00:44:54 2026       
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                   On |
| N/A   34C    P0             76W /  700W |       0MiB / 143771MiB |     N/A      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
|  0    9   0   0  |              38MiB / 33280MiB    | 26      0 |  1   0    1    0    1 |
|                  |                 0MiB / 65535MiB  |           |                       |
+------------------+----------------------------------+-----------+-----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0    9    0             4711      C   /opt/venv/bin/python train.py           812MiB |
|    0   N/A  N/A            4712    C+G   ...\\Foo Bar.exe                          N/A    |
+-----------------------------------------------------------------------------------------+
"""


@pytest.mark.parametrize(("table", "driver", "cuda", "time"), [
    (OLD, "418.67", "10.1", "2019-06-03T10:20:31"), (V100, "450.51.06", "11.0", ""), (H200, "580.159.04", "13.0", "2026-11-30T00:44:54"),
])  # fmt: skip
def test_each_part_of_a_table_is_a_record(table: str, driver: str, cuda: str, time: str) -> None:
    found = records(table.strip("\n") + "\n$ nvidia-smi -L")
    parts = [one for one in found if one.format == "smi-table"]
    assert [one.fields["part"] for one in parts if one.fields["part"] in ("head", "gpu")][:2] == ["head", "gpu"]
    assert {(one.fields["driver"], one.fields["cuda"]) for one in parts} == {(driver, cuda)}
    assert (iso(parts[0].time) if parts[0].time else "") == time
    assert sum(one.fields["part"] == "gpu" for one in parts) == table.count(".0 Off |")
    assert found[-1].format == "text"


def test_gpus() -> None:
    old, v100, h200 = OLD.split("\n"), V100.split("\n"), H200.split("\n")
    assert gpus(old) == [{
        "gpu": "0", "gpu_model": "GeForce RTX 208...", "persistence": "Off", "pci": "0000:17:00", "display": "Off", "ecc": "N/A",
        "fan": "ERR!", "temp": "67C", "perf": "P2", "power": "ERR!", "cap": "250W", "memory_used": "9873MiB", "memory_total": "10989MiB",
        "util": "97%", "compute_mode": "Default",
    }]  # fmt: skip
    assert [(g["gpu"], g["pci"], g["ecc"], g["memory_used"]) for g in gpus(v100)] == [
        ("0", "0000:3b:00", "0", "11MiB"), ("1", "0000:af:00", "2", "14873MiB"),
    ]  # fmt: skip
    (one,) = gpus(h200)
    assert (one["mig"], one["util"], one["cap"], one["ecc"]) == ("Enabled", "N/A", "700W", "On")


def test_processes() -> None:
    old, v100, h200 = OLD.split("\n"), V100.split("\n"), H200.split("\n")
    assert processes(old) == [{"gpu": "0", "pid": "31337", "type": "C", "process": "python", "memory": "9863MiB"}]
    assert processes(v100) == []
    assert processes(h200) == [
        {
            "gpu": "0",
            "gi": "9",
            "ci": "0",
            "pid": "4711",
            "type": "C",
            "process": "/opt/venv/bin/python train.py",
            "memory": "812MiB",
        },
        {
            "gpu": "0",
            "gi": "N/A",
            "ci": "N/A",
            "pid": "4712",
            "type": "C+G",
            "process": "...\\Foo Bar.exe",
            "memory": "N/A",
        },
    ]


def test_fields_of_a_gpu() -> None:
    _, old, *_ = (one for one in records(OLD) if one.format == "smi-table")
    assert old.fields == {
        "part": "gpu", "driver": "418.67", "cuda": "10.1", "gpu": "0", "gpu_model": "GeForce RTX 208...", "pci": "0000:17:00",
        "memory_used": 9873.0, "memory_total": 10989.0, "utilization": 97.0, "power_limit": 250.0, "temperature": 67.0,
        "pstate": "P2", "driver_model": "Off", "fan": "ERR!", "power_cell": "ERR!", "compute_mode": "Default", "errors": 2,
        "processes": 1, "processes_all": 1, "processes_memory": 9863.0,
    }  # fmt: skip
    first, second = (one for one in records(V100) if one.fields.get("part") == "gpu")
    assert (first.fields["ecc_uncorrected"], second.fields["ecc_uncorrected"]) == (0, 2)
    assert "processes" not in second.fields
    assert len(second.lines) == 4


def test_rows_that_lost_their_table() -> None:
    table, query = records(
        "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |\n"
        "|  0%   34C    P8             17W /  450W |      12MiB /  24564MiB |      0%      Default |\n"
        "    Clocks Event Reasons\n"
        "        Idle                              : Active\n"
        "        HW Slowdown                       : Not Active\n"
    )
    assert table.fields["temperature"] == 34
    assert query.format == "smi-query"
    assert query.text.split("\n")[2] == "Clocks Event Reasons / HW Slowdown : Not Active"


def test_errors_of_nvidia_smi_are_text() -> None:
    found = records("$ nvidia-smi\nUnable to determine the device handle for GPU 0000:43:00.0: Unknown Error\n"
                    "GPU 0: NVIDIA H200 (UUID: GPU-ae173600-b8dd-fe97-8c74-3ab8f4ffbf9f)\n| a | b |\n+-----+\n")  # fmt: skip
    assert {r.format for r in found} == {"text"}


@given(st.lists(st.sampled_from([*H200.split("\n"), *OLD.split("\n")]) | st.text(max_size=9), max_size=30))
def test_any_pieces_are_read(texts: list[str]) -> None:
    found = read([Line(i, text, text) for i, text in enumerate(texts)], "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    assert all(len(one.offsets) == len(one.lines) for one in found)
    gpus(texts)
    processes(texts)
