"""The dump of `nvidia-smi -q -x`, brought to the paths of the plain `-q` dump."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from triage import clock, entities, lazy
from triage.formats import smi_readings
from triage.formats.base import Format, record
from triage.model import Line, Record

_GPU = lazy.pattern(r'\s*<gpu id="([0-9A-Fa-f:.]+)">\s*$')
_ELEMENT = lazy.pattern(r"\s*<(\w+)>([^<]*)</\1>\s*$")
_OPEN = lazy.pattern(r"\s*<(\w+)(?: [^<>]*)?>\s*(?:[^<>]*)$")
_CLOSE = lazy.pattern(r"\s*</(\w+)>\s*$")
_HEAD = lazy.pattern(r"\s*<(driver_version|cuda_version|timestamp)>([^<]*)</")
_LONGEST = 4000  # lines of one GPU; the list of supported clocks is the most of it
_ABOVE = 200

# Tag -> name in the plain dump; tags that only differ in spelling are made readable by rule.
_NAMES = {
    "product_name": "Product Name", "uuid": "GPU UUID", "serial": "Serial Number", "mig_mode": "MIG Mode",
    "current_mig": "Current", "pending_mig": "Pending", "driver_model": "Driver Model", "current_dm": "Current",
    "pending_dm": "Pending", "gpu_recovery_action": "GPU Recovery Action", "gpu_reset_status": "GPU Reset Status",
    "reset_required": "Reset Required", "drain_and_reset_recommended": "Drain and Reset Recommended", "pci": "PCI",
    "pci_bus_id": "Bus Id", "pci_gpu_link_info": "GPU Link Info", "pcie_gen": "PCIe Generation",
    "max_link_gen": "Max", "current_link_gen": "Current", "link_widths": "Link Width", "max_link_width": "Max",
    "current_link_width": "Current", "max_device_link_gen": "Device Max", "max_host_link_gen": "Host Max",
    "replay_counter": "Replays Since Reset", "fan_speed": "Fan Speed", "performance_state": "Performance State",
    "clocks_throttle_reasons": "Clocks Throttle Reasons", "clocks_event_reasons": "Clocks Event Reasons",
    "fb_memory_usage": "FB Memory Usage", "bar1_memory_usage": "BAR1 Memory Usage", "compute_mode": "Compute Mode",
    "persistence_mode": "Persistence Mode", "gpu_util": "Gpu", "ecc_mode": "ECC Mode", "current_ecc": "Current",
    "pending_ecc": "Pending", "ecc_errors": "ECC Errors", "single_bit": "Single Bit", "double_bit": "Double Bit",
    "sram_correctable": "SRAM Correctable", "sram_uncorrectable": "SRAM Uncorrectable",
    "sram_uncorrectable_parity": "SRAM Uncorrectable Parity", "sram_uncorrectable_secded": "SRAM Uncorrectable SEC-DED",
    "dram_correctable": "DRAM Correctable", "dram_uncorrectable": "DRAM Uncorrectable",
    "sram_threshold_exceeded": "SRAM Threshold Exceeded", "retired_pages": "Retired Pages",
    "pending_blacklist": "Pending Page Blacklist", "pending_retirement": "Pending", "remapped_rows": "Remapped Rows",
    "remapped_row_corr": "Correctable Error", "remapped_row_unc": "Uncorrectable Error",
    "remapped_row_pending": "Pending", "remapped_row_failure": "Remapping Failure Occurred",
    "gpu_temp": "GPU Current Temp", "power_readings": "Power Readings", "gpu_power_readings": "GPU Power Readings",
    "module_power_readings": "Module Power Readings", "gpu_memory_power_readings": "GPU Memory Power Readings",
    "power_draw": "Power Draw", "average_power_draw": "Average Power Draw",
    "instant_power_draw": "Instantaneous Power Draw", "graphics_clock": "Graphics", "sm_clock": "SM",
    "mem_clock": "Memory", "used_memory": "Used GPU Memory", "process_name": "Name", "pid": "Process ID",
}  # fmt: skip
# These stand one deeper in the plain dump.
_HW = ("HW Thermal Slowdown", "HW Power Brake Slowdown")


class SmiXml(Format):
    """One record for each `<gpu>`, flattened like the plain dump, tags in its words.

    >>> from triage.model import Line
    >>> rows = ['<gpu id="00000000:3B:00.0">', "<remapped_rows>", "<remapped_row_pending>Yes</remapped_row_pending>",
    ...         "</remapped_rows>", "</gpu>"]
    >>> SmiXml().take([Line(i, row, row) for i, row in enumerate(rows)], 0).text.splitlines()[2]
    'GPU 00000000:3B:00.0 / Remapped Rows / Pending : Yes'
    """

    name: ClassVar[str] = "smi-query"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        opened = _GPU.match(lines[at].text) if "<gpu id=" in lines[at].text else None
        if not opened:
            return None
        end = at + 1
        while end < len(lines) and end - at < _LONGEST and not _GPU.match(lines[end].text):
            end += 1
            if lines[end - 1].text.strip() == "</gpu>":
                break
        texts = list(_flat(lines[at:end], f"GPU {opened[1]}"))
        head = {found[1]: found[2] for line in lines[max(0, at - _ABOVE) : at] if (found := _HEAD.match(line.text))}
        values = dict(text.split(" : ", 1) for text in texts if " : " in text)
        fields = smi_readings.readings(texts)
        if f"{texts[0]} / Processes" in texts:
            fields.setdefault("processes", 0)
        return record(
            self.name, lines[at:end], texts, clock.parse(head.get("timestamp", "")), pci=entities.pci(opened[1]),
            driver=head.get("driver_version"), cuda=head.get("cuda_version"),
            gpu_uuid=values.get(f"{texts[0]} / GPU UUID"), gpu_model=values.get(f"{texts[0]} / Product Name"), **fields,
        )  # fmt: skip


def _name(tag: str) -> str:
    for block in ("clocks_throttle_reason_", "clocks_event_reason_", "clocks_throttle_reasons_counters_"):
        tag = tag.removeprefix(block)
    words = tag.replace("_", " ").title()
    for short in ("Hw", "Sw", "Sm", "Gpu"):
        words = words.replace(f"{short} ", f"{short.upper()} ")
    return _NAMES.get(tag, words.replace("GPU Idle", "Idle"))


def _flat(lines: Sequence[Line], top: str) -> Iterator[str]:
    """Each line as its path; tags that are never closed (a known fault of some drivers) end with their block."""
    path: list[tuple[str, str]] = [("gpu", top)]
    yield top
    for line in lines[1:]:
        text = line.text
        if pair := _ELEMENT.match(text):
            names = [name for tag, name in path if tag != "process_info"]
            own = _name(pair[1])
            if own in _HW:
                names.append("HW Slowdown")
            if path[-1][0] == "process_info" and own != "Process ID":
                own = f"Process ID / {own}"
            yield " / ".join([*names, own]) + f" : {pair[2].strip()}"
        elif closed := _CLOSE.match(text):
            tags = [tag for tag, _ in path]
            if closed[1] in tags[1:]:
                del path[len(tags) - 1 - tags[::-1].index(closed[1]) :]
            yield ""
        elif opened := _OPEN.match(text):
            path.append((opened[1], _name(opened[1])))
            names = [name for tag, name in path if tag != "process_info"]
            yield " / ".join(names)
        else:
            yield ""
