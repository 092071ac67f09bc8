"""`lspci` and `/proc/driver/nvidia`."""

from __future__ import annotations

from triage.formats import read
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


VERBOSE = """
3b:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100 PCIe 40GB] [10de:20f1] (rev a1)
	Subsystem: NVIDIA Corporation Device 145f
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 2.5GT/s (downgraded), Width x4 (downgraded)
	Kernel driver in use: nvidia
5e:00.0 Ethernet controller: Mellanox Technologies MT28908 Family [ConnectX-6]
"""


def test_a_device_with_its_lines_is_one_record() -> None:
    device, other = records(VERBOSE)
    assert (device.format, other.format) == ("lspci", "text")
    assert device.fields == {
        "pci": "0000:3b:00", "device": "3D controller", "gpu_model": "A100 PCIe 40GB", "link_speed_max": 16.0,
        "link_width_max": 16, "link_speed": 2.5, "link_width": 4,
    }  # fmt: skip


def test_a_gpu_that_nvidia_smi_leaves_out() -> None:
    first, second, _ = records(
        "16:00.0 3D controller: NVIDIA Corporation Device 26b9 (rev a1)\n"
        "38:00.0 3D controller: NVIDIA Corporation Device 26b9 (rev a1)\n"
        "|   0  NVIDIA L40S                    On  |   00000000:16:00.0 Off |                    0 |\n"
    )
    assert "unlisted" not in first.fields
    assert second.fields["unlisted"] == 1


def test_the_file_of_the_driver() -> None:
    (found,) = records(
        "Model: \t\t NVIDIA H200\nIRQ:   \t\t 16\nGPU UUID: \t GPU-????????-????-????-????-????????????\n"
        "Video BIOS: \t ??.??.??.??.??\nBus Location: \t 0000:3b:00.0\nDevice Minor: \t 0"
    )
    assert found.fields == {"pci": "0000:3b:00", "gpu_model": "NVIDIA H200"}
