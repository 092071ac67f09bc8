"""The arithmetic of a PyTorch "CUDA out of memory" message: who holds the memory of the GPU.

Texts: c10/cuda/CUDACachingAllocator.cpp of PyTorch 1.4 to 2.14. Before the allocator gives up it returns every cached
block that is wholly free, so what stays cached lies in pieces of larger blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from triage import entities, lazy
from triage.decode.phrases import Known, size
from triage.estimate import oom

_N = r"([\d.]{1,12}\s(?:[KMGTPE]iB|bytes))"
_ASKED = lazy.pattern(rf"[Tt]ried\s+to\s+allocate\s+{_N}")
_FIELDS = {
    "total": lazy.pattern(rf"total\s+capaci?ty\s+of\s+{_N}|{_N}\s+total\s+capacity"),
    "free": lazy.pattern(rf"of\s+which\s+{_N}\s+is\s+free|{_N}\s+free\b"),
    "own": lazy.pattern(rf"this\s+process\s+has\s+{_N}\s+memory\s+in\s+use"),
    "live": lazy.pattern(rf"{_N}\s+is\s+allocated\s+by\s+PyTorch|{_N}\s+already\s+allocated"),
    "idle": lazy.pattern(rf"{_N}\s+is\s+reserved\s+by\s+PyTorch\s+but\s+unallocated|{_N}\s+cached\b"),
    "reserved": lazy.pattern(rf"{_N}\s+reserved\s+in\s+total\s+by\s+PyTorch"),
    "private": lazy.pattern(rf"with\s+{_N}\s+(?:is\s+)?allocated\s+in\s+private\s+pools"),
    "allowed": lazy.pattern(rf"{_N}\s+allowed"),
}
_OTHER = lazy.pattern(rf"Process\s+\d+\s+has\s+{_N}\s+memory\s+in\s+use")
_NOISE = 64 * 2**20  # rounding of the message, and what the driver keeps


@dataclass(frozen=True, slots=True)
class Sum:
    """Bytes, None where the message does not say. `own` is this process with everything it has on the GPU."""

    asked: float
    total: float | None = None
    free: float | None = None
    own: float | None = None
    live: float | None = None
    idle: float | None = None
    others: float | None = None
    private: float | None = None
    allowed: float | None = None

    @property
    def outside(self) -> float | None:
        """What this process holds beside PyTorch's allocator: CUDA context, libraries, kernels."""
        if self.own is None or self.live is None or self.idle is None:
            return None
        return max(0.0, self.own - self.live - self.idle)


def read(text: str) -> Sum | None:
    """The numbers of the first message in a text. A process listed without a name for itself is this one where the
    device has no room for two."""
    asked = _ASKED.search(text)
    if not asked:
        return None
    part = text[asked.start() : asked.start() + 1200]
    end = _ASKED.search(part, 10)
    part = part[: end.start()] if end else part
    got = {key: _first(regex.search(part)) for key, regex in _FIELDS.items()}
    total, free, own, live, idle = (got[key] for key in ("total", "free", "own", "live", "idle"))
    if idle is None and got["reserved"] is not None and live is not None:
        idle = max(0.0, got["reserved"] - live)
    listed = [size for m in _OTHER.finditer(part) if (size := entities.size(m[1].replace("\n", " "))) is not None]
    known = own is None and total is not None and free is not None and live is not None and idle is not None
    if known and len(listed) == 1 and listed[0] + live + idle > total - free + _NOISE:  # type: ignore[operator]
        own, listed = listed[0], []
    others = sum(listed) if listed else None
    if others is None and own is not None and total is not None and free is not None:
        others = max(0.0, total - free - own)
    request = entities.size(" ".join(asked[1].split())) or 0.0
    return Sum(request, total, free, own, live, idle, others, got["private"], got["allowed"])


def _first(match: object) -> float | None:
    groups = match.groups() if hasattr(match, "groups") else ()
    found = next((g for g in groups if g), None)
    return entities.size(" ".join(found.split())) if found else None


def explain(texts: Sequence[str], known: Known) -> list[str]:
    sums = [one for one in map(read, texts) if one is not None and one.free is not None and one.total is not None]
    if not sums:
        return []
    one = max(sums, key=lambda s: sum(x is not None for x in (s.own, s.live, s.idle, s.others)))
    return [s for s in (_lack(one), _holders(one), _pieces(one), _room(one)) if s]


def _lack(one: Sum) -> str:
    if one.free is None or one.total is None:
        return ""
    if one.allowed is not None and one.allowed < one.total - _NOISE:
        return f"The process may use {size(one.allowed)} of {size(one.total)}; that limit counts, not the free memory."
    if one.asked > one.total:
        return f"It asked for {size(one.asked)}, more than the whole GPU has ({size(one.total)})."
    text = f"It asked for {size(one.asked)}; {size(one.free)} of {size(one.total)} are free"
    if one.free >= one.asked:
        return f"{text}: enough in sum, and the message does not say why it failed all the same."
    return f"{text}, {size(one.asked - one.free)} too little."


def _holders(one: Sum) -> str:
    parts = []
    if one.live is not None:
        parts.append(f"{size(one.live)} in live tensors of this process")
    if one.idle:
        parts.append(f"{size(one.idle)} cached by it without use")
    if one.outside is not None and one.outside >= _NOISE:
        parts.append(f"{size(one.outside)} of it outside PyTorch (CUDA context, libraries)")
    if one.others is not None and one.others >= _NOISE:
        parts.append(f"{size(one.others)} by other processes or the driver")
    elif one.others is None and None not in (one.total, one.free, one.live, one.idle):
        rest = one.total - one.free - one.live - one.idle  # type: ignore[operator]
        if rest >= _NOISE:
            parts.append(f"{size(rest)} by its CUDA context and libraries or by other processes (not told apart)")
    return f"Held: {'; '.join(parts)}." if parts else ""


def _pieces(one: Sum) -> str:
    if one.idle is None or one.free is None or one.asked > one.free + one.idle or one.free >= one.asked:
        return ""
    return (
        "Free and cached memory together would be enough, but the cached part could not serve the request "
        "(pieces of larger blocks, or another pool)."
    )


def _room(one: Sum) -> str:
    """What would have fitted; nothing where the card has no room for the request at all, or room enough."""
    if one.free is None or one.live is None or not one.total or not one.asked:
        return ""
    found = oom.room(oom.Failure(one.asked, one.free, one.total, one.live, one.idle or 0.0, one.allowed or None))
    if found.batch_percent is None:
        return ""
    text = f"If the batch is what grew, at most {math.floor(found.batch_percent)} % of it would have fitted"
    if found.loading_bytes is None:
        return f"{text}."
    return f"{text}; weights of at most {size(found.loading_bytes)} (max_memory) leave room for this request."
