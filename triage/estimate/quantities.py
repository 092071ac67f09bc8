"""Numbers as people and logs write them, and the checks that every estimate makes of its inputs."""

from __future__ import annotations

from collections.abc import Callable

from triage import entities, lazy

GIB = 2**30
# A card that is sold as 24 GB has 24 GiB, of which PyTorch sees 23.5 to 23.7; 80 GB: 79.1; 141 GB (H200): 139.8.
CARD_SHARE = 0.98
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "B": 3, "T": 4}
_COUNT = lazy.pattern(r"([0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][0-9]{1,2})?) ?([KMGBT]?)", 0)
_SIZE = lazy.pattern(r"([0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][0-9]{1,2})?) ?([kKMGT]?)(i?)(?:B|bytes?)", 0)


class Unsuitable(ValueError):
    """An input that no estimate can use: `name` is the field, `need` what it must be."""

    def __init__(self, name: str, need: str) -> None:
        super().__init__(f"{name} {need}")
        self.name, self.need = name, need


def count(text: str) -> int:
    """A number of things: `7B`, `6.74e9`, `340M`, `13_000_000_000`. Raises ValueError for anything else."""
    found = _COUNT.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is not a number; write e.g. 7B, 340M or 6.74e9")
    return round(float(found[1].replace("_", "").replace(",", "")) * float(1000 ** _POWERS[found[2]]))


def size(text: str) -> float:
    """Bytes of an amount of data: `GB` is 10^9 and `GiB` 2^30. Raises ValueError for anything else."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is not a size; write it with its unit, e.g. 1.5GiB, 500MB or 4096bytes")
    return float(found[1].replace(",", "")) * float((1024 if found[3] else 1000) ** _POWERS[found[2].upper()])


def logged(text: str) -> float:
    """Bytes of a size out of a log, where `GB` and `GiB` both are 2^30. Raises ValueError for anything else."""
    value = entities.size(text)
    if value is None:
        raise ValueError(f"{text!r} is not a size; copy it from the message, e.g. '2.00 GiB' or '989.12 MiB'")
    return value


def card(text: str) -> float:
    """Bytes that a GPU offers: `139.8GiB` and `143771MiB` are taken as they are, `24GB` is a card as it is sold.

    Raises ValueError for anything else.
    """
    sold = text.strip().endswith("GB")
    return size(text) / 10**9 * GIB * CARD_SHARE if sold else size(text)


def whole(**values: int | None) -> None:
    """Raises Unsuitable for the first value that is not a positive whole number; None is not asked."""
    for name, value in values.items():
        if value is not None and value < 1:
            raise Unsuitable(name, "must be a positive whole number")


def positive(**values: float | None) -> None:
    """Raises Unsuitable for the first value that is not above zero; None is not asked."""
    for name, value in values.items():
        if value is not None and not 0 < value < float("inf"):
            raise Unsuitable(name, "must be above 0")


def not_negative(**values: float | None) -> None:
    """Raises Unsuitable for the first value below zero; None is not asked."""
    for name, value in values.items():
        if value is not None and not 0 <= value < float("inf"):
            raise Unsuitable(name, "must be 0 or more")


def share(**values: float | None) -> None:
    """Raises Unsuitable for the first value that is no share of a whole; None is not asked."""
    for name, value in values.items():
        if value is not None and not 0 < value <= 1:
            raise Unsuitable(name, "must be above 0 and at most 1, e.g. 0.8 for 80 %")


def largest(holds: Callable[[int], bool], most: int = 2**40) -> int:
    """The largest number for which `holds`, which is true up to some number and false above; 0 if it never is."""
    low, high = 0, 1
    while high < most and holds(high):
        low, high = high, high * 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
