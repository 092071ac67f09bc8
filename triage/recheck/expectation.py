"""What a re-check is to look for: the diagnosis and those values of its finding that probes may use.

Values come from hostile logs. Only the names below are taken over, each as a number or as text of a narrow pattern;
none is ever a path, a host to connect to, or a program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from triage import entities
from triage.advise import PATTERNS
from triage.model import Finding

Expectation = dict[str, Any]


def _number(text: str) -> int | None:
    return entities.integer(text) if len(text) < 20 else None


def _bytes(text: str) -> int | None:
    size = entities.size(text)
    return int(size) if size is not None and size < 1 << 60 else None


def _text(name: str) -> Callable[[str], str | None]:
    return lambda text: text if PATTERNS[name].fullmatch(text) else None


_READERS: dict[str, Callable[[str], int | str | None]] = {
    "pci": entities.pci, "gpu_uuid": _text("gpu_uuid"), "gpu": _number, "requested": _bytes, "total": _bytes,
    "free": _bytes, "allocated": _bytes, "allowed": _bytes, "port": _number, "interface": _text("interface"),
    "driver": _text("driver"), "client_version": _text("client_version"), "device_code": _number,
}  # fmt: skip
# Those that only a person gives.
_OPTIONS: dict[str, Callable[[str], int | str | None]] = {"rounds": _number, "seconds": _number, "gpus": _number}


def from_finding(found: Finding) -> Expectation:
    """The expectation of a finding; what is many-valued or does not fit is left out."""
    made: Expectation = {"id": found.id}
    for name, read in _READERS.items():
        value = found.entities.get(name)
        if value is not None and not isinstance(value, list) and (fit := read(str(value))) is not None:
            made[name] = fit
    return made


def from_options(pairs: Iterable[str], given: Mapping[str, Any] | None = None) -> Expectation:
    """`requested=20GiB` and the like on top of `given`. Raises ValueError that says what would be right."""
    made: Expectation = dict(given or {})
    readers = _READERS | _OPTIONS
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in readers:
            raise ValueError(f"{pair!r}: write NAME=VALUE, with one of the names {', '.join(sorted(readers))}")
        value = readers[name](text)
        if value is None:
            hint = " (20GiB)" if readers[name] is _bytes else ""
            raise ValueError(f"{pair!r}: {text!r} is no value for {name}{hint}")
        made[name] = value
    return made
