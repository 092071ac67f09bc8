"""What a vendor's support asks for: which part, what happened to it, what proves it, its counters, its history."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from triage import entities, formats
from triage.sources import open_inputs

# What names the part, in the order of a ticket: the end of a path of `nvidia-smi -q` -> label.
PART = {
    "Product Name": "Product", "Serial Number": "Serial number", "GPU UUID": "UUID", "VBIOS Version": "VBIOS",
    "Board Part Number": "Board part number", "GPU Part Number": "GPU part number",
    "FRU Part Number": "FRU part number", "Inforom Version / Image Version": "InfoROM image",
    "GSP Firmware Version": "GSP firmware",
}  # fmt: skip
_COUNTED = (
    "ECC Errors / ", "Remapped Rows / ", "Retired Pages / ", "GPU Recovery Action", "GPU Reset Status / ",
    "Replays Since Reset", "Replay Number Rollovers", "ECC Mode / Current",
)  # fmt: skip
_ABSENT = ("N/A", "[N/A]", "")
_STATED = ("GPU Recovery Action", "ECC Mode / Current")  # told also when nothing is wrong


@dataclass(slots=True)
class Ticket:
    """`part` and `counters` come from `nvidia-smi -q` and are empty where no input holds it; `asks` says what to add.

    `cause`, `history` and `versions` come from the report.
    """

    summary: str
    cause: Mapping[str, Any] | None
    pci: str = ""
    part: dict[str, str] = field(default_factory=dict)
    counters: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    history: list[Mapping[str, Any]] = field(default_factory=list)
    others: list[Mapping[str, Any]] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)


def load(paths: Sequence[str]) -> tuple[dict[str, Any] | None, list[str]]:
    """The report among the inputs (JSON of `triage analyze`), and the other inputs."""
    report, rest = None, []
    for path in paths:
        data = _report(path)
        if data is not None and report is None:
            report = data
        else:
            rest.append(path)
    return report, rest


def _report(path: str) -> dict[str, Any] | None:
    try:
        with Path(path).open("rb") as file:
            if file.read(1) != b"{":
                return None
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "schema_version" in data and "findings" in data else None


def inventory(paths: Sequence[str]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Of each GPU (by PCI address) what `nvidia-smi -q` in these inputs says, and the versions of the machine."""
    gpus: dict[str, dict[str, str]] = {}
    versions: dict[str, str] = {}
    for text in _dumps(paths):
        name, colon, value = text.partition(" : ")
        if not colon:
            continue
        where, _, path = name.partition(" / ")
        pci = entities.pci(where.removeprefix("GPU ").strip()) if where.startswith("GPU ") else None
        if pci:
            gpus.setdefault(pci, {})[path] = value.strip()
        elif name in ("Driver Version", "CUDA Version"):
            versions[name] = value.strip()
    return gpus, versions


def _dumps(paths: Sequence[str]) -> Iterator[str]:
    """The lines of all dumps of `nvidia-smi -q`, each with its whole path."""
    for source in open_inputs(paths):
        for block in source.blocks() if source.readable else ():
            for record in formats.read(block.lines(0, block.count), source.name):
                if record.format == "smi-query":
                    yield from record.text.split("\n")


def ticket(
    report: Mapping[str, Any], gpus: Mapping[str, Mapping[str, str]], versions: Mapping[str, str], gpu: str = ""
) -> Ticket:
    """The ticket for the root cause and its GPU; with `gpu` (a PCI address or UUID) for the first fault of that one.

    Raises LookupError when no fault of that GPU is in the report.
    """
    findings = list(report["findings"])
    faults = [one for one in (*findings, *report.get("earlier", ())) if one["role"] != "context"]
    if gpu:
        named, faults = faults, [one for one in faults if _is(one, gpu, gpus)]
        if not faults:
            known = dict.fromkeys(str(one["entities"]["pci"]) for one in named if "pci" in one["entities"])
            raise LookupError(f"no fault of GPU {gpu}; GPUs with faults: {', '.join(known) or 'none'}")
    if not faults:
        made = Ticket(report["summary"], None, versions=dict(versions))
        made.asks.append("no fault was found in the inputs: say what was observed")
        return made
    cause = faults[0]
    made = Ticket(cause["title"] if gpu else report["summary"], cause, versions=dict(versions))
    made.pci = _address(cause, findings, gpus)
    own = gpus.get(made.pci, {})
    made.part = {label: own[name] for name, label in PART.items() if own.get(name, "") not in _ABSENT}
    made.counters = {name: value for name, value in own.items() if _counts(name, value)}
    others = [one for one in faults[1:] if made.pci and one["entities"].get("pci") == made.pci]
    made.history = [one for one in others if one not in findings]
    made.others = [one for one in others if one in findings]
    if made.pci and not own:
        made.asks.append(f"serial number, VBIOS and counters: nvidia-smi -q -i {made.pci}")
    if not made.pci:
        made.asks.append("the GPU: no input names its PCI address or UUID")
    if cause.get("recheck") and not any(check.get("outcome") for check in cause["recheck"]):
        made.asks.append(f"whether it is still so: triage recheck {cause['id']}")
    return made


def _is(one: Mapping[str, Any], gpu: str, gpus: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a finding is of the GPU that a person named."""
    pci = entities.pci(gpu) or next((at for at, own in gpus.items() if own.get("GPU UUID") == gpu), "")
    known = one["entities"]
    return known.get("gpu_uuid") == gpu or (bool(pci) and known.get("pci") == pci)


def _address(
    cause: Mapping[str, Any], findings: Sequence[Mapping[str, Any]], gpus: Mapping[str, Mapping[str, str]]
) -> str:
    """The PCI address of the cause: its own, else that of its UUID, else the one that its effects agree on."""
    known = cause["entities"]
    if isinstance(known.get("pci"), str):
        return str(known["pci"])
    uuid = known.get("gpu_uuid")
    for pci, own in gpus.items():
        if uuid and own.get("GPU UUID") == uuid:
            return pci
    told = {one["entities"].get("pci") for one in findings if one["id"] in cause.get("explains", ())} - {None}
    only = told.pop() if len(told) == 1 else None
    return only if isinstance(only, str) else ""


def _counts(name: str, value: str) -> bool:
    if value in _ABSENT or name.endswith(" / Max") or not any(part in name for part in _COUNTED):
        return False
    return name in _STATED or value.split(" ")[0] not in ("0", "No", "None")
