"""Runs the probes of a diagnosis, one after another, and tells what each says."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from triage.model import Finding, Report
from triage.recheck import devices, expectation, runner
from triage.recheck.child import Limits
from triage.recheck.expectation import Expectation
from triage.recheck.judging import Result, judge_run, select
from triage.recheck.registry import Probe, probes

_NOWHERE = {"localhost", "127", "unknown", "none", ""}  # names that every machine gives itself
_SHARE = 0.8  # of the free memory of a GPU, the most that is taken without --force


@dataclass(slots=True)
class Settings:
    """`python` runs the probes. `stress` allows load and allocation, `force` that also where others work."""

    python: str
    stress: bool = False
    force: bool = False
    gpu: str | None = None
    progress: Callable[[str], None] = field(default=lambda name: None)


class Machine:
    """This machine as the re-check sees it: its GPUs, read once, when first needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._gpus: devices.Gpus | None = None
        self.unknown = ""

    def gpus(self) -> devices.Gpus:
        """The visible GPUs with their processes; none, with a reason in `unknown`, where they cannot be read."""
        if self._gpus is None:
            done = _run(probes()["memory-holders"], {}, self.settings, {})
            self._gpus, self.unknown = (done.reading or {}).get("gpus", []), done.reason
        found = devices.visible(self._gpus)
        if self._gpus and not found:
            self.unknown = f"CUDA_VISIBLE_DEVICES={os.environ.get('CUDA_VISIBLE_DEVICES')!r} names no whole GPU"
        return found


def check(
    names: Iterable[str], wanted: Expectation, settings: Settings, machine: Machine | None = None
) -> list[Result]:
    """The result of each probe. Raises LookupError for a GPU (`settings.gpu`) that is not there."""
    machine = machine or Machine(settings)
    if settings.gpu is not None:
        wanted = devices.aim(wanted, devices.choose(machine.gpus(), settings.gpu))
    elif {"gpu", "pci", "gpu_uuid"} & set(wanted) and (one := devices.meant(machine.gpus(), wanted)):
        wanted = devices.aim(wanted, one)  # a probe under PyTorch knows it by its UUID alone
    return [_check(probes()[name], wanted, settings, machine) for name in names]


def _check(probe: Probe, wanted: Expectation, settings: Settings, machine: Machine) -> Result:
    settings.progress(probe.name)
    loaded, why, env = settings.stress and probe.load != "none", "", {}
    if probe.together and settings.gpu is None:
        wanted = {name: value for name, value in wanted.items() if name not in ("gpu", "pci", "gpu_uuid")}
    if loaded:
        meant = select(machine.gpus(), wanted) or machine.gpus()
        why = "" if settings.force else devices.refusal(meant) or (machine.unknown if _has_driver() else "")
        loaded = not why
        if len(meant) < len(machine.gpus()) or settings.gpu is not None:
            env["CUDA_VISIBLE_DEVICES"] = ",".join(str(one["uuid"]) for one in meant)
    if probe.load == "needed" and not loaded:
        text = f"refused: {why}; --force runs it nevertheless" if why else "it puts load on the GPU: --stress runs it"
        return Result(probe.name, "inconclusive", text)
    told = {**wanted, "stress": loaded, "share": 1.0 if settings.force else _SHARE}
    result = judge_run(probe, _run(probe, told, settings, env), told)
    if why:
        result.detail += f"; without load: {why} (--force)"
    return result


def _has_driver() -> bool:
    """Whether there may be a GPU here at all. Where there is none, the probes say so themselves."""
    return os.name == "nt" or any(map(os.path.exists, ("/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg")))


def _run(probe: Probe, told: Mapping[str, object], settings: Settings, env: Mapping[str, str]) -> runner.Run:
    limits = Limits(probe.seconds, int(probe.memory_gib * 2**30))
    return runner.run(probe.path, told, settings.python, limits, env)


def live(report: Report, settings: Settings) -> None:
    """Re-checks the causes of a report on this machine and writes the outcomes into it."""
    machine = Machine(settings)
    for found in report.findings:
        if found.role not in ("cause", "unknown") or not found.recheck:
            continue
        wanted = expectation.from_finding(found)
        names = [str(entry["probe"]) for entry in found.recheck]
        if elsewhere := _elsewhere(found, machine):
            results = [Result(name, "not-applicable", elsewhere) for name in names]
        else:
            results = check(names, wanted, settings, machine)
        found.recheck = [
            {"probe": r.probe, "outcome": r.outcome, "detail": r.detail, "seconds": r.seconds} for r in results
        ]


def _elsewhere(found: Finding, machine: Machine) -> str:
    """Why the finding is of another machine, or nothing: it names a host that is not this one, and no GPU of ours."""
    host = found.entities.get("host")
    names = {_short(name) for name in (socket.gethostname(), os.environ.get("NODE_NAME", "")) if name}
    if not isinstance(host, str) or _short(host) in names | _NOWHERE:
        return ""
    if any(one.get("uuid") == found.entities.get("gpu_uuid") for one in machine.gpus()):
        return ""
    here = socket.gethostname()
    return f"the log is of host {host}, this is {here}; `triage recheck {found.id}` checks here nevertheless"


def _short(host: str) -> str:
    return host.lower().split(".")[0]


def names_of(given: str | None, recheck: Mapping[str, Sequence[str]], stress: bool = False) -> list[str]:
    """The probes of a probe's name or of an id; without a name all that can run with or without `stress`.

    `recheck` maps ids to the probes they name. Raises LookupError for a name that is neither.
    """
    if given is None:
        return [one.name for one in probes().values() if stress or one.load != "needed"]
    if given in probes():
        return [given]
    if given in recheck:
        return list(recheck[given])
    raise LookupError(given)
