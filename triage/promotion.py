"""What `promote` rules of a signature can ask for: how often, how fast, on what device, and who else speaks of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from triage.identity import Identities, values
from triage.incidents import Group


def value(one: Group, name: str, identities: Identities) -> Any:
    """The value of a name in a rule; None when it is not known, or is not one value."""
    if name == "count":
        return len(one.matches)
    if name == "device_class":
        pci = one.entities.get("pci")
        return "gpu" if pci is not None and not isinstance(pci, list) and identities.is_gpu(pci) else None
    if name.startswith("_"):  # helpers are kept with each match
        seen = {m.entities.get(name) for m in one.matches}
        return seen.pop() if len(seen) == 1 else None
    known = one.entities.get(name)
    return known if not isinstance(known, list) else None


def call(one: Group, name: str, arguments: Sequence[Any], groups: Sequence[Group]) -> Any:
    """`rate(60)` or `mentioned("hca")` of a group among `groups`."""
    if not arguments:
        return None
    return _rate(one, arguments[0]) if name == "rate" else _mentioned(one, str(arguments[0]), groups)


def _rate(one: Group, seconds: Any) -> float | None:
    """The most matches in any window of that many seconds."""
    times = sorted(t.seconds for t in one.times if t is not None)
    if not times or not isinstance(seconds, (int, float)):
        return None
    best = low = 0
    for high, now in enumerate(times):
        while now - times[low] > seconds:
            low += 1
        best = max(best, high - low + 1)
    return best


def _mentioned(one: Group, name: str, groups: Sequence[Group]) -> bool:
    """Whether another finding or fact, not of another host, names the value of this entity in its text."""
    known = [re.compile(rf"(?<![\w.-]){re.escape(str(value))}(?![\w-])") for value in values(one.entities, name)]
    hosts = values(one.entities, "host")
    for other in groups if known else ():
        for match in other.matches if other.id != one.id else ():
            host = match.entities.get("host")
            if (not hosts or host is None or host in hosts) and any(p.search(match.record.text) for p in known):
                return True
    return False
