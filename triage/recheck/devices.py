"""Which GPUs a re-check may touch: the chosen one within the visible ones, and none that others work on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from triage import entities
from triage.recheck.expectation import Expectation

Gpus = Sequence[Mapping[str, Any]]
_HELD = 1 << 30  # bytes beyond all listed processes: somebody whom we cannot see


def visible(gpus: Gpus, env: Mapping[str, str] = os.environ) -> Gpus:
    """The GPUs that CUDA_VISIBLE_DEVICES leaves, in its order; all of them where it is not set."""
    setting = env.get("CUDA_VISIBLE_DEVICES")
    if setting is None:
        return gpus
    found = []
    for entry in filter(None, (word.strip() for word in setting.split(","))):
        own = [one for one in gpus if entry == str(one["index"]) or _is(one, entry)]
        if len(own) != 1:
            break  # CUDA stops at the first entry that it cannot use
        found += own
    return found


def _is(gpu: Mapping[str, Any], uuid: str) -> bool:
    return len(uuid) >= 8 and str(gpu.get("uuid", "")).lower().startswith(uuid.lower())


def choose(gpus: Gpus, given: str) -> Mapping[str, Any]:
    """The GPU that a person means by an index, the beginning of a UUID, or a PCI address.

    An index counts the GPUs `gpus`. Raises LookupError that lists what there is.
    """
    address = entities.pci(given)
    for position, one in enumerate(gpus):
        if given == str(position) or _is(one, given) or (address and entities.pci(str(one.get("pci", ""))) == address):
            return one
    there = ", ".join(f"{n} ({one.get('pci')}, {one.get('uuid')})" for n, one in enumerate(gpus)) or "none"
    raise LookupError(f"no visible GPU {given!r}; there are: {there}")


def meant(gpus: Gpus, wanted: Expectation) -> Mapping[str, Any] | None:
    """The GPU that a finding means: by UUID, else PCI address, else the n-th of `gpus`; None when it is none of them.

    The index of a log is that of a process, which counted the GPUs that were visible to it.
    """
    if "gpu_uuid" in wanted:
        return next((one for one in gpus if one.get("uuid") == wanted["gpu_uuid"]), None)
    if "pci" in wanted:
        return next((one for one in gpus if entities.pci(str(one.get("pci", ""))) == wanted["pci"]), None)
    index = wanted.get("gpu", -1)
    return gpus[index] if 0 <= index < len(gpus) else None


def aim(expectation: Expectation, gpu: Mapping[str, Any]) -> Expectation:
    """The expectation, meant for this GPU."""
    return {**expectation, "gpu": gpu["index"], "pci": entities.pci(str(gpu.get("pci", ""))), "gpu_uuid": gpu["uuid"]}


def refusal(gpus: Gpus) -> str:
    """Why no load may be put on these GPUs: who works there. Empty when nobody does."""
    for one in gpus:
        name = one.get("pci") or f"GPU {one.get('index')}"
        if "error" in one:
            return f"{name} cannot be read: {one['error']}"
        own = [process for process in one.get("processes", ()) if process["kind"] == "compute"]
        if own:
            names = ", ".join(f"{p['pid']} ({(p['seen'] or {}).get('name') or 'not seen from here'})" for p in own[:4])
            return f"{name} is in use by pid {names}"
        held = one["memory"]["used"] - sum(process["bytes"] or 0 for process in one["processes"])
        if held > _HELD:
            return f"{held / 2**30:.1f} GiB of {name} are held by somebody who is not listed"
    return ""
