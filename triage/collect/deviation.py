"""Tells when a quantity of a time series leaves its usual range. Pure: samples in, deviations out.

Counters deviate when they rise. Lanes, power limit and presence deviate when they fall below what was seen before.
Temperature, clock and power are compared only among samples under load, with the median of the first of them; the
normal changes when a job starts or ends are no deviation. The bounds are judgement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

# Counter of a sample -> name of the deviation. All names are rows of signatures/watch/watch.yaml.
COUNTERS = {
    "replays": "pcie-replays", "ecc_corrected": "ecc-corrected", "ecc_uncorrected": "ecc-uncorrected",
    "remapped": "remapped-rows", "aer_corrected": "aer-corrected", "aer_nonfatal": "aer-nonfatal",
    "aer_fatal": "aer-fatal",
}  # fmt: skip
_FLOORS = {"link_width": ("pcie-width", " lanes"), "power_limit": ("power-limit", " W")}
# Quantity -> name, unit, direction that is bad, least change: absolute, or as a share of the usual value.
_GAUGES = {
    "temperature": ("temperature", " C", +1, 6.0, 0.0), "clock": ("clock", " MHz", -1, 0.0, 0.10),
    "power": ("power", " W", -1, 0.0, 0.25),
}  # fmt: skip
# nvml.h, nvmlClocksEventReason*
_REASONS = {0x8: "hw-slowdown", 0x20: "sw-thermal-slowdown", 0x40: "hw-thermal-slowdown", 0x80: "hw-power-brake"}
_LOADED = 80  # percent of utilisation from which a sample counts as under load
_BASE = 10  # samples under load that make the usual value
_LASTING = 3  # samples in a row that must be out of range
_MEMORY = 0.05  # of the usual free memory of the host


@dataclass(frozen=True, slots=True)
class Deviation:
    """`what` of `where` (a PCI address, or `host`) is `now`, and was `before`."""

    where: str
    what: str
    now: str
    before: str


@dataclass(slots=True)
class Watcher:
    """Remembers what was usual. Each deviation is told once, until the quantity is usual again."""

    seen: dict[tuple[str, str], Any] = field(default_factory=dict)
    base: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    out: dict[tuple[str, str], int] = field(default_factory=dict)

    def miss(self, reason: str) -> list[Deviation]:
        """The deviation that no sample could be taken, told once until one is taken again."""
        return list(self._once("host", "no-sample", reason, "answered"))

    def take(self, sample: Mapping[str, Any]) -> list[Deviation]:
        """The deviations that this sample shows for the first time."""
        self.out.pop(("host", "no-sample"), None)
        found: list[Deviation] = []
        for gpu in sample.get("gpus", ()):
            found += self._gpu(gpu)
        if (count := self.seen.get(("host", "gpus"))) is not None and len(sample.get("gpus", ())) < count:
            found += self._once("host", "gpu-missing", str(len(sample.get("gpus", ()))), str(count))
        self.seen["host", "gpus"] = max(count or 0, len(sample.get("gpus", ())))
        return found + list(self._host(sample.get("host") or {}))

    def _gpu(self, gpu: Mapping[str, Any]) -> Iterator[Deviation]:
        where = gpu.get("pci") or self.seen.get(("index", str(gpu.get("index"))), f"GPU {gpu.get('index')}")
        self.seen["index", str(gpu.get("index"))] = where
        if "error" in gpu:
            yield from self._once(where, "gpu-unreadable", str(gpu["error"]), "readable")
            return
        for key, name in COUNTERS.items():
            yield from self._rises(where, key, name, gpu.get(key))
        for key, (name, unit) in _FLOORS.items():
            yield from self._falls(where, key, name, unit, gpu.get(key))
        mask = gpu.get("reasons") or 0
        for bit, name in _REASONS.items():
            if mask & bit:
                yield from self._once(where, name, "active", "not active")
            else:
                self.out.pop((where, name), None)
        if (gpu.get("utilization") or 0) >= _LOADED:
            yield from self._falls(where, "link_gen", "pcie-speed", " (generation)", gpu.get("link_gen"))
            for key in _GAUGES:
                yield from self._gauge(where, key, gpu.get(key))

    def _host(self, host: Mapping[str, Any]) -> Iterator[Deviation]:
        yield from self._rises("host", "xids", "xids", host.get("xids"))
        free = host.get("memory_free")
        if free is None:
            return
        most = self.seen["host", "memory_free"] = max(free, self.seen.get(("host", "memory_free"), 0))
        if free < _MEMORY * most:
            yield from self._once("host", "host-memory", f"{free} MiB", f"up to {most} MiB")
        else:
            self.out.pop(("host", "host-memory"), None)

    def _once(self, where: str, what: str, now: str, before: str) -> Iterator[Deviation]:
        if (where, what) not in self.out:
            self.out[where, what] = 1
            yield Deviation(where, what, now, before)

    def _rises(self, where: str, key: str, name: str, value: int | None) -> Iterator[Deviation]:
        before = self.seen.get((where, key))
        if value is None:
            return
        self.seen[where, key] = value
        if before is not None and value > before:
            yield from self._once(where, name, str(value), str(before))

    def _falls(self, where: str, key: str, name: str, unit: str, value: int | None) -> Iterator[Deviation]:
        if value is None:
            return
        most = self.seen[where, key] = max(value, self.seen.get((where, key), 0))
        if value < most:
            yield from self._once(where, name, f"{value}{unit}", f"{most}{unit}")
        else:
            self.out.pop((where, name), None)

    def _gauge(self, where: str, key: str, value: float | None) -> Iterator[Deviation]:
        if value is None:
            return
        name, unit, sign, least, share = _GAUGES[key]
        base = self.base.setdefault((where, key), [])
        if len(base) < _BASE:
            base.append(value)
            return
        usual = median(base)
        spread = median(abs(one - usual) for one in base)
        bound = max(least, share * usual, 6 * spread)
        count = self.out.get((where, name), 0)
        if sign * (value - usual) <= bound:
            self.out.pop((where, name), None)
            return
        self.out[where, name] = count + 1
        if count + 1 == _LASTING:
            yield Deviation(where, name, f"{value:g}{unit}", f"{usual:g}{unit}")
