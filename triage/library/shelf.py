"""Entries that are built from their stored data only when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shelf(MutableMapping[str, T], Generic[T]):
    """A mapping over stored data; `load` gives all data (called once, when needed), `make` builds one entry."""

    def __init__(self, load: Callable[[], dict[str, Any]] = dict, make: Callable[[Any], T] | None = None) -> None:
        self._load, self._make = load, make
        self._stored: dict[str, Any] | None = None
        self._made: dict[str, T] = {}

    def _data(self) -> dict[str, Any]:
        if self._stored is None:
            self._stored = self._load()
        return self._stored

    def __getitem__(self, key: str) -> T:
        if key not in self._made:
            if self._make is None:
                raise KeyError(key)
            self._made[key] = self._make(self._data()[key])
        return self._made[key]

    def __setitem__(self, key: str, value: T) -> None:
        self._data().setdefault(key, None)
        self._made[key] = value

    def __delitem__(self, key: str) -> None:
        del self._data()[key]
        self._made.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self._data()

    def __iter__(self) -> Iterator[str]:
        return iter(self._data())

    def __len__(self) -> int:
        return len(self._data())

    def __repr__(self) -> str:
        return f"Shelf({sorted(self)})"
