"""What PyTorch's watchdog prints of a collective that did not end: which one, how much data, how far the rank came.

Texts: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp of PyTorch 2.0 to 2.14: `WorkNCCL(SeqNum=..., OpType=...)`, in
old releases with `TensorShape` in place of `NumelIn`, and the line with the last enqueued and completed work.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, capital, counted

OPERATIONS = {
    "ALLREDUCE": "an all-reduce", "ALLREDUCE_COALESCED": "a group of all-reduces", "BROADCAST": "a broadcast",
    "_BROADCAST_OOP": "a broadcast", "REDUCE": "a reduce", "_REDUCE_OOP": "a reduce", "ALLGATHER": "an all-gather",
    "_ALLGATHER_BASE": "an all-gather", "ALLGATHER_COALESCED": "a group of all-gathers", "GATHER": "a gather",
    "REDUCE_SCATTER": "a reduce-scatter", "_REDUCE_SCATTER_BASE": "a reduce-scatter", "SCATTER": "a scatter",
    "ALLTOALL": "an all-to-all", "ALLTOALL_BASE": "an all-to-all", "SEND": "a send", "RECV": "a receive",
    "BARRIER": "a barrier", "COALESCED": "a group of operations",
}  # fmt: skip
_WORK = lazy.pattern(
    r"WorkNCCL\((?:SeqNum=(\d{1,12}), )?OpType=(\w{1,40})(?:, NumelIn=(\d{1,18}), NumelOut=\d{1,18})?"
    r"[^\n)]{0,200}Timeout\(ms\)=(\d{1,12})\) ran for (\d{1,12}) milliseconds"
)
_STATE = lazy.pattern(
    r"last enqueued (?:NCCL )?work: (-?\d{1,12}), last completed (?:NCCL )?work: (-?\d{1,12})"
)  # fmt: skip
_UNITS = ((3_600_000, "hour"), (60_000, "minute"), (1000, "second"))


def lasting(milliseconds: int) -> str:
    """`10 minutes`, `25 seconds`, `90 seconds`, `40 ms`: the largest unit that leaves no rest, else seconds."""
    for size, name in _UNITS:
        if milliseconds >= size and milliseconds % size == 0:
            return counted(milliseconds // size, name)
    return f"{milliseconds / 1000:.0f} seconds" if milliseconds >= 1000 else f"{milliseconds} ms"


def explain(texts: Sequence[str], known: Known) -> list[str]:
    found = []
    if work := next(filter(None, map(_WORK.search, texts)), None):
        found.append(_work(*work.groups()))
        if work[3] == "1":
            found.append("It carries a single value (a barrier or a flag): the amount of data does not take the time.")
    if state := next(filter(None, map(_STATE.search, texts)), None):
        found.append(_state(int(state[1]), int(state[2])))
    return found


def _work(number: str | None, operation: str, values: str | None, limit: str, ran: str) -> str:
    name = OPERATIONS.get(operation, f"the operation {operation} (not in the table)")
    size = f" of {int(values):,} values" if values and int(values) > 1 else ""
    which = f", number {number} of its process group," if number else ""
    waited = lasting(round(int(ran), -3)) if int(ran) >= 1000 else lasting(int(ran))
    return f"{capital(name)}{size}{which} was given {lasting(int(limit))} and had run for {waited}."


def _state(enqueued: int, completed: int) -> str:
    if completed < 0 or enqueued < completed:
        return f"This rank had started work up to number {enqueued} and completed none of it."
    left = enqueued - completed
    if left == 0:
        return f"This rank had completed all the work that it had started, up to number {completed}: it waits for none."
    waits = "one waits" if left == 1 else f"{left} wait"
    return f"This rank had completed number {completed} and started number {enqueued}: {waits}."
