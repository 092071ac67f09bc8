"""What the matrix of `nvidia-smi topo -m` means for a job: near groups, the slowest hop, which CPUs belong to a GPU.

Paths from near to far: NV# (NVLink), PIX (one PCIe switch), PXB (several), PHB (host bridge of one CPU), NODE (bridges
inside one NUMA node), SYS (across sockets). Source: nvidia-smi(1), legend of `topo`; NCCL src/include/graph.h.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from triage import lazy
from triage.estimate.quantities import Unsuitable
from triage.formats.smi_lists import SmiTopo
from triage.model import Line, Source

ORDER = ("NV", "PIX", "PXB", "PHB", "NODE", "SYS")
ASSUMES = ("the matrix is of the machine that runs the job, with all its GPUs visible",)
SOURCES = ("https://docs.nvidia.com/deploy/nvidia-smi/index.html",)
_HEAD = lazy.pattern(r"\s*GPU0\s")
_PAIR = lazy.pattern(r"GPU(\d+) / GPU(\d+) : (NV\d+|PIX|PXB|PHB|NODE|SYS)$", re.MULTILINE)
_ROW = lazy.pattern(r"GPU(\d+)\s")
_CPUS = lazy.pattern(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")
_PATH = lazy.pattern(r"X|NV\d+|PIX|PXB|PHB|NODE|SYS")


@dataclass(frozen=True, slots=True)
class File:
    """Where the matrix comes from."""

    file: str


@dataclass(frozen=True, slots=True)
class Affinity:
    """The CPUs and the NUMA node near a GPU, as the matrix gives them; empty where it does not."""

    gpu: int
    cpus: str
    numa: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """The nearest path of each pair of GPUs (smaller number first), and what is near each."""

    paths: dict[tuple[int, int], str]
    affinity: tuple[Affinity, ...]

    @property
    def gpus(self) -> list[int]:
        """The numbers of all GPUs of the matrix."""
        return sorted({gpu for pair in self.paths for gpu in pair})


@dataclass(frozen=True, slots=True)
class Reach:
    """`slowest_hop` is one that a ring over all GPUs cannot avoid; each of `groups` manages without it."""

    FORMULAS: ClassVar[dict[str, str]] = {"slowest_hop": "a ring over all GPUs cannot avoid it"}
    gpus: int
    nearest: str
    farthest: str
    slowest_hop: str
    counts: str
    groups: str
    answer: str
    affinity: tuple[Affinity, ...]


def read(sources: Iterable[Source]) -> Matrix:
    """The first matrix in the sources, whatever stands around it. Raises Unsuitable if there is none."""
    for source in sources:
        for block in source.blocks() if source.readable else ():
            found = _find(block.lines(0, block.count))
            if found is not None:
                return found
    raise Unsuitable("matrix", "holds no matrix of several GPUs: give the output of `nvidia-smi topo -m`")


def _find(lines: Sequence[Line]) -> Matrix | None:
    for at, line in enumerate(lines):
        record = SmiTopo().take(lines, at) if _HEAD.match(line.text) else None
        if record is None:
            continue
        found = {(int(a), int(b)): path for a, b, path in _PAIR.findall(record.text) if int(a) < int(b)}
        if found:
            return Matrix(found, tuple(_affinities(line.text for line in record.lines)))
    return None


def _affinities(rows: Iterable[str]) -> Iterable[Affinity]:
    for row in rows:
        head = _ROW.match(row)
        cells = row.split()[1:]
        while cells and _PATH.fullmatch(cells[0]):
            cells.pop(0)
        if head and len(cells) >= 1:
            cpus = cells[0] if _CPUS.fullmatch(cells[0]) else ""
            numa = cells[1] if len(cells) > 1 and _CPUS.fullmatch(cells[1]) else ""
            yield Affinity(int(head[1]), cpus, numa)


def rank(path: str) -> int:
    """The place of a path in the order from near to far."""
    return ORDER.index("NV" if path.startswith("NV") else path)


def groups(matrix: Matrix, farthest: int) -> list[list[int]]:
    """The GPUs that reach each other over hops of at most that rank."""
    left, found = matrix.gpus, []
    while left:
        group, edge = [], [left[0]]
        while edge:
            gpu = edge.pop()
            group.append(gpu)
            left.remove(gpu)
            edge += [o for o in left if o not in edge and rank(_path(matrix, gpu, o)) <= farthest]
        found.append(sorted(group))
    return found


def _path(matrix: Matrix, a: int, b: int) -> str:
    return matrix.paths.get((min(a, b), max(a, b)), "SYS")


def _listed(found: Sequence[Sequence[int]]) -> str:
    return " | ".join(",".join(map(str, group)) for group in found)


def reach(matrix: Matrix) -> Reach:
    """What the paths mean for a job over all GPUs."""
    ranks = sorted({rank(path) for path in matrix.paths.values()})
    slowest = next(one for one in ranks if len(groups(matrix, one)) == 1)
    counts = Counter(matrix.paths.values())
    names = sorted(counts, key=rank)
    inner = [one for one in ranks if one < slowest]
    near = groups(matrix, inner[-1]) if inner else [matrix.gpus]
    if slowest == rank("SYS"):
        answer = "a job over all GPUs crosses the sockets; keep what talks most inside one group"
    elif slowest == rank("NV"):
        answer = "all GPUs reach each other over NVLink"
    else:
        answer = f"all GPUs reach each other inside one socket, over {ORDER[slowest]} at worst"
    return Reach(
        len(matrix.gpus), names[0], names[-1], ORDER[slowest], ", ".join(f"{counts[n]} x {n}" for n in names),
        _listed(near), answer, matrix.affinity,
    )  # fmt: skip
