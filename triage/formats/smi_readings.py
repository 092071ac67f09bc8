"""What one GPU says in a dump, as numbers that conditions can compare, whatever the form of the dump was.

Every form (table, `-q`, XML, CSV) is brought to the same paths (`Remapped Rows / Pending : Yes`) and, where
signatures must compare two values, to the same fields (`link_width < link_width_max`). Sizes are in MiB, power in W,
clocks in MHz.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triage import lazy
from triage.model import Value

# The last two names of a path (without a leading `GPU `) -> field. Old and new names of a section stand side by side.
_NUMBERS = {
    "FB Memory Usage / Used": "memory_used", "FB Memory Usage / Total": "memory_total",
    "BAR1 Memory Usage / Used": "bar1_used", "BAR1 Memory Usage / Total": "bar1_total",
    "Utilization / Gpu": "utilization", "Utilization / GPU": "utilization",
    "Power Readings / Power Draw": "power_draw", "Power Readings / Instantaneous Power Draw": "power_draw",
    "Power Readings / Average Power Draw": "power_draw",
    "Power Readings / Enforced Power Limit": "power_limit", "Power Readings / Current Power Limit": "power_limit",
    "Power Readings / Power Limit": "power_limit", "Power Readings / Default Power Limit": "power_default",
    "Clocks / SM": "clock_sm", "Clocks / Graphics": "clock_sm",
    "Max Clocks / SM": "clock_sm_max", "Max Clocks / Graphics": "clock_sm_max",
    "Applications Clocks / Graphics": "clock_app",
    "PCIe Generation / Current": "link_gen", "PCIe Generation / Max": "link_gen_max",
    "Link Width / Current": "link_width", "Link Width / Max": "link_width_max",
    "Temperature / GPU Current Temp": "temperature",
}  # fmt: skip
_TEXTS = {
    "Performance State": "pstate", "Driver Model / Current": "driver_model", "MIG Mode / Current": "mig",
    "MIG Mode / Pending": "mig_pending", "Compute Mode": "compute_mode",
}  # fmt: skip
_ABSENT = ("", "N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Insufficient Permissions]")
BROKEN = ("ERR!", "Unknown Error", "[Unknown Error]", "GPU is lost", "[GPU is lost]")
_NUMBER = lazy.pattern(r"-?\d+(?:\.\d+)?")


def number(text: str) -> float | None:
    """The number at the start of a cell (`14873MiB`, `16x`, `97 %`), or None."""
    found = _NUMBER.match(text.strip())
    return float(found[0]) if found else None


def readings(paths: Iterable[str]) -> dict[str, Value]:
    """The fields of one GPU out of its flattened lines; what is absent or not readable is left out.

    `errors` counts cells that could not be read, `processes` the listed processes (0 only where the dump says `None`),
    `processes_memory` what these hold when all of them tell.
    """
    found: dict[str, Value] = {}
    held: list[float | None] = []
    errors = 0
    for path in paths:
        names, _, value = path.partition(" : ")
        parts = names.split(" / ")
        last = " / ".join(parts[-2:])
        errors += value in BROKEN
        if last.endswith(("Processes / Process ID", "Process ID / Used GPU Memory")):
            if last.startswith("Process ID"):
                held[-1:] = [number(value)]
            else:
                held.append(None)
        elif last.endswith("Processes") and value == "None":
            found["processes"] = 0
        elif value in _ABSENT:
            continue
        elif field := _NUMBERS.get(last.removeprefix("GPU ")):
            size = number(value)
            before = found.get(field)
            if size is not None and (before is None or (field == "power_limit" and size < float(before))):
                found[field] = size  # of the wanted and the enforced power limit the lower one counts
        elif text := _TEXTS.get(last) or _TEXTS.get(parts[-1]):
            found.setdefault(text, value)
    if held:
        found["processes"] = len(held)
        if all(one is not None for one in held):
            found["processes_memory"] = sum(one for one in held if one is not None)
    if errors:
        found["errors"] = errors
    return found


def peers(own: Mapping[str, Value], others: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """What the GPUs of the same model and memory in this dump have: `link_width_peers`, `power_limit_peers`.

    It is the value of more than half of them; of a pair it is the greater one. Where cards differ half and half (slots
    that are wired so), nothing is said.
    """
    alike = [
        one for one in others
        if one.get("gpu_model") == own.get("gpu_model") and one.get("memory_total") == own.get("memory_total")
    ]  # fmt: skip
    found: dict[str, Value] = {}
    for field in ("link_width", "power_limit"):
        values = [float(one[field]) for one in alike if field in one]
        usual = [value for value in set(values) if values.count(value) * 2 > len(values)]
        if len(values) == 2 or (usual and len(values) > 2):
            found[f"{field}_peers"] = max(values) if len(values) == 2 else usual[0]
    return found
