"""One table of who is who: PCI address, UUID, GPU index, rank, pid and host, joined from all sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triage.model import Entities, Match, Value

KEYS = ("host", "pod", "pci", "gpu_uuid", "gpu", "gpu_model", "rank", "local_rank", "pid")
# A value of these names one thing; the others only help once one of these agrees.
STRONG = ("pci", "gpu_uuid", "rank", "pid", "local_rank")
# Which names a strong key may bring in: a process has a rank and a GPU, a GPU has an address, but a rank that is seen
# on two hosts or a pid that was used twice is ambiguous and brings nothing.
_OF_DRIVER = ("pci", "gpu_uuid", "xid", "sxid")  # a finding about one of these is about the loaded driver too
_BRINGS: dict[str, tuple[str, ...]] = {
    "pci": ("gpu_uuid", "gpu", "gpu_model", "host", "rank", "local_rank"),
    "gpu_uuid": ("pci", "gpu", "gpu_model", "host", "rank", "local_rank"),
    "rank": ("host", "pci", "gpu", "gpu_uuid", "gpu_model", "local_rank"),
    "pid": ("rank", "local_rank", "pci", "gpu", "gpu_uuid", "gpu_model", "host"),
    "local_rank": ("rank", "pci", "gpu"),
}

# Values of one entity that a finding keeps: all members of a job, of anything else what a reader can take in.
_MOST = {"rank": 16_384, "host": 4096}


class Identities:
    """Facts such as `rank 3 = pid 4711 = 0000:3b:00`, each from one message."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._facts: list[dict[str, Value]] = []
        self._by: dict[tuple[str, Value], list[dict[str, Value]]] = {}
        self._names: dict[tuple[str, Value], set[str]] = {}
        self._known: dict[tuple[tuple[str, Value], ...], Entities] = {}
        self._drivers: dict[Value | None, set[Value]] = {}
        seen: set[tuple[tuple[str, Value], ...]] = set()
        for match in matches:
            if "driver" in match.entities:
                self._drivers.setdefault(match.entities.get("host"), set()).add(match.entities["driver"])
            fact = {k: v for k, v in match.entities.items() if k in KEYS}
            token = tuple(sorted(fact.items()))
            if len(fact) < 2 or token in seen:
                continue
            seen.add(token)
            self._facts.append(fact)
            for key in STRONG:
                if key in fact:
                    self._by.setdefault((key, fact[key]), []).append(fact)
                    self._names.setdefault((key, fact[key]), set()).update(fact)

    def complete(self, entities: Entities) -> None:
        """Adds to `entities` every name of its device or process that follows without ambiguity."""
        token = tuple((k, v) for k in KEYS if (v := entities.get(k)) is not None and not isinstance(v, list))
        if token not in self._known:
            found: Entities = dict(token)
            self._complete(found)
            self._known[token] = found
        for key, value in self._known[token].items():
            entities.setdefault(key, value)
        if "driver" not in entities and any(key in entities for key in _OF_DRIVER):
            host = entities.get("host")
            hosts = [None, *self._drivers] if host is None or isinstance(host, list) else [None, host]
            found_drivers = {v for h in hosts for v in self._drivers.get(h, ())}
            if len(found_drivers) == 1:
                entities["driver"] = found_drivers.pop()

    def _complete(self, entities: Entities) -> None:
        for _ in range(2):  # a second round uses what the first one brought
            for key in STRONG:
                value = entities.get(key)
                if value is None or isinstance(value, list):
                    continue
                told = self._names.get((key, value), ())
                found: dict[str, set[Value]] = {n: set() for n in _BRINGS[key] if n in told and n not in entities}
                open_ = set(found)
                for fact in self._by.get((key, value), ()):
                    if not open_:
                        break  # all is ambiguous: in a log of many jobs that is soon known
                    if _agrees(fact, entities):
                        for name in open_ & fact.keys():
                            found[name].add(fact[name])
                        open_ = {name for name in open_ if len(found[name]) < 2}
                entities.update((name, seen.pop()) for name, seen in found.items() if len(seen) == 1)

    def name_only_gpu(self, entities: Entities) -> None:
        """Adds the names of the GPU to a finding about some GPU, where the input knows a single one."""
        gpus = {f["gpu_uuid"]: f for f in self._facts if "gpu_uuid" in f}
        others = {f["pci"] for f in self._facts if "pci" in f} - {f["pci"] for f in gpus.values() if "pci" in f}
        if len(gpus) == 1 and not others and not any(key in entities for key in ("pci", "gpu_uuid", "gpu", "rank")):
            (fact,) = gpus.values()
            for key in ("pci", "gpu_uuid", "gpu", "gpu_model"):
                if key in fact:
                    entities.setdefault(key, fact[key])

    def members(self, key: str) -> set[Value]:
        """All values that were seen under a name."""
        return {f[key] for f in self._facts if key in f}

    def is_gpu(self, pci: Value) -> bool:
        """Whether the device at this address is known to be a GPU."""
        telling = ("gpu_uuid", "gpu", "gpu_model", "rank")
        return any(name in fact for fact in self._by.get(("pci", pci), ()) for name in telling)


def _agrees(fact: dict[str, Value], entities: Entities) -> bool:
    """No identifying name has two values. A pid is of one host and container, and an index of one view of the GPUs
    (CUDA_VISIBLE_DEVICES renumbers them), so these alone never contradict."""
    for key, value in fact.items():
        if key in entities and key not in ("pid", "gpu"):
            known = entities[key]
            if known != value and not isinstance(known, list):
                return False
    return True


def merge(into: Entities, more: dict[str, Value]) -> None:
    """Adds the entities of another match of the same finding; what differs becomes a list."""
    for key, value in more.items():
        old = into.get(key)
        if key.startswith("_"):
            continue  # helper values of a signature are for its conditions only
        if old is None:
            into[key] = value
        elif isinstance(old, list):
            if value not in old and len(old) < _MOST.get(key, 64):
                old.append(value)
        elif old != value:
            into[key] = [old, value]


def values(entities: Entities, key: str) -> set[Value]:
    """The values of an entity as a set; empty when unknown."""
    value = entities.get(key)
    if value is None:
        return set()
    return set(value) if isinstance(value, list) else {value}


def union(parts: Iterable[Entities]) -> Entities:
    """All entities of several findings."""
    out: Entities = {}
    for part in parts:
        for key, value in part.items():
            for one in value if isinstance(value, list) else [value]:
                merge(out, {key: one})
    return out
