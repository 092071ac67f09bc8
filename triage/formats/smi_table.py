"""The table of nvidia-smi: its head, each GPU and each lower grid is a record of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from triage import clock, entities, lazy
from triage.formats import smi_readings
from triage.formats.base import Format, record
from triage.model import Line, Record, Value

_RULE = lazy.pattern(r"\s*[+|][-=+]{20,}[+|]?\s*$")
_BAR = lazy.pattern(r"\s*[|+]")
_TITLE = lazy.pattern(r"\s*\| *NVIDIA-SMI ")
_DATE = lazy.pattern(r"\s*[^\W\d_]{1,10}\.?,? .{0,12}\d{1,2}:\d{2}:\d{2}.{0,8}\d{4}\s*$")
_LOWER = lazy.pattern(r"\s*\| *(?:Processes:|Compute processes:|MIG devices|No MIG devices)")
_HEADING = lazy.pattern(r"\s*\| *(?:NVIDIA-SMI |GPU +Name )")
_TOOL = lazy.pattern(r"NVIDIA-SMI (\S+)")
_DRIVER = lazy.pattern(r"(?:Driver Version|KMD Version): ?(\S+)")
_CUDA = lazy.pattern(r"CUDA (?:UMD )?Version: ?(\S+)")
# The first line of a GPU: index, name, persistence (or driver model) | bus id, display | ECC count
_NAME_CELL = lazy.pattern(r"\s*(\d+)\s+(\S.*?)\s+(\S+)\s*$")
_BUS_CELL = lazy.pattern(r"\s*((?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|ERR!|N/A)(?:\s+(\S+))?\s*$")
_POWER_CELL = lazy.pattern(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S.*?)\s*/\s*(\S.*?)\s*$")
_GLUED_CELL = lazy.pattern(r"\s*(ERR!|N/A|\d+%)\s+(\S+)\s+(\S+)\s+(ERR!|N/A|\d+W)\s*/\s*(\S.*?)\s*$")
_MEMORY_CELL = lazy.pattern(r"\s*(\S.*?)\s*/\s*(\S.*?)\s*$")
_UTIL_CELL = lazy.pattern(r"\s*(\S+)\s+(\S.*?)\s*$")
_TYPE = r"([CGM](?:\+[CGM])*|N/A)\s+(.*?)\s*(\d+ ?MiB|N/A)?\s*$"
_PROCESS = lazy.pattern(rf"(\d+)\s+(\d+|N/A)\s+(\d+|N/A)\s+(\d+)\s+{_TYPE}")
_PROCESS_OLD = lazy.pattern(rf"(\d+)()()\s+(\d+)\s+{_TYPE}")
_NONE = lazy.pattern(r"\s*\| +No running (?:compute )?processes found")
_WIDEST = 400  # characters: far more than a row of any table
_LONGEST = 2000  # lines: a table with a long list of processes


class SmiTable(Format):
    """The table that plain `nvidia-smi` prints: one record for its head, for each GPU, and for each lower grid.

    All widths are read (79 columns up to driver 525, 89 up to 545, 91 from 550), also rows that lost the rest. Text is
    the rows as printed. Fields: `part` (head, gpu, mig, processes), `driver`, `cuda`; of a GPU its cells as
    `smi_readings` names them, with `processes` of the lower grid where that was printed; `driver_model` is `WSL` there.

    >>> from triage.model import Line
    >>> rows = ["|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |",
    ...         "|  0%   34C    P8             17W /  450W |      12MiB /  24564MiB |      0%      Default |"]
    >>> found = SmiTable().take([Line(i, row, row) for i, row in enumerate(rows)], 0)
    >>> found.fields["pci"], found.fields["memory_used"]
    ('0000:01:00', 12.0)
    """

    name: ClassVar[str] = "smi-table"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        start = at
        if _DATE.match(lines[at].text) and at + 1 < len(lines) and _RULE.match(lines[at + 1].text):
            start += 1
        part = _part(lines, start)
        if not part or (part == "gpu" and start > at):
            return None
        end = _part_end(lines, start, part)
        texts = [line.text for line in lines[at:end]]
        tool, driver, cuda = _versions(lines, at, end)
        fields: dict[str, Value] = _gpu_fields(lines, start) if part == "gpu" else {}
        if part == "gpu" and tool and driver and tool != driver:
            fields["driver_model"] = "WSL"  # the tool of the guest, the driver of Windows
        stamp = clock.parse(texts[0]) if start > at else None
        return record(self.name, lines[at:end], texts, stamp, part=part, driver=driver, cuda=cuda, **fields)


def _part(lines: Sequence[Line], at: int) -> str:
    """Which part of a table begins at `at`; empty when none does."""
    if at >= len(lines) or not _BAR.match(lines[at].text):
        return ""
    if _gpu_cells(lines[at].text):
        return "gpu"
    named = at + 1 if _RULE.match(lines[at].text) else at
    text = lines[named].text if named < len(lines) else ""
    if _LOWER.match(text):
        return "mig" if "MIG" in text else "processes"
    return "head" if _HEADING.match(text) else ""


def _part_end(lines: Sequence[Line], at: int, part: str) -> int:
    """Where a part ends: behind the last of its bar lines, before another part begins."""
    end = at + 2 if _RULE.match(lines[at].text) else at + 1
    while end < len(lines) and _BAR.match(lines[end].text):
        following = _part(lines, end)
        if following and not (part == following == "head" and not _opens_table(lines, end)):
            break
        end += 1
        if part == "gpu" and _RULE.match(lines[end - 1].text):
            break
    return end


def _opens_table(lines: Sequence[Line], at: int) -> bool:
    return any(_TITLE.match(line.text) for line in lines[at : at + 2])


def _rows(lines: Sequence[Line], at: int, step: int) -> list[str]:
    """The rows of the table around `at` in one direction; blank lines part its grids, another title ends it."""
    found: list[str] = []
    blank = 0
    while 0 <= at < len(lines) and len(found) < _LONGEST:
        text = lines[at].text
        if not text.strip():
            blank += 1
        elif not _BAR.match(text):
            break
        else:
            blank = 0
            found.append(text)
        if blank > 2 or (step < 0 and _TITLE.match(text)) or (step > 0 and _TITLE.match(text)):
            break
        at += step
    return found


def _versions(lines: Sequence[Line], at: int, end: int) -> tuple[str | None, str | None, str | None]:
    """The versions of tool, driver and CUDA out of the title above, which the same table printed."""
    rows = [line.text for line in lines[at:end]] + _rows(lines, at - 1, -1)
    title = next((text for text in rows if _TITLE.match(text)), "")
    tool, driver, cuda = (pattern.search(title) for pattern in (_TOOL, _DRIVER, _CUDA))
    return tool[1] if tool else None, driver[1] if driver else None, cuda[1] if cuda else None


def _gpu_fields(lines: Sequence[Line], at: int) -> dict[str, Value]:
    below = _rows(lines, at, 1)
    every = gpus([*reversed(_rows(lines, at - 1, -1)), *below])
    own = gpus(below)[0]
    listed = processes(below)
    found = _numbers(own)
    found.update(smi_readings.peers(found, [_numbers(one) for one in every]) if "..." not in own["gpu_model"] else {})
    if any(map(_NONE.match, below)) or listed:
        mine = [one for one in listed if one["gpu"] == own["gpu"]]
        held = [smi_readings.number(one.get("memory", "")) for one in mine]
        found.update(processes=len(mine), processes_all=len(listed))
        if all(one is not None for one in held):
            found["processes_memory"] = sum(one for one in held if one is not None)
    return found


def _numbers(gpu: dict[str, str]) -> dict[str, Value]:
    """The cells of a GPU as fields; `errors` counts cells that could not be read."""
    found: dict[str, Value] = {"gpu": gpu["gpu"]}
    if gpu["gpu_model"] != "ERR!":
        found["gpu_model"] = gpu["gpu_model"]
    if ":" in gpu["pci"]:
        found["pci"] = gpu["pci"]
    names = {"memory_used": "memory_used", "memory_total": "memory_total", "util": "utilization", "power": "power_draw",
             "cap": "power_limit", "ecc": "ecc_uncorrected", "temp": "temperature"}  # fmt: skip
    for cell, field in names.items():
        value = smi_readings.number(gpu.get(cell, ""))
        if value is not None:
            found[field] = value
    for cell, field in (("perf", "pstate"), ("mig", "mig"), ("persistence", "driver_model"), ("fan", "fan"),
                        ("power", "power_cell"), ("compute_mode", "compute_mode")):  # fmt: skip
        if cell in gpu:
            found[field] = gpu[cell]
    errors = sum(value in smi_readings.BROKEN for value in gpu.values())
    if errors:
        found["errors"] = errors
    return found


def _cells(text: str) -> list[str]:
    return text.strip().strip("|").split("|")


def _gpu_cells(text: str) -> tuple[re.Match[str], re.Match[str], str] | None:
    """The three cells of the first line of a GPU, or None for any other row."""
    cells = _cells(text) if len(text) <= _WIDEST else []
    if len(cells) != 3:
        return None
    name, bus = _NAME_CELL.match(cells[0]), _BUS_CELL.match(cells[1])
    return (name, bus, cells[2].strip()) if name and bus else None


def gpus(rows: Sequence[str]) -> list[dict[str, str]]:
    """The GPUs among the rows of a table, each with the cells that could be read, as printed (`ERR!` and `N/A` too).

    Keys: gpu (index), gpu_model, persistence (or driver model), pci (`0000:3b:00`), display, ecc, fan, temp, perf,
    power, cap, memory_used, memory_total, util, compute_mode, mig.
    """
    found: list[dict[str, str]] = []
    row = 0
    for text in rows:
        top = _gpu_cells(text)
        if top:
            name, bus, ecc = top
            found.append({"gpu": name[1], "gpu_model": name[2], "persistence": name[3],
                          "pci": entities.pci(bus[1]) or bus[1], "display": bus[2] or "", "ecc": ecc})  # fmt: skip
            row = 1
        elif row and _BAR.match(text) and not _RULE.match(text):
            _lower_cells(found[-1], _cells(text), row)
            row += 1
        else:
            row = 0
    return [{key: value for key, value in one.items() if value} for one in found]


def _lower_cells(gpu: dict[str, str], cells: list[str], row: int) -> None:
    """Adds the second line (sensors, memory, load) and the third (MIG mode) of a GPU."""
    if len(cells) != 3 or row > 2:
        return
    if row == 2:
        gpu["mig"] = cells[2].strip()
        return
    power = _GLUED_CELL.match(cells[0]) or _POWER_CELL.match(cells[0])
    memory, load = _MEMORY_CELL.match(cells[1]), _UTIL_CELL.match(cells[2])
    if power:
        gpu.update(zip(("fan", "temp", "perf", "power", "cap"), power.groups(), strict=True))
    if memory:
        gpu.update(memory_used=memory[1], memory_total=memory[2])
    else:
        gpu["memory_used"] = cells[1].strip()
    if load:
        gpu.update(util=load[1], compute_mode=load[2])


def processes(rows: Sequence[str]) -> list[dict[str, str]]:
    """The processes among the rows of a table: gpu, gi, ci, pid, type, process, memory, as printed.

    Windows (WDDM) and containers print `N/A` for memory or leave out processes; an empty list proves nothing.
    """
    found: list[dict[str, str]] = []
    inside, pattern = False, _PROCESS
    for text in rows:
        if "rocesses:" in text:
            inside, pattern = True, _PROCESS_OLD
        elif inside and re.search(r"\bGI +CI\b", text):
            pattern = _PROCESS
        elif inside and len(text) <= _WIDEST and _BAR.match(text) and not _RULE.match(text):
            row = pattern.match(text.strip().strip("|").strip())
            if row:
                keys = ("gpu", "gi", "ci", "pid", "type", "process", "memory")
                found.append({key: value for key, value in zip(keys, row.groups(), strict=True) if value})
    return found
