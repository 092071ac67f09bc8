"""What a code means inside: bits, registers, parameters and sizes of a matched record, in a few plain sentences.

Each module is a set of pure functions over text and holds the source of its tables in its docstring. A sentence is true
of any input: what a table does not hold is named as unknown with its number, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from triage.decode.phrases import Known, distinct

Reader = Callable[[Sequence[str], Known], list[str]]
MOST = 4  # sentences
# Where a fault is compared with those of other times on the same GPU.
PLACES = frozenset({"xid-13", "xid-31"})
# Where the devices of one incident are compared: what they share may be at fault. Beginnings of ids.
PORTS = ("pcie-aer-", "pcie-dpc-")
_LENGTH = 20_000  # characters of a record that are looked at
_ALL = 500_000  # and of all records of a fault

# The first entry that fits the id of the finding: `name` itself, or the beginning of it where it ends in `*`. The
# readers are `module.function`, loaded when first needed.
READERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("xid-13", ("xid_faults.exception",)),
    ("xid-31", ("xid_faults.page_fault",)),
    ("xid-45", ("xid.removal",)),
    ("xid-48", ("xid_memory.uncorrectable",)),
    ("xid-171", ("xid_memory.uncorrectable",)),
    ("xid-172", ("xid_memory.uncorrectable",)),
    ("xid-63", ("xid_memory.remapped",)),
    ("xid-64*", ("xid_memory.not_remapped",)),
    ("xid-94", ("xid_memory.containment",)),
    ("xid-95", ("xid_memory.containment",)),
    ("xid-69", ("xid.class_error",)),
    ("xid-74", ("nvlink.registers",)),
    ("xid-119", ("xid.rpc",)),
    ("xid-175", ("xid.rpc",)),
    ("xid-120", ("xid.task",)),
    ("xid-154", ("xid.recovery",)),
    ("xid-14*", ("nvlink.explain",)),
    ("xid-150", ("nvlink.explain",)),
    ("sxid-*", ("sxid.explain",)),
    ("win-nvlddmkm-13", ("xid_faults.exception", "xid_faults.page_fault")),
    ("win-nvlddmkm-14", ("xid.recovery",)),
    ("win-bugcheck-*", ("windows.bugcheck",)),
    ("win-livekernel-*", ("windows.bugcheck",)),
    ("win-code-*", ("windows.device",)),
    ("win-pnp-*", ("windows.status",)),
    ("win-whea-*", ("aer.explain", "mce.explain")),
    ("pcie-*", ("aer.explain",)),
    ("ghes-*", ("aer.explain", "mce.explain")),
    ("mce-*", ("mce.explain",)),
    ("edac-*", ("mce.explain",)),
    ("host-oom-kill", ("oom.explain",)),
    ("cgroup-oom-kill", ("oom.explain",)),
    ("cuda-oom*", ("torch_oom.explain",)),
    ("segfault-*", ("segfault.explain",)),
    ("pg-watchdog-timeout", ("watchdog.explain",)),
    ("pg-timeout-at", ("watchdog.explain",)),
    ("mlx5-*", ("mlx5.explain",)),
    ("cuda-driver-too-old", ("cuda.explain",)),
    ("cuda-no-kernel-image", ("cuda.explain",)),
    ("process-killed", ("signals.explain",)),
    ("python-exit", ("signals.explain",)),
    ("srun-task-exit", ("signals.explain",)),
    ("torchrun-*", ("signals.explain",)),
    ("mp-spawn-exit", ("signals.explain",)),
    ("dataloader-exited", ("signals.explain",)),
    ("win-process-crashed", ("signals.explain",)),
)


def readers(finding_id: str) -> tuple[str, ...]:
    """The names of the functions that read a finding."""
    for name, found in READERS:
        if finding_id == name or (name.endswith("*") and finding_id.startswith(name[:-1])):
            return found
    return ()


def explain(finding_id: str, texts: Sequence[str], entities: Known) -> list[str]:
    """At most four short sentences about the codes in the matched records of one fault; often none.

    `texts` are those of all matches, the telling one first: a place that stays the same or changes is a finding too.
    """
    names = readers(finding_id)
    if not names:
        return []
    seen = _affordable(texts)
    found: list[str] = []
    for name in names:
        module, function = name.split(".")
        read: Reader = getattr(import_module(f"triage.decode.{module}"), function)
        found += read(seen, entities)
    found = distinct(found)[:MOST]
    if found and len(seen) < len(texts):
        found = [*found[: MOST - 1], f"Only the first {len(seen)} of {len(texts)} records were decoded."]
    return found


def _affordable(texts: Sequence[str]) -> list[str]:
    """The first records of a storm: enough to see what it is."""
    seen: list[str] = []
    room = _ALL
    for text in texts:
        seen.append(text[:_LENGTH])
        room -= len(seen[-1])
        if room <= 0:
            break
    return seen
