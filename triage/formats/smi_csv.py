"""Queries of nvidia-smi in CSV: `--query-gpu`, `--query-compute-apps`, with or without heading and units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from triage import clock, entities, lazy
from triage.formats import smi_readings
from triage.formats.base import Format, record
from triage.model import Line, Record, Value

_ORDER = lazy.pattern(r"--query-(?:gpu|compute-apps|accounted-apps)[= ][\"']?([a-z0-9_.,]+)")
_NAME = lazy.pattern(r"[a-z][a-z0-9_.]*$")
_FIRST = lazy.pattern(r"\s*[a-z][a-z0-9_.]*(?: \[\S+\])?,")
_UNIT = lazy.pattern(r"(.*?) \[([^\]]+)\]$")
_OWN = ("uuid", "gpu_uuid", "gpu_name", "process_name", "used_gpu_memory", "driver_version", "pstate", "compute_mode")
_WIDEST = 4000
_MOST_GPUS = 64
_FAR = 60  # lines between a command without heading and its last row

# Property -> path of the `-q` dump. `clocks_throttle_reasons` became `clocks_event_reasons`; both are asked for still.
_PATHS = {
    "index": "Index", "name": "Product Name", "gpu_name": "Product Name", "uuid": "GPU UUID", "gpu_uuid": "GPU UUID",
    "pci.bus_id": "PCI / Bus Id", "gpu_bus_id": "PCI / Bus Id", "driver_version": "Driver Version",
    "timestamp": "Timestamp", "serial": "Serial Number", "pstate": "Performance State", "count": "Attached GPUs",
    "persistence_mode": "Persistence Mode", "compute_mode": "Compute Mode", "fan.speed": "Fan Speed",
    "utilization.gpu": "Utilization / Gpu", "utilization.memory": "Utilization / Memory",
    "memory.total": "FB Memory Usage / Total", "memory.used": "FB Memory Usage / Used",
    "memory.free": "FB Memory Usage / Free", "memory.reserved": "FB Memory Usage / Reserved",
    "temperature.gpu": "Temperature / GPU Current Temp", "temperature.memory": "Temperature / Memory Current Temp",
    "power.draw": "Power Readings / Power Draw", "power.draw.instant": "Power Readings / Instantaneous Power Draw",
    "power.draw.average": "Power Readings / Average Power Draw", "power.limit": "Power Readings / Power Limit",
    "enforced.power.limit": "Power Readings / Enforced Power Limit",
    "power.default_limit": "Power Readings / Default Power Limit",
    "power.max_limit": "Power Readings / Max Power Limit", "power.min_limit": "Power Readings / Min Power Limit",
    "clocks.sm": "Clocks / SM", "clocks.gr": "Clocks / Graphics", "clocks.mem": "Clocks / Memory",
    "clocks.max.sm": "Max Clocks / SM", "clocks.max.gr": "Max Clocks / Graphics",
    "clocks.max.mem": "Max Clocks / Memory", "clocks.applications.gr": "Applications Clocks / Graphics",
    "pcie.link.gen.current": "PCI / GPU Link Info / PCIe Generation / Current",
    "pcie.link.gen.gpucurrent": "PCI / GPU Link Info / PCIe Generation / Device Current",
    "pcie.link.gen.max": "PCI / GPU Link Info / PCIe Generation / Max",
    "pcie.link.width.current": "PCI / GPU Link Info / Link Width / Current",
    "pcie.link.width.max": "PCI / GPU Link Info / Link Width / Max",
    "ecc.mode.current": "ECC Mode / Current", "ecc.mode.pending": "ECC Mode / Pending",
    "retired_pages.pending": "Retired Pages / Pending Page Blacklist",
    "remapped_rows.correctable": "Remapped Rows / Correctable Error",
    "remapped_rows.uncorrectable": "Remapped Rows / Uncorrectable Error",
    "remapped_rows.pending": "Remapped Rows / Pending",
    "remapped_rows.failure": "Remapped Rows / Remapping Failure Occurred",
    "mig.mode.current": "MIG Mode / Current", "mig.mode.pending": "MIG Mode / Pending",
    "fabric.state": "Fabric / State", "fabric.status": "Fabric / Status", "gpu_recovery_action": "GPU Recovery Action",
    "reset_status.reset_required": "GPU Reset Status / Reset Required",
    "driver_model.current": "Driver Model / Current",
    "pid": "Processes / Process ID", "process_name": "Processes / Process ID / Name",
    "used_memory": "Processes / Process ID / Used GPU Memory",
    "used_gpu_memory": "Processes / Process ID / Used GPU Memory",
}  # fmt: skip
_REASONS = {
    "gpu_idle": "Idle", "applications_clocks_setting": "Applications Clocks Setting", "sw_power_cap": "SW Power Cap",
    "hw_slowdown": "HW Slowdown", "hw_thermal_slowdown": "HW Slowdown / HW Thermal Slowdown",
    "hw_power_brake_slowdown": "HW Slowdown / HW Power Brake Slowdown", "sync_boost": "Sync Boost",
    "sw_thermal_slowdown": "SW Thermal Slowdown",
}  # fmt: skip
# nvml.h, nvmlClocksEventReason*
_MASK = {
    0x4: "sw_power_cap", 0x8: "hw_slowdown", 0x20: "sw_thermal_slowdown", 0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
}  # fmt: skip


@dataclass(frozen=True)
class _Columns:
    """What the columns of the rows in question are: names without units, and the unit of each."""

    names: list[str]
    units: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Row:
    """A row as paths and fields."""

    paths: list[str]
    fields: dict[str, Value]


class SmiCsv(Format):
    """Each row of a query in CSV is one record, flattened to the paths of `nvidia-smi -q`; so is the heading.

    Columns are known from the heading, else from the command above. Fields are those of the `-q` dump. Rows of
    `--query-compute-apps` carry `pid`, `gpu_uuid` and the name of the process.

    >>> from triage.model import Line
    >>> rows = ["index, pci.bus_id, remapped_rows.pending", "1, 00000000:3B:00.0, Yes"]
    >>> found = SmiCsv().take([Line(i, row, row) for i, row in enumerate(rows)], 1)
    >>> found.text.splitlines()[-1]
    'GPU 00000000:3B:00.0 / Remapped Rows / Pending : Yes'
    """

    name: ClassVar[str] = "smi-query"

    def __init__(self) -> None:
        # What the rows above told, so that a log of a night is read once: the columns, the rows of the sample around
        # (a GPU that comes again begins another), and the last line that turned out to be no row.
        self._last: tuple[Sequence[Line] | None, int, _Columns] = (None, 0, _Columns([]))
        self._sample: tuple[Sequence[Line] | None, int, list[_Row]] = (None, 0, [])
        self._other: tuple[Sequence[Line] | None, int, int] = (None, 0, 0)

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if "," not in text or len(text) > _WIDEST:
            return None
        if heading(text):
            self._last = (lines, at, _columns(text))
            return record(self.name, lines[at : at + 1], [text])
        columns = self._columns(lines, at)
        if columns is None or len(cells := _cells(text)) != len(columns.names):
            return None
        known, first, rows = self._sample
        if known is not lines or not first <= at < first + len(rows):
            first, rows = at, _sample(lines, at, columns)
            self._sample = (lines, first, rows)
        fields = dict(rows[at - first].fields)
        if "pci" in fields or "gpu" in fields:
            fields.update(smi_readings.peers(fields, [row.fields for row in rows]))
        stamp = clock.parse(cells[columns.names.index("timestamp")]) if "timestamp" in columns.names else None
        return record(self.name, lines[at : at + 1], ["\n".join(rows[at - first].paths)], stamp, **fields)

    def _columns(self, lines: Sequence[Line], at: int) -> _Columns | None:
        """The columns of the row at `at`: its heading or command stands above rows of the same width."""
        known, last, columns = self._last
        if known is lines and last == at - 1:
            self._last = (lines, at, columns)
            return columns
        commas = lines[at].text.count(", ")
        none, before, width = self._other
        self._other = (lines, at, commas)
        if none is lines and before == at - 1 and width == commas:
            return None
        for index in range(at - 1, max(-1, at - _FAR), -1):
            text = lines[index].text
            if heading(text):
                found = _columns(text)
            elif "--query-" in text and (order := _ORDER.search(text)):
                found = _Columns(order[1].strip(",").split(","))
            elif not text.strip() or text.count(", ") == commas:
                continue
            else:
                return None
            if len(found.names) < 2:
                return None
            self._last = (lines, at, found)
            return found
        return None


def heading(text: str) -> bool:
    """Whether a line is the heading of a query: known names, two at least, or one with a unit."""
    if not _FIRST.match(text):
        return False
    names = [found[1] if (found := _UNIT.match(cell)) else cell for cell in _cells(text)]
    if len(names) < 2 or not all(_NAME.match(name) for name in names):
        return False
    known = [name for name in names if _path(name)]
    own = any("." in name or name in _OWN for name in known)  # words that other tables do not use
    return len(known) >= 2 and len(known) * 2 >= len(names) and own


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.strip().split(",")]


def _columns(text: str) -> _Columns:
    pairs = [(found[1], found[2]) if (found := _UNIT.match(cell)) else (cell, "") for cell in _cells(text)]
    return _Columns([name for name, _ in pairs], [unit for _, unit in pairs])


def _path(name: str) -> str:
    """The path of a property; empty for one that is not known."""
    plain = re.sub(r"^clocks\.current\.", "clocks.", name).replace("graphics", "gr").replace("memory_clock", "mem")
    if plain.startswith("clocks.") and plain.endswith(".memory"):
        plain = plain.removesuffix("ory")
    if plain in _PATHS:
        return _PATHS[plain]
    block, _, key = plain.partition(".")
    if block in ("clocks_throttle_reasons", "clocks_event_reasons"):
        return f"Clocks Event Reasons / {_REASONS.get(key, key)}"
    ecc = re.match(r"ecc\.errors\.(un)?corrected\.(volatile|aggregate)\.(\w+)$", plain)
    if ecc:
        bits = "Double Bit" if ecc[1] else "Single Bit"
        return f"ECC Errors / {ecc[2].title()} / {bits} / {ecc[3].replace('_', ' ').title()}"
    return ""


def _paths(columns: _Columns, cells: Sequence[str]) -> list[str]:
    who = _who(columns, cells)
    lines = []
    for name, cell in zip(columns.names, cells, strict=True):
        path = _path(name) or name
        lines.append(f"{who} / {path} : {cell}")
        if name.endswith("_reasons.active"):
            mask = entities.integer(cell) or 0
            active = [_path(f"clocks_event_reasons.{key}") for bit, key in _MASK.items() if mask & bit]
            lines += [f"{who} / {reason} : Active" for reason in active]
    return list(dict.fromkeys(lines))


def _who(columns: _Columns, cells: Sequence[str]) -> str:
    row = dict(zip(columns.names, cells, strict=True))
    told = (row.get(key, "") for key in ("pci.bus_id", "gpu_bus_id", "index", "gpu_uuid", "uuid"))
    return f"GPU {next((one for one in told if one), '')}".strip()


def _identity(columns: _Columns, cells: Sequence[str]) -> dict[str, Value]:
    """Who the row is about. A cell that could not be read names nobody."""
    fields = {"index": "gpu", "name": "gpu_model", "gpu_name": "gpu_model", "uuid": "gpu_uuid", "gpu_uuid": "gpu_uuid",
              "pci.bus_id": "pci", "gpu_bus_id": "pci", "driver_version": "driver", "pid": "pid",
              "process_name": "process"}  # fmt: skip
    found: dict[str, Value] = {}
    for name, cell in zip(columns.names, cells, strict=True):
        key = fields.get(name)
        value = entities.pci(cell) if key == "pci" else cell
        if key and value and not value.startswith("["):
            found[key] = value
    return found


def _sample(lines: Sequence[Line], at: int, columns: _Columns) -> list[_Row]:
    """The rows from `at` on until a GPU comes again, or something that is no row."""
    rows: list[_Row] = []
    seen: set[str] = set()
    for line in lines[at : at + _MOST_GPUS]:
        cells = _cells(line.text)
        who = _who(columns, cells) if len(cells) == len(columns.names) else ""
        if not who or who in seen or heading(line.text):
            break
        seen.add(who)
        paths = _paths(columns, cells)
        rows.append(_Row(paths, {**smi_readings.readings(paths), **_identity(columns, cells)}))
    return rows
