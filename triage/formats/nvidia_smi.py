"""The two long outputs of nvidia-smi: its table and the `-q` dump."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from triage import clock, entities, lazy
from triage.formats.base import Format, record
from triage.model import Line, Record, Stamp

_RULE = lazy.pattern(r"\s*[+|][-=+]{20,}[+|]\s*$")
_BAR = lazy.pattern(r"\s*[|+]")
_TITLE = lazy.pattern(r"\s*\| *NVIDIA-SMI ")
_DATE = lazy.pattern(r"\s*[^\W\d_]{1,10}\.?,? .{0,12}\d{1,2}:\d{2}:\d{2}.{0,8}\d{4}\s*$")
_GRID = lazy.pattern(r"\s*\| *(?:NVIDIA-SMI |Processes:|MIG devices|GPU +Name |No MIG devices)")
_DRIVER = lazy.pattern(r"(?:Driver Version|KMD Version): ?(\S+)")
_CUDA = lazy.pattern(r"CUDA (?:UMD )?Version: ?(\S+)")
# The first line of a GPU: index, name, persistence (or driver model) | bus id, display | ECC count
_NAME_CELL = lazy.pattern(r"\s*(\d+)\s+(\S.*?)\s+(\S+)\s*$")
_BUS_CELL = lazy.pattern(r"\s*((?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|ERR!|N/A)(?:\s+(\S+))?\s*$")
_POWER_CELL = lazy.pattern(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S.*?)\s*/\s*(\S.*?)\s*$")
_MEMORY_CELL = lazy.pattern(r"\s*(\S.*?)\s*/\s*(\S.*?)\s*$")
_UTIL_CELL = lazy.pattern(r"\s*(\S+)\s+(\S.*?)\s*$")
_TYPE = r"([CGM](?:\+[CGM])*|N/A)\s+(.*?)\s*(\d+ ?MiB|N/A)?\s*$"
_PROCESS = lazy.pattern(rf"(\d+)\s+(\d+|N/A)\s+(\d+|N/A)\s+(\d+)\s+{_TYPE}")
_PROCESS_OLD = lazy.pattern(rf"(\d+)()()\s+(\d+)\s+{_TYPE}")

_LOG = lazy.pattern(r"\s*={5,}\s*NVSMI LOG\s*={5,}\s*$")
_GPU = lazy.pattern(r"GPU (?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$")
_KEY = lazy.pattern(r"(?P<indent> *)(?P<key>\S.*?)\s*:(?: (?P<value>.*))?$")
_PADDED = lazy.pattern(r"\s+\S[^:]* : \S")
# Sections of a dump, by which a piece that was cut out of one is known.
_SECTIONS = frozenset(
    (
        "Remapped Rows", "Clocks Event Reasons", "Clocks Throttle Reasons", "Clocks Event Reasons Counters", "PCI",
        "ECC Errors", "ECC Mode", "Ecc Mode", "Retired Pages", "FB Memory Usage", "BAR1 Memory Usage", "MIG Mode",
        "GPU Power Readings", "Power Readings", "Module Power Readings", "Temperature", "Clocks", "Max Clocks",
        "Applications Clocks", "Utilization", "Fabric", "Inforom Version", "Processes", "Driver Model",
    )
)  # fmt: skip
_HEADER_LINES = 5000
_WIDEST = 400  # characters: far more than a row of any table


class SmiTable(Format):
    """The table that plain `nvidia-smi` prints, whole: heading date, GPUs, MIG devices and processes are one record.

    All widths are read (79 columns up to driver 525, 89 up to 545, 91 from 550), also a table that lost its top. Text
    is the table as printed; fields are `driver` and `cuda`. `gpus` and `processes` read the rows.

    >>> from triage.model import Line
    >>> rows = ["|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |",
    ...         "|  0%   34C    P8             17W /  450W |      12MiB /  24564MiB |      0%      Default |"]
    >>> found = SmiTable().take([Line(i, row, row) for i, row in enumerate(rows)], 0)
    >>> gpus(found)[0]["temp"], gpus(found)[0]["memory_used"]
    ('34C', '12MiB')
    """

    name: ClassVar[str] = "smi-table"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        start = at
        if _DATE.match(lines[at].text) and at + 1 < len(lines) and _RULE.match(lines[at + 1].text):
            start += 1
        if not _begins(lines, start):
            return None
        end = _table_end(lines, start)
        texts = [line.text for line in lines[at:end]]
        whole = "\n".join(texts)
        driver, cuda = (found[1] if found else None for found in (_DRIVER.search(whole), _CUDA.search(whole)))
        stamp = clock.parse(texts[0]) if start > at else None
        return record(self.name, lines[at:end], texts, stamp, driver=driver, cuda=cuda)


def _begins(lines: Sequence[Line], at: int) -> bool:
    if at >= len(lines):
        return False
    text = lines[at].text
    if _RULE.match(text):
        return at + 1 < len(lines) and _GRID.match(lines[at + 1].text) is not None
    return _BAR.match(text) is not None and (_GRID.match(text) is not None or _gpu_cells(text) is not None)


def _table_end(lines: Sequence[Line], at: int) -> int:
    """Where the table ends: after its last border, or where another table or anything else begins."""
    end, titled = at + 1, _TITLE.match(lines[at].text) is not None
    while end < len(lines):
        text = lines[end].text
        if not text.strip():
            # An empty line parts the grids of one table; behind the last grid it is not ours.
            rest = _next_full(lines, end)
            if not _begins(lines, rest) or any(_TITLE.match(x.text) for x in lines[rest : rest + 2]):
                break
            end = rest
            continue
        if not _BAR.match(text):
            break
        if titled and _RULE.match(text) and end + 1 < len(lines) and _TITLE.match(lines[end + 1].text):
            break
        titled = titled or _TITLE.match(text) is not None
        end += 1
    return end


def _cells(text: str) -> list[str]:
    return text.strip().strip("|").split("|")


def _gpu_cells(text: str) -> tuple[re.Match[str], re.Match[str], str] | None:
    """The three cells of the first line of a GPU, or None for any other row."""
    cells = _cells(text) if len(text) <= _WIDEST else []
    if len(cells) != 3:
        return None
    name, bus = _NAME_CELL.match(cells[0]), _BUS_CELL.match(cells[1])
    return (name, bus, cells[2].strip()) if name and bus else None


def gpus(table: Record) -> list[dict[str, str]]:
    """The GPUs of a `smi-table` record, each with the cells that could be read, as printed (`ERR!` and `N/A` too).

    Keys: gpu (index), gpu_model, persistence (or driver model), pci (`0000:3b:00`), display, ecc, fan, temp, perf,
    power, cap, memory_used, memory_total, util, compute_mode, mig.
    """
    found: list[dict[str, str]] = []
    row = 0
    for text in table.text.split("\n"):
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
    power, memory, load = _POWER_CELL.match(cells[0]), _MEMORY_CELL.match(cells[1]), _UTIL_CELL.match(cells[2])
    if power:
        gpu.update(zip(("fan", "temp", "perf", "power", "cap"), power.groups(), strict=True))
    if memory:
        gpu.update(memory_used=memory[1], memory_total=memory[2])
    else:
        gpu["memory_used"] = cells[1].strip()
    if load:
        gpu.update(util=load[1], compute_mode=load[2])


def processes(table: Record) -> list[dict[str, str]]:
    """The processes of a `smi-table` record: gpu, gi, ci, pid, type, process, memory, as printed.

    Windows (WDDM) and containers print `N/A` for memory or leave out processes; an empty list proves nothing.
    """
    found: list[dict[str, str]] = []
    inside, pattern = False, _PROCESS
    for text in table.text.split("\n"):
        if "Processes:" in text:
            inside, pattern = True, _PROCESS_OLD
        elif inside and re.search(r"\bGI +CI\b", text):
            pattern = _PROCESS
        elif inside and len(text) <= _WIDEST and _BAR.match(text) and not _RULE.match(text):
            row = pattern.match(text.strip().strip("|").strip())
            if row:
                keys = ("gpu", "gi", "ci", "pid", "type", "process", "memory")
                found.append({key: value for key, value in zip(keys, row.groups(), strict=True) if value})
    return found


class SmiQuery(Format):
    """A dump of `nvidia-smi -q`, one record for each GPU; the head of the dump is part of the first.

    Every line is flattened to its whole path, so that a pattern can bind a key to its block although keys repeat:
    `GPU 00000000:3B:00.0 / Remapped Rows / Pending : Yes`. A line that opens a block is its path without value. The
    offsets still map each to the line as printed. Fields: `pci`, `gpu_uuid`, `gpu_model`, `driver`, `cuda`. A piece cut
    out of a dump is known by the names of its sections; its paths begin there.

    >>> from triage.model import Line
    >>> rows = ["GPU 00000000:3B:00.0", "    Remapped Rows", "        Pending     : Yes"]
    >>> SmiQuery().take([Line(i, row, row) for i, row in enumerate(rows)], 0).text.splitlines()[-1]
    'GPU 00000000:3B:00.0 / Remapped Rows / Pending : Yes'
    """

    name: ClassVar[str] = "smi-query"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        start = at
        if _LOG.match(text):
            start = _head_end(lines, at + 1)
        elif not (_GPU.match(text) and _opens(lines, at)) and not (text.strip() in _SECTIONS and _opens(lines, at)):
            return None
        end = _section_end(lines, start)
        texts = list(_flat(lines[at:end]))
        values = _values(texts)
        driver, cuda, stamp = _dump(lines, at if start == at else start)
        bus = _GPU.match(lines[start].text) if start < end else None
        return record(
            self.name, lines[at:end], texts, stamp, driver=driver, cuda=cuda,
            pci=entities.pci(bus["bus"]) if bus else None,
            gpu_uuid=values.get("GPU UUID"), gpu_model=values.get("Product Name"),
        )  # fmt: skip


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _next_full(lines: Sequence[Line], at: int) -> int:
    """The next line from `at` on that is not blank; at most two are skipped. The end when there is none."""
    for index in range(at, min(at + 3, len(lines))):
        if lines[index].text.strip():
            return index
    return len(lines)


def _opens(lines: Sequence[Line], at: int) -> bool:
    """Whether a deeper `Key : Value` line, or a section that opens one, stands under the line at `at`."""
    depth, index = _indent(lines[at].text), _next_full(lines, at + 1)
    while index < len(lines) and index < at + 6 and _indent(lines[index].text) > depth:
        if _PADDED.match(lines[index].text):
            return True
        depth, index = _indent(lines[index].text), _next_full(lines, index + 1)
    return False


def _head_end(lines: Sequence[Line], at: int) -> int:
    """Where the head of a dump (time, driver, count of GPUs) ends: at the first GPU, or at anything else."""
    while at < len(lines):
        index = _next_full(lines, at)
        if index >= len(lines) or not re.match(r"\S[^:]*? *: ", lines[index].text):
            return index if index < len(lines) and _GPU.match(lines[index].text) else at
        at = index + 1
    return at


def _section_end(lines: Sequence[Line], at: int) -> int:
    """The end of the section that begins at `at`: the next line that is not deeper, blank lines in between allowed."""
    if at >= len(lines):
        return at
    if not _GPU.match(lines[at].text) and lines[at].text.strip() not in _SECTIONS:
        return at
    depth, end = _indent(lines[at].text), at + 1
    while end < len(lines):
        index = _next_full(lines, end)
        if index >= len(lines) or _indent(lines[index].text) <= depth:
            break
        end = index + 1
    return end


def _flat(lines: Sequence[Line]) -> Iterator[str]:
    """Each line as its path: the names of the blocks around it, its key and its value."""
    path: list[tuple[int, str]] = []
    for line in lines:
        text = line.text.rstrip()
        if not text or _LOG.match(text):
            yield text.strip()
            continue
        depth = _indent(text)
        while path and path[-1][0] >= depth:
            path.pop()
        pair = None if _GPU.match(text) else _KEY.match(text)
        path.append((depth, pair["key"] if pair else text.strip()))
        whole = " / ".join(name for _, name in path)
        yield f"{whole} : {pair['value'].strip()}" if pair and pair["value"] else whole


def _values(texts: Sequence[str]) -> dict[str, str]:
    """The values of a GPU's own keys (not those of its blocks)."""
    found: dict[str, str] = {}
    for text in texts:
        path, _, value = text.partition(" : ")
        if value and path.count(" / ") <= 1:
            found.setdefault(path.rsplit(" / ", 1)[-1], value)
    return found


def _dump(lines: Sequence[Line], at: int) -> tuple[str | None, str | None, Stamp | None]:
    """Driver, CUDA version and time of the dump around `at`, out of its head."""
    values: dict[str, str] = {}
    for index in range(at, max(at - _HEADER_LINES, -1), -1):
        text = lines[index].text if index < len(lines) else ""
        if _LOG.match(text):
            return values.get("Driver Version"), values.get("CUDA Version"), clock.parse(values.get("Timestamp", ""))
        pair = _KEY.match(text) if text[:1] in ("T", "D", "C") else None
        if pair and pair["value"]:
            values.setdefault(pair["key"], pair["value"].strip())
    return None, None, None
