"""Regexes that are compiled when first used: a short log needs few of the many that the formats know."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, AnyStr, cast


class _Lazy:
    """Stands in for a compiled pattern; the first use of any of its attributes compiles it."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        made: re.Pattern[Any] = re.compile(self._source, self._flags)
        for attribute in ("search", "match", "fullmatch", "sub", "finditer", "findall", "split", "pattern", "flags"):
            setattr(self, attribute, getattr(made, attribute))  # from now on without this detour
        return getattr(made, name)


def pattern(source: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """`re.compile(source, flags)`, but not yet."""
    return cast("re.Pattern[AnyStr]", _Lazy(source, int(flags)))


def holds(source: bytes) -> Callable[[bytes], bool]:
    """Whether a block of bytes holds the pattern, asked of an automaton where re2 is installed; compiled when asked."""

    @cache
    def search() -> Callable[[bytes], Any]:
        try:
            import re2
        except ImportError:
            return re.compile(source).search
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # bytes, whatever they spell
        return cast(Callable[[bytes], Any], re2.compile(source, options).search)

    return lambda data: search()(data) is not None
