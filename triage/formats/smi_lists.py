"""The matrices and lists of nvidia-smi: `topo -m`, `nvlink -s` and `-e`, `dmon`, `pmon`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from triage import entities, lazy
from triage.formats import smi_readings
from triage.formats.base import Format, record
from triage.model import Line, Record, Value

_TOPO_HEAD = lazy.pattern(r"\s*GPU0\s")
_TOPO_ROW = lazy.pattern(r"(GPU\d+|NIC\d+|[a-z]+\d+_?\d*)\s")
_PATH = lazy.pattern(r"(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS|N/A)$")
_GPU = lazy.pattern(r"GPU (\d+): ([^\n(]+?) \(UUID: (GPU-[0-9a-f-]+)\)\s*$")
_LINK = lazy.pattern(r"\s+Link (\d+): (.+?)\s*$")
_MON_HEAD = lazy.pattern(r"# ?(?:Date +Time +)?gpu\s")
_MON_ROW = lazy.pattern(r"\s*(?:\d{8} +\d\d:\d\d:\d\d +)?\d+\s+\S")
_DMON = {
    "sm": "utilization", "pwr": "power_draw", "pclk": "clock_sm", "gtemp": "temperature", "dbecc": "ecc_uncorrected",
}  # fmt: skip
_FAR = 400  # rows under one heading of a monitor; it is repeated every screen


class SmiTopo(Format):
    """The matrix of `nvidia-smi topo -m`, one record: each pair as `GPU0 / GPU1 : SYS`.

    >>> from triage.model import Line
    >>> rows = ["\\tGPU0\\tGPU1\\tCPU Affinity", "GPU0\\t X \\tSYS\\t0-15", "GPU1\\tSYS\\t X \\t16-31"]
    >>> SmiTopo().take([Line(i, row, row) for i, row in enumerate(rows)], 0).text.splitlines()[1]
    'GPU0 / GPU1 : SYS'
    """

    name: ClassVar[str] = "smi-topo"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        if not _TOPO_HEAD.match(lines[at].text) or at + 1 >= len(lines):
            return None
        names = re.findall(r"GPU\d+|NIC\d+|mlx\d+_\d+", lines[at].text)
        texts, end = [lines[at].text], at + 1
        while end < len(lines) and _TOPO_ROW.match(lines[end].text):
            name, *cells = lines[end].text.split()
            paths = [cell for cell in cells if _PATH.match(cell)]
            pairs = [f"{name} / {other} : {path}" for other, path in zip(names, paths, strict=False) if path != "X"]
            texts.append("\n".join(pairs))
            end += 1
        return record(self.name, lines[at:end], texts) if end > at + 1 and texts[1] else None


class SmiLinks(Format):
    """The links of one GPU under its heading (`nvlink -s`, `-e`): one record, each line as `Link 3 : <inactive>`.

        GPU 0: NVIDIA H200 (UUID: GPU-7135b1d3-9a7e-4526-762f-80a0bc7c0b3b)
        \t Link 0: 26.562 GB/s
        \t Link 1: <inactive>

    Fields: `gpu`, `gpu_uuid`, `gpu_model`, `links`, `links_down`, and `link_errors`, the sum of the error counters.
    """

    name: ClassVar[str] = "smi-nvlink"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        who = _GPU.match(lines[at].text)
        if not who:
            return None
        texts, end, full = [lines[at].text], at + 1, at
        values: dict[str, list[str]] = {}
        while end < len(lines) and (_LINK.match(lines[end].text) or not lines[end].text.strip()):
            if link := _LINK.match(lines[end].text):
                full = end
                values.setdefault(link[1], []).append(link[2])
            texts.append(f"Link {link[1]} : {link[2]}" if link else "")
            end += 1
        if not values:
            return None
        errors = [text for own in values.values() for text in own if "rror" in text]
        counts = [smi_readings.number(text.rpartition(": ")[2]) for text in errors]
        fields: dict[str, Value] = {
            "gpu": who[1], "gpu_model": who[2], "gpu_uuid": who[3], "links": len(values),
            "links_down": sum("inactive" in own[0].lower() for own in values.values()),
            "link_errors": sum(one for one in counts if one),
        }  # fmt: skip
        others = _down_elsewhere(lines, at, full, who[2])
        if others:
            fields["links_down_peers"] = min(others)
        return record(self.name, lines[at : full + 1], texts[: full + 1 - at], None, **fields)


def _down_elsewhere(lines: Sequence[Line], at: int, end: int, model: str) -> list[int]:
    """How many links are down on each other GPU of this model in the same listing."""
    low, high = at, end + 1
    while low > 0 and (_GPU.match(lines[low - 1].text) or _LINK.match(lines[low - 1].text) or not lines[low - 1].text):
        low -= 1
    while high < len(lines) and (_GPU.match(lines[high].text) or _LINK.match(lines[high].text) or not lines[high].text):
        high += 1
    found: list[int] = []
    for line in [*lines[low:at], *lines[end + 1 : high]]:
        if who := _GPU.match(line.text):
            found.append(0 if who[2] == model else -1)
        elif found and found[-1] >= 0 and "inactive" in line.text.lower():
            found[-1] += 1
    return [count for count in found if count >= 0]


class SmiMonitor(Format):
    """A row of `nvidia-smi dmon` or `pmon`, one record: `gpu: 0`, `sm: 97` ... by the heading above it.

        # gpu    pwr  gtemp  mtemp     sm    mem
        # Idx      W      C      C      %      %
            0     76     34     33      0      0

    `-` is left out. `dmon` may show fewer GPUs than there are, so a missing one proves nothing.
    """

    name: ClassVar[str] = "smi-monitor"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if _MON_HEAD.match(text):
            return record(self.name, lines[at : at + 1], [text])
        if not _MON_ROW.match(text):
            return None
        columns = self._columns(lines, at)
        cells = re.sub(r"^\s*\d{8} +\d\d:\d\d:\d\d", "", text).split(None, len(columns) - 1 if columns else 0)
        if not columns or len(cells) != len(columns):
            return None
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=True) if cell.strip() != "-"}
        fields: dict[str, Value] = {"gpu": row.get("gpu", "")}
        for name, field in _DMON.items():
            value = smi_readings.number(row.get(name, ""))
            if value is not None and "pid" not in columns:
                fields[field] = value
        if (pid := entities.integer(row.get("pid", ""))) is not None:
            fields.update(pid=pid, process=row.get("command", ""))
        return record(self.name, lines[at : at + 1], ["\n".join(f"{k}: {v}" for k, v in row.items())], None, **fields)

    def _columns(self, lines: Sequence[Line], at: int) -> list[str]:
        for index in range(at - 1, max(-1, at - _FAR), -1):
            text = lines[index].text
            if _MON_HEAD.match(text):
                return re.sub(r"^# ?(?:Date +Time +)?", "", text).split()
            if not (_MON_ROW.match(text) or text.startswith("#")):
                return []
        return []
