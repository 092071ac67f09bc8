"""What `lspci` says of a device, and what the driver says of it under `/proc/driver/nvidia`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from triage import entities, lazy
from triage.formats.base import Format, record
from triage.model import Line, Record, Value

_DEVICE = lazy.pattern(
    r"(?P<bdf>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<kind>[A-Z0-9][^:\[]{2,60}?)(?: \[[0-9a-f]{4}\])?: "
)
_DEEPER = lazy.pattern(r"(?:\t| {2})\s*\S")
_LINK = lazy.pattern(r"Speed ([\d.]+)GT/s[^,]*, Width x(\d+)")
_MODEL = lazy.pattern(r"NVIDIA Corporation [^\n\[]*\[([^\]\n]+)\]")
_PROC = lazy.pattern(
    r"(Model|IRQ|GPU UUID|Video BIOS|Bus Type|DMA Size|DMA Mask|Bus Location|Device Minor|GPU Firmware|GPU Excluded)"
    r":\s+(.*?)\s*$"
)
_GPU_KIND = ("VGA compatible controller", "3D controller", "Display controller")
_SMI_ROW = lazy.pattern(
    r"\|\s+\d+\s[^|]*\|\s*((?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s"
    r"|GPU ([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])$"
)
_FAR = 2000  # lines between a listing of the bus and one of nvidia-smi
_LONGEST = 200


class Lspci(Format):
    """A device of `lspci` with the lines under it, or a GPU of `/proc/driver/nvidia/gpus/*/information`: one record.

    Fields: `pci`, `gpu_model`, `device` (its class), and `link_width`, `link_width_max`, `link_speed`,
    `link_speed_max` (GT/s) where `-vv` tells them; of the driver's file `gpu_uuid` too; `unlisted` where nvidia-smi
    lists other GPUs in the same text, but not this one. Other devices without further lines stay plain text.

    >>> from triage.model import Line
    >>> rows = ["3b:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev a1)",
    ...         "\\t\\tLnkCap:\\tPort #0, Speed 16GT/s, Width x16, ASPM not supported",
    ...         "\\t\\tLnkSta:\\tSpeed 16GT/s (ok), Width x4 (downgraded)"]
    >>> found = Lspci().take([Line(i, row, row) for i, row in enumerate(rows)], 0)
    >>> found.fields["pci"], found.fields["link_width"], found.fields["link_width_max"]
    ('0000:3b:00', 4, 16)
    """

    name: ClassVar[str] = "lspci"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if text.startswith("Model:"):
            return self._proc(lines, at)
        device = _DEVICE.match(text)
        if not device:
            return None
        end = at + 1
        while end < len(lines) and end - at < _LONGEST and _DEEPER.match(lines[end].text):
            end += 1
        gpu = device["kind"] in _GPU_KIND and "NVIDIA" in text
        if end == at + 1 and not gpu:
            return None
        texts = [re.sub(r"\t+", " ", line.text).strip() for line in lines[at:end]]
        model = _MODEL.search(text)
        fields: dict[str, Value] = {"pci": entities.pci(device["bdf"]) or "", "device": device["kind"]}
        if gpu and (listed := _listed(lines, at)) and fields["pci"] not in listed:
            fields["unlisted"] = len(listed)
        if model:
            fields["gpu_model"] = model[1].removeprefix("GeForce ").removeprefix("Tesla ")
        for one in texts:
            for key, suffix in (("LnkCap:", "_max"), ("LnkSta:", "")):
                if one.startswith(key) and (link := _LINK.search(one)):
                    fields[f"link_speed{suffix}"], fields[f"link_width{suffix}"] = float(link[1]), int(link[2])
        return record(self.name, lines[at:end], texts, None, **fields)

    def _proc(self, lines: Sequence[Line], at: int) -> Record | None:
        end, values, texts = at, dict[str, str](), list[str]()
        while end < len(lines) and (found := _PROC.match(lines[end].text)) and found[1] not in values:
            values[found[1]] = found[2]
            texts.append(f"{found[1]} : {found[2]}")
            end += 1
        if "Bus Location" not in values:
            return None
        told = {"gpu_uuid": values.get("GPU UUID"), "gpu_model": values.get("Model")}
        known: dict[str, Value] = {key: value for key, value in told.items() if value and "?" not in value}
        known["pci"] = entities.pci(values["Bus Location"]) or ""
        return record(self.name, lines[at:end], texts, None, **known)


def _listed(lines: Sequence[Line], at: int) -> set[str]:
    """The addresses of the GPUs that nvidia-smi lists in the lines around."""
    near = lines[max(0, at - _FAR) : at + _FAR]
    found = (_SMI_ROW.match(line.text.strip()) for line in near if line.text[:4].strip()[:1] in ("|", "G"))
    return {entities.pci(one[1] or one[2]) or "" for one in found if one}
