"""nvidia-smi's table in its widths, and the `-q` dump."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.clock import iso
from triage.formats import read
from triage.formats.nvidia_smi import gpus, processes
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
def test_a_table_is_one_record(table: str, driver: str, cuda: str, time: str) -> None:
    first, second, after = records(table.strip("\n") + "\n" + table.strip("\n") + "\n$ nvidia-smi -L")
    assert first.format == second.format == "smi-table"
    assert first.text == second.text == table.strip("\n")
    assert first.fields == {"driver": driver, "cuda": cuda}
    assert (iso(first.time) if first.time else "") == time
    assert after.format == "text"


def test_gpus() -> None:
    (old,), (v100,), (h200,) = records(OLD), records(V100), records(H200)
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
    (old,), (v100,), (h200,) = records(OLD), records(V100), records(H200)
    assert processes(old) == [{"gpu": "0", "pid": "31337", "type": "C", "process": "python", "memory": "9863MiB"}]
    assert processes(v100) == []
    assert processes(h200) == [
        {"gpu": "0", "gi": "9", "ci": "0", "pid": "4711", "type": "C", "process": "/opt/venv/bin/python train.py", "memory": "812MiB"},
        {"gpu": "0", "gi": "N/A", "ci": "N/A", "pid": "4712", "type": "C+G", "process": "...\\Foo Bar.exe", "memory": "N/A"},
    ]


def test_rows_that_lost_their_table() -> None:
    table, query = records(
        "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |\n"
        "|  0%   34C    P8             17W /  450W |      12MiB /  24564MiB |      0%      Default |\n"
        "    Clocks Event Reasons\n"
        "        Idle                              : Active\n"
        "        HW Slowdown                       : Not Active\n"
    )
    assert gpus(table)[0]["temp"] == "34C"
    assert query.format == "smi-query"
    assert query.text.split("\n")[2] == "Clocks Event Reasons / HW Slowdown : Not Active"


def test_errors_of_nvidia_smi_are_text() -> None:
    found = records("$ nvidia-smi\nUnable to determine the device handle for GPU 0000:43:00.0: Unknown Error\n"
                    "GPU 0: NVIDIA H200 (UUID: GPU-ae173600-b8dd-fe97-8c74-3ab8f4ffbf9f)\n| a | b |\n+-----+\n")  # fmt: skip
    assert {r.format for r in found} == {"text"}


QUERY = """
==============NVSMI LOG==============

Timestamp                                 : Wed Jun  7 19:32:16 2023
Driver Version                            : 510.73.08
CUDA Version                              : 11.6

Attached GPUs                             : 2
GPU 00000000:10:1C.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    GPU UUID                              : GPU-aaaaaaaa-0000-0000-0000-00000000101c
    Clocks Throttle Reasons
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Not Active
    Remapped Rows
        Correctable Error                 : 1
        Pending                           : Yes
    MIG Mode
        Pending                           : Disabled

GPU 00000000:10:1D.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Processes
        Process ID                        : 4711
            Name                          : a : b
$ nvidia-smi -L
"""


def test_a_dump_is_one_record_for_each_gpu() -> None:
    first, second, after = (r for r in records(QUERY) if r.text)
    assert (first.format, second.format, after.format) == ("smi-query", "smi-query", "text")
    assert first.fields == {
        "driver": "510.73.08", "cuda": "11.6", "pci": "0000:10:1c", "gpu_model": "NVIDIA A100-SXM4-80GB",
        "gpu_uuid": "GPU-aaaaaaaa-0000-0000-0000-00000000101c",
    }  # fmt: skip
    assert (second.fields["pci"], second.fields["driver"]) == ("0000:10:1d", "510.73.08")
    assert second.time is not None
    assert iso(second.time) == "2023-06-07T19:32:16"
    paths = first.text.split("\n")
    assert "GPU 00000000:10:1C.0 / Remapped Rows / Pending : Yes" in paths
    assert "GPU 00000000:10:1C.0 / MIG Mode / Pending : Disabled" in paths
    assert "GPU 00000000:10:1C.0 / Clocks Throttle Reasons / HW Slowdown / HW Thermal Slowdown : Not Active" in paths
    assert "GPU 00000000:10:1D.0 / Processes / Process ID / Name : a : b" in second.text
    at = first.text.index("Pending : Yes")
    assert first.lines[first.line_at(at)].text.strip().startswith("Pending")


@given(st.lists(st.sampled_from([*QUERY.split("\n"), *H200.split("\n"), *OLD.split("\n")]) | st.text(max_size=9), max_size=30))
def test_any_pieces_are_read(texts: list[str]) -> None:
    own = [Line(i, text, text) for i, text in enumerate(texts)]
    found = read(own, "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    for one in found:
        assert len(one.offsets) == len(one.lines)
        if one.format == "smi-table":
            gpus(one)
            processes(one)
