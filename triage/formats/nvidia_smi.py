"""The `-q` dump of nvidia-smi; its other outputs are in the modules beside this one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from triage import clock, entities, lazy
from triage.formats import smi_readings
from triage.formats.base import Format, record
from triage.model import Line, Record, Stamp, Value

_LOG = lazy.pattern(r"\s*={5,}\s*NVSMI LOG\s*={5,}\s*$")
_GPU = lazy.pattern(r"GPU (?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$")
_KEY = lazy.pattern(r"(?P<indent> *)(?P<key>\S.*?)\s*:(?: (?P<value>.*))?$")
_ATTACHED = lazy.pattern(r"Attached GPUs\s+: (\d+)")
_PADDED = lazy.pattern(r"\s+\S[^:]* : \S")
# Sections of a dump, by which a piece that was cut out of one is known.
_SECTIONS = frozenset(
    (
        "Remapped Rows", "Clocks Event Reasons", "Clocks Throttle Reasons", "Clocks Event Reasons Counters", "PCI",
        "ECC Errors", "ECC Mode", "Ecc Mode", "Retired Pages", "FB Memory Usage", "BAR1 Memory Usage", "MIG Mode",
        "GPU Power Readings", "Power Readings", "Module Power Readings", "Temperature", "Clocks", "Max Clocks",
        "Applications Clocks", "Utilization", "Fabric", "Inforom Version", "Processes", "Driver Model", "GPU Link Info",
        "GPU Reset Status", "Clock Throttle Reasons", "Link Width", "PCIe Generation", "HW Slowdown",
    )
)  # fmt: skip
# Blocks inside sections, and how deep they stand.
_DEPTH = {
    "Volatile": 2, "Aggregate": 2, "Single Bit": 3, "Double Bit": 3, "GPU Link Info": 1, "PCIe Generation": 2,
    "Link Width": 2, "Bank Remap Availability Histogram": 2,
}  # fmt: skip
_HEADER_LINES = 5000


class SmiQuery(Format):
    """A dump of `nvidia-smi -q`, one record for each GPU; the head of the dump is part of the first.

    Every line is flattened to its whole path, so that a pattern can bind a key to its block although keys repeat:
    `GPU 00000000:3B:00.0 / Remapped Rows / Pending : Yes`. A line that opens a block is its path without value. The
    offsets still map each to the line as printed. Fields: `pci`, `gpu_uuid`, `gpu_model`, `driver`, `cuda`, `gpu` (the
    index, where the whole dump is there), and the numbers of `smi_readings`. A piece cut out of a dump is known by the
    names of its sections; its paths begin there.

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
        elif not _GPU.match(text) and text.strip() not in _SECTIONS:
            return None
        elif not _opens(lines, at):
            return self._unindented(lines, at)
        end = _section_end(lines, start)
        texts = list(_flat(lines[at:end]))
        values = _values(texts)
        driver, cuda, stamp = _dump(lines, at if start == at else start)
        bus = _GPU.match(lines[start].text) if start < end else None
        fields = smi_readings.readings(texts)
        if bus:
            fields.update(_place(lines, start, fields))
            fields["pci"] = entities.pci(bus["bus"]) or bus["bus"]
        return record(
            self.name, lines[at:end], texts, stamp, driver=driver, cuda=cuda,
            gpu_uuid=values.get("GPU UUID"), gpu_model=values.get("Product Name"), **fields,
        )  # fmt: skip

    def _unindented(self, lines: Sequence[Line], at: int) -> Record | None:
        """A dump that lost its indentation on the way: the names of the blocks alone tell how deep a key stands."""
        top, path, texts, pairs, end = "", [""] * 4, [], 0, at
        while end < len(lines) and (text := lines[end].text.strip()):
            if _GPU.match(text) and end > at:
                break
            if _GPU.match(text):
                top = text
            elif depth := _DEPTH.get(text, 1 if text in _SECTIONS else 0):
                path[depth:] = [text, *[""] * (3 - depth)]
            elif " : " in text and (pair := _KEY.match(text)) and pair["value"]:
                pairs += 1
                inner = ["HW Slowdown"] if pair["key"].startswith("HW ") and pair["key"] != "HW Slowdown" else []
                blocks = [part for part in [top, *path[1:], *inner, pair["key"]] if part]
                texts.append(f"{' / '.join(blocks)} : {pair['value'].strip()}")
                end += 1
                continue
            else:
                break
            texts.append(" / ".join(part for part in [top, *path[1:]] if part))
            end += 1
        if pairs < 2:
            return None
        fields = smi_readings.readings(texts)
        if top:
            fields["pci"] = entities.pci(top.removeprefix("GPU ")) or ""
        return record(self.name, lines[at:end], texts, None, **fields)


def _place(lines: Sequence[Line], at: int, own: Mapping[str, Value]) -> dict[str, Value]:
    """The index of the GPU at `at` and the usual link width, out of the dump around it."""
    low, high = at, at + 1
    while low > 0 and at - low < _HEADER_LINES and not _LOG.match(lines[low].text):
        low -= 1
    while high < len(lines) and high - at < _HEADER_LINES and not _LOG.match(lines[high].text):
        high += 1
    starts = [i for i in range(low, high) if lines[i].text.startswith("GPU ") and _GPU.match(lines[i].text)]
    said = next((x[1] for line in lines[low:at] if (x := _ATTACHED.match(line.text))), "")
    # With `-i` the head still counts all GPUs, and the first that is printed need not be the first of the machine.
    found: dict[str, Value] = {"gpu": str(starts.index(at))} if said == str(len(starts)) else {}
    widths: list[dict[str, Value]] = []
    for i in range(low, high):
        if lines[i].text.strip() == "Link Width":
            pair = [smi_readings.number(lines[j].text.rpartition(": ")[2]) for j in range(i + 1, min(i + 3, high))]
            if len(pair) == 2 and pair[1] and pair[0] == own.get("link_width_max"):
                widths.append({"link_width": pair[1]})
    return {**found, **smi_readings.peers({}, widths)}


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
        if index >= len(lines) or not re.match(r"\S[^:]*? +: ", lines[index].text):
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
