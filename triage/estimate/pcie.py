"""PCIe: what a link carries, how long a transfer or a gradient sum takes over it, whether a measured copy is healthy.

A lane of generation 1 to 5 moves 2.5, 5, 8, 16, 32 GT/s in one direction, coded 8b/10b (1, 2) or 128b/130b (3 to 5); of
generation 6 it moves 64 GT/s in flits of 256 bytes with 236 for packets, which is an approximation here. Sources: PCI
Express Base Specification (6.0 for flits); github.com/stas00/ml-engineering network (per direction, x16: 4.0, 8.0,
15.75, 31.5, 63.0 GB/s; copies reach about 88 %). A ring all-reduce moves 2 (n - 1) / n of the data through every link:
github.com/NVIDIA/nccl-tests doc/PERFORMANCE.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from triage.estimate.quantities import Unsuitable, positive, share, whole

WIDTHS = (1, 2, 4, 8, 12, 16, 32)
HEALTHY = (0.75, 0.90)  # of the negotiated link: copies of pinned memory over a sound link
_LANES = {  # generation: GT/s, share of the bits that is data
    1: (2.5, 8 / 10), 2: (5.0, 8 / 10), 3: (8.0, 128 / 130), 4: (16.0, 128 / 130), 5: (32.0, 128 / 130),
    6: (64.0, 236 / 256),
}  # fmt: skip

ASSUMES = (
    "GB/s are 10^9 bytes each second in ONE direction; cards behind one uplink all move data at once",
    "a ring without overlap with computation; its slowest link sets the pace",
)
SOURCES = (
    "https://github.com/stas00/ml-engineering/tree/master/network",
    "https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md",
)


def known(generation: int) -> None:
    """Raises Unsuitable for a generation that is not in the table."""
    if generation not in _LANES:
        raise Unsuitable("generation", f"must be {min(_LANES)} to {max(_LANES)}")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as negotiated (`lspci -vv`: LnkSta), how much goes over it and how many GPUs sum it.

    `behind` cards share one uplink; `efficiency` is what a copy reaches of the link, `measured_gb_per_s` what one did.
    """

    generation: int
    width: int = 16
    bytes: float | None = None
    gpus: int = 1
    behind: int = 1
    efficiency: float = 0.8
    step_ms: float | None = None
    measured_gb_per_s: float | None = None

    def __post_init__(self) -> None:
        known(self.generation)
        if self.width not in WIDTHS:
            raise Unsuitable("width", f"must be one of {', '.join(map(str, WIDTHS))}: links train to no other width")
        whole(gpus=self.gpus, behind=self.behind)
        share(efficiency=self.efficiency)
        positive(bytes=self.bytes, step_ms=self.step_ms, measured_gb_per_s=self.measured_gb_per_s)


@dataclass(frozen=True, slots=True)
class Flow:
    """What the link does; the times are None where no `bytes` were asked for."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "link_gb_per_s": "GT/s x lanes x coding / 8",
        "each_gb_per_s": "link / cards behind the uplink",
        "transfer_ms": "bytes / (each x efficiency)",
        "ring_factor": "2 (n - 1) / n",
        "allreduce_ms": "ring factor x transfer",
        "measured_percent": "measured / link",
    }
    lane_gt_per_s: float
    link_gb_per_s: float
    healthy_low_gb_per_s: float
    healthy_high_gb_per_s: float
    each_gb_per_s: float
    transfer_ms: float | None
    ring_factor: float | None
    allreduce_ms: float | None
    of_step_percent: float | None
    measured_percent: float | None
    fits: bool | None
    answer: str


def bandwidth(generation: int, width: int) -> float:
    """GB/s (10^9 bytes a second) of a link in one direction, before the overhead of packets."""
    rate, coding = _LANES[generation]
    return rate * width * coding / 8


def _judge(percent: float | None) -> tuple[bool | None, str]:
    if percent is None:
        return None, ""
    low, high = (100 * part for part in HEALTHY)
    if percent > 100:
        return None, f"the measurement is invalid: {percent:.0f} % of what the link can carry"
    if percent < low:
        return False, f"too slow: {percent:.0f} % of the link, healthy copies reach {low:.0f} to {high:.0f} %"
    return True, f"healthy: {percent:.0f} % of the link"


def flow(link: Link) -> Flow:
    """Bandwidth and times of `link`, and the verdict over a measured copy (`fits` is None without one)."""
    raw = bandwidth(link.generation, link.width)
    each = raw / link.behind
    transfer = None if link.bytes is None else link.bytes / (each * 1e9 * link.efficiency) * 1e3
    factor = None if link.gpus == 1 else 2 * (link.gpus - 1) / link.gpus
    ring = None if transfer is None or factor is None else transfer * factor
    longest = ring if ring is not None else transfer
    of_step = None if longest is None or link.step_ms is None else 100 * longest / link.step_ms
    measured = None if link.measured_gb_per_s is None else 100 * link.measured_gb_per_s / raw
    healthy, answer = _judge(measured)
    about = "about " if link.generation > 5 else ""
    parts = [answer or f"{about}{raw:.2f} GB/s in each direction"]
    if longest is not None:
        parts.append(f"{'the ring takes' if ring is not None else 'the transfer takes'} {longest:.1f} ms")
    if of_step is not None:
        parts.append(f"{of_step:.0f} % of a step")
    return Flow(
        _LANES[link.generation][0], raw, raw * HEALTHY[0], raw * HEALTHY[1], each, transfer, factor, ring, of_step,
        measured, healthy, ", ".join(parts),
    )  # fmt: skip
