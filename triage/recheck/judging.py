"""From a run of a probe to an outcome. Pure: recorded readings are judged the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from triage import entities
from triage.recheck.registry import Probe
from triage.recheck.runner import Run

Outcome = Literal["confirmed", "refuted", "inconclusive", "not-applicable"]


@dataclass(slots=True)
class Result:
    """What a probe says about the diagnosis.

    `confirmed`: the fault is there, or was provoked again; `refuted`: it was looked for where it would show, and is
    not there; `inconclusive`: not run to an end, or the reading fits both; `not-applicable`: there is nothing to
    measure here. `warning` marks a confirmed fault that does not stop work.
    """

    probe: str
    outcome: Outcome
    detail: str
    seconds: float = 0.0
    warning: bool = False
    reading: dict[str, Any] | None = field(default=None, repr=False)


def judge(probe: Probe, reading: Mapping[str, Any], expectation: Mapping[str, Any]) -> Result:
    """The outcome of a reading. `expectation` holds the diagnosis (`id`) and the values of the finding."""
    for key, outcome in (("absent", "not-applicable"), ("refused", "inconclusive")):
        if reading.get(key):
            return Result(probe.name, outcome, str(reading[key]), reading=dict(reading))  # type: ignore[arg-type]
    chosen = dict(reading)
    mute = ""
    if "gpus" in reading and "gpu" not in probe.wants:
        if not reading["gpus"]:
            return Result(probe.name, "not-applicable", "no GPU was found to be read", reading=dict(reading))
        meant = select(reading["gpus"], expectation)
        chosen["gpus"] = [one for one in meant if "error" not in one]
        mute = "; ".join(f"GPU {one.get('pci') or one.get('index')}: {one['error']}" for one in meant if "error" in one)
        if not chosen["gpus"]:
            text = mute or f"{_name(expectation)} is not among the GPUs that were read"
            return Result(probe.name, "inconclusive", text, reading=dict(reading))
    said = probe.module().judge(chosen, dict(expectation))
    detail = "; ".join(filter(None, (said["detail"], mute)))
    return Result(probe.name, said["outcome"], detail, warning=bool(said.get("warning")), reading=dict(reading))


def judge_run(probe: Probe, run: Run, expectation: Mapping[str, Any]) -> Result:
    """The outcome of a run. One without a reading, or with a reading that cannot be judged, is inconclusive."""
    if run.reading is None:
        result = Result(probe.name, "not-applicable" if run.absent else "inconclusive", run.reason)
    else:
        try:
            result = judge(probe, run.reading, expectation)
        except Exception as error:  # what a broken probe printed may be anything
            text = f"the reading cannot be judged: {type(error).__name__}: {error}"
            result = Result(probe.name, "inconclusive", text, reading=run.reading)
    result.seconds = round(run.seconds, 3)
    return result


def select(gpus: Sequence[Mapping[str, Any]], expectation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The GPUs that the expectation means: by UUID, else PCI address, else index, else all.

    The index of a log is that of a process, which may have seen only some of the GPUs; it is the last resort.
    """
    if uuid := expectation.get("gpu_uuid"):
        return [one for one in gpus if str(one.get("uuid", "")).removeprefix("GPU-").startswith(uuid[4:])]
    if pci := expectation.get("pci"):
        return [one for one in gpus if entities.pci(str(one.get("pci", ""))) == pci]
    if (index := expectation.get("gpu")) is not None:
        return [one for one in gpus if one.get("index") == index]
    return list(gpus)


def _name(expectation: Mapping[str, Any]) -> str:
    shown = next((f"{key} {expectation[key]}" for key in ("gpu_uuid", "pci", "gpu") if key in expectation), "no GPU")
    return shown.replace("_", " ").replace("gpu uuid", "GPU").replace("pci", "the GPU at")
