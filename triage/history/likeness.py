"""What two reports have in common: the cause, the device, the kinds of lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any


def device_of(finding: Mapping[str, Any]) -> str:
    """What names the GPU of a finding for ever, else on its host; empty where the log named none."""
    uuid = one(finding, "gpu_uuid")
    host, pci = one(finding, "host"), one(finding, "pci")
    return uuid or (f"{host} {pci}" if host and pci else "")


def kinds_of(report: Mapping[str, Any]) -> set[str]:
    """What a report is about, for comparison: its findings and the kinds of lines that nothing explains."""
    found = {f"finding {f['id']}" for f in report["findings"] if f["role"] != "context"}
    return found | {f"line {digest(u['template'])[:16]}" for u in report["unexplained"]}


def root(report: Mapping[str, Any]) -> Mapping[str, Any]:
    first: Mapping[str, Any] = next(iter(report["findings"]), {})
    return first if first.get("role") in ("cause", "unknown") else {}


def one(finding: Mapping[str, Any], key: str) -> str:
    value = finding.get("entities", {}).get(key, "")
    return str(value) if not isinstance(value, list) else ""


def overlap(own: set[str], other: set[str]) -> float:
    return len(own & other) / len(own | other) if own | other else 0.0


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
