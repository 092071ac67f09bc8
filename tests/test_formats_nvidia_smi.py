"""The `-q` dump of nvidia-smi."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.clock import iso
from triage.formats import read
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


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
        "gpu_uuid": "GPU-aaaaaaaa-0000-0000-0000-00000000101c", "gpu": "0", "mig_pending": "Disabled",
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


def test_the_numbers_of_a_dump() -> None:
    first, second, _ = (r for r in records(QUERY) if r.text)
    assert (first.fields["gpu"], second.fields["gpu"]) == ("0", "1")
    assert first.fields["mig_pending"] == "Disabled"
    assert second.fields["processes"] == 1


def test_a_dump_without_indentation() -> None:
    (found,) = records(
        "GPU 00000000:C1:00.0\nECC Errors\nVolatile\nDRAM Uncorrectable : 2\nRemapped Rows\nPending : Yes"
    )
    assert found.fields["pci"] == "0000:c1:00"
    assert found.text.split("\n")[3::2] == [
        "GPU 00000000:C1:00.0 / ECC Errors / Volatile / DRAM Uncorrectable : 2",
        "GPU 00000000:C1:00.0 / Remapped Rows / Pending : Yes",
    ]
    assert {one.format for one in records("Temperature\nthe first: yes\nthe second: no")} == {"text"}


@given(st.lists(st.sampled_from(QUERY.split("\n")) | st.text(max_size=9), max_size=30))
def test_any_pieces_are_read(texts: list[str]) -> None:
    found = read([Line(i, text, text) for i, text in enumerate(texts)], "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    assert all(len(one.offsets) == len(one.lines) for one in found)
