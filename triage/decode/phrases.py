"""Small pieces of plain English that the decoders share. Nothing here knows a device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from triage.model import Value

Known = Mapping[str, Value | list[Value]]  # the entities of a finding


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    found = list(words)
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)


def bits(value: int) -> list[int]:
    """The numbers of the bits that are set, lowest first."""
    return [at for at in range(max(0, value).bit_length()) if value >> at & 1]


def named(value: int, names: Mapping[int, str]) -> list[str]:
    """The words of the set bits; a bit without a word is named by its number."""
    return [names.get(at, f"bit {at}, which the table does not name") for at in bits(value)]


def size(count: float) -> str:
    """Bytes in the unit that a person would choose: `69.80 GiB`, `135.0 MiB`, `0 bytes`."""
    for unit, power in (("TiB", 4), ("GiB", 3), ("MiB", 2), ("KiB", 1)):
        if count >= 1024**power:
            number = count / 1024**power
            return f"{number:.{1 if number >= 100 else 2}f} {unit}"
    return f"{count:.0f} bytes"


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def distinct(values: Iterable[str]) -> list[str]:
    """The values without repeats, in the order of their first appearance."""
    return list(dict.fromkeys(values))


def some(values: Sequence[str], most: int = 4) -> str:
    """The first few values and how many more there are."""
    shown = list(values[:most])
    left = len(values) - len(shown)
    return listed([*shown, f"{left} more"] if left > 0 else shown)


def whole(known: Known, key: str) -> int | None:
    """The entity as a number, if it is one."""
    value = known.get(key)
    if value is None or isinstance(value, (bool, list)):
        return None
    try:
        return int(str(value), 0)
    except ValueError:
        return None
