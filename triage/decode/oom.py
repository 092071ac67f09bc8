"""The report of the Linux out-of-memory killer: victim, its memory, the limit that was hit.

Texts: Linux mm/oom_kill.c and mm/memcontrol.c (5.10 to 6.12); kB are 1024 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.decode.phrases import Known, distinct, size, some

CONSTRAINTS = {
    "CONSTRAINT_NONE": "the whole machine was out of memory, no limit of a container was hit",
    "CONSTRAINT_CPUSET": "the memory nodes that the process may use were full, others may have room",
    "CONSTRAINT_MEMORY_POLICY": "the memory nodes of its NUMA policy were full, others may have room",
    "CONSTRAINT_MEMCG": "the limit of a control group (container or job) was hit, the machine itself may have had room",
}
_VICTIM = lazy.pattern(
    r"Kill(?:ed)? process (\d{1,10}) \(([^\n)]{1,64})\),? (?:UID \d+, )?total-vm:(\d{1,15}) ?kB, "
    r"anon-rss:(\d{1,15}) ?kB, file-rss:(\d{1,15}) ?kB(?:, shmem-rss:(\d{1,15}) ?kB)?"
)
_CONSTRAINT = lazy.pattern(r"constraint=(CONSTRAINT_\w+)")
_USAGE = lazy.pattern(r"\bmemory: usage (\d{1,15})kB, limit (\d{1,15})kB")
_SCORE = lazy.pattern(r"oom_score_adj:(-?\d{1,4})\b")


@dataclass(frozen=True, slots=True)
class Victim:
    """Sizes in bytes. `anonymous` cannot be dropped; `shared` lies in /dev/shm or other shared memory."""

    pid: int
    name: str
    virtual: int
    anonymous: int
    file: int
    shared: int


def victim(text: str) -> Victim | None:
    m = _VICTIM.search(text)
    if not m:
        return None
    virtual, anonymous, file, shared = (1024 * int(m[i] or 0) for i in range(3, 7))
    return Victim(int(m[1]), m[2], virtual, anonymous, file, shared)


def explain(texts: Sequence[str], known: Known) -> list[str]:
    found = []
    victims = {v.pid: v for v in map(victim, texts) if v is not None}
    for one in list(victims.values())[:1]:
        shared = f" and {size(one.shared)} of shared memory" if one.shared >= 1 << 20 else ""
        found.append(f"The victim {one.name} (pid {one.pid}) held {size(one.anonymous)} of its own{shared}.")
        if one.shared > one.anonymous:
            found.append("Most of it is shared memory: data loader workers or /dev/shm, not the heap of the process.")
    if len(victims) > 1:
        names = [f"{v.name} ({v.pid})" for v in victims.values()]
        found.append(f"{len(victims)} processes were killed: {some(names)}.")
    limits = distinct(m[1] for text in texts for m in _CONSTRAINT.finditer(text))
    for name in limits[:1]:
        words = CONSTRAINTS.get(name, "a constraint that the table does not hold")
        found.append(f"{name} means: {words}.")
    usage = next((m for text in texts for m in _USAGE.finditer(text)), None)
    if usage:
        found.append(f"The group used {size(1024 * int(usage[1]))} of its limit of {size(1024 * int(usage[2]))}.")
    score = next((int(m[1]) for text in texts for m in _SCORE.finditer(text)), 0)
    if score <= -900:
        found.append(f"Its score was {score}, almost protected: there was hardly anything else left to kill.")
    return found
