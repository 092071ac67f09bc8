"""Whether a link of the causal table joins two findings: by device, rank, host, process, record or time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from triage.identity import values
from triage.incidents import Group
from triage.library.library import Link
from triage.model import Value
from triage.timing import timely

STRENGTHS = {"sure": 3, "usual": 2, "possible": 1}


def holds(link: Link, cause: Group, effect: Group, one_namespace: bool = False) -> str:
    """The strength with which `link` joins the two, or an empty string.

    `one_namespace`: pids of kernel and job can be compared, so that different ones contradict.
    """
    if one_namespace and "pid" in str(link.join) and _joins("pid", cause, effect, None) is False:
        return ""
    in_time = timely(link, cause, effect)
    if in_time is False:
        return ""
    agreed: list[str] = []
    for key in link.join:
        if isinstance(key, dict):
            options = [_all(option, cause, effect, in_time) for option in key.get("any", [])]
            good = [o for o in options if o is not None]
            if not good:
                return ""
            agreed += sorted(good, key=len)[-1]
        else:
            verdict = _joins(key, cause, effect, in_time)
            if verdict is False:
                return ""
            agreed += [key] if verdict else []
    if isinstance(link.strength, dict):
        known = [link.strength[k] for k in agreed if k in link.strength]
        weakest = min(link.strength.values(), key=STRENGTHS.__getitem__)
        return max(known, key=STRENGTHS.__getitem__) if known else str(weakest)
    return str(link.strength)


def _all(option: Any, cause: Group, effect: Group, in_time: bool | None) -> list[str] | None:
    keys = option if isinstance(option, list) else [option]
    verdicts = [(key, _joins(key, cause, effect, in_time)) for key in keys]
    if any(v is False for _, v in verdicts):
        return None
    return [key for key, v in verdicts if v]


def _joins(key: str, cause: Group, effect: Group, in_time: bool | None) -> bool | None:
    """True: both agree. False: they contradict. None: one of them does not tell."""
    if key == "time":
        return False if _elsewhere(cause, effect) else in_time
    if key == "record":
        return {id(m.record) for m in cause.matches} & {id(m.record) for m in effect.matches} != set()
    if key == "source":
        return {m.record.source for m in cause.matches} & {m.record.source for m in effect.matches} != set()
    if key == "job":
        return None
    name = key.removeprefix("other-")
    mine, other = values(cause.entities, name), values(effect.entities, name)
    if key.startswith("other-"):
        return None if not mine or not other else bool(other - mine)
    if key == "process":
        mine, other = {_process(v) for v in mine}, {_process(v) for v in other}
    if key == "port":
        return _behind(cause, effect)
    if not mine or not other:
        return None
    return bool(mine & other)


def _elsewhere(cause: Group, effect: Group) -> bool:
    """Whether the cause is an end device of its own: what befell it at the same time says nothing of another one.

    A GPU is one. A bridge (its driver is `pcieport`) may have the other device behind it.
    """
    mine, other = values(cause.entities, "pci"), values(effect.entities, "pci")
    if not mine or not other or mine & other:
        return False
    if values(cause.entities, "gpu_uuid") and values(effect.entities, "gpu_uuid"):
        return True
    texts = [match.record.text for match in cause.matches]
    return all(any(_driven(str(device)).search(text) for text in texts) for device in mine)


@lru_cache(maxsize=256)
def _driven(device: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:AER: )?(?!pcie)[\w-]+ {re.escape(device)}\b", re.MULTILINE)


def _process(name: Value) -> str:
    """A process name as the kernel cuts it: base name, 15 characters, `python3.12` like `python`."""
    base = str(name).rsplit("/", 1)[-1][:15].lower()
    return "python" if base.startswith("python") else base


def _behind(cause: Group, effect: Group) -> bool | None:
    """Whether the effect's device sits behind the cause's port: same address, or the next buses behind the port."""
    devices = values(effect.entities, "pci")
    named = values(cause.entities, "pci")
    if not devices:
        return None
    if named & devices:
        return True
    ports = values(cause.entities, "root_port")
    if not ports:
        return None if not named else False
    for port in ports:
        for device in devices:
            p, d = str(port).split(":"), str(device).split(":")
            if len(p) == 3 and len(d) == 3 and p[0] == d[0] and int(d[1], 16) >= int(p[1], 16):
                # The numbers of the bridge are not in the log: a device on a higher bus of the domain may be behind it.
                return None if len(named) == 0 else False
    return False
