"""All regexes of the library in the three engines that use them, to prove that they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from triage.library.patterns import needles, reason


class Engines:
    """The same regexes compiled in re2, hyperscan and `regex`; `broken` says which do not compile, and why.

    Without hyperscan the other two are compared.
    """

    def __init__(self, regexes: Sequence[str]) -> None:
        self.broken: dict[str, str] = {}
        whole = _together(regexes)  # one by one only where something is wrong
        self.regexes = [text for text in regexes if self._compiles(text, whole is not None)]
        self._re2 = _re2_sets(self.regexes)
        self._hyperscan = whole if self.regexes == [*regexes] else _together(self.regexes)
        self._regex = [_regex(text) for text in self.regexes]
        self._needed: dict[str, list[int]] = {}
        for number, text in enumerate(self.regexes):
            for needle in needles(text) or [""]:
                self._needed.setdefault(needle, []).append(number)

    def _compiles(self, text: str, whole: bool) -> bool:
        import re2

        options = re2.Options()
        options.log_errors = False
        attempts: tuple[tuple[str, Callable[[], Any]], ...] = (
            ("re2", lambda: re2.compile("(?m)" + text, options)),
            ("regex", lambda: _regex(text)),
            ("hyperscan", lambda: whole or _hyperscan([text])),
        )
        for name, attempt in attempts:
            try:
                attempt()
            except Exception as error:  # each engine has its own kind of error
                self.broken[text] = f"{name}: {reason(error)}"
                return False
        return True

    def hits(self, text: str) -> dict[str, set[int]]:
        """For each engine the numbers of the regexes that hold somewhere in `text`."""
        data = text.encode("utf-8", "replace")
        found = {"re2": {base + hit for base, one in self._re2 for hit in one.Match(data) or ()}}
        if self._hyperscan is not None:
            seen: set[int] = set()
            for base, database in self._hyperscan:
                database.scan(data, match_event_handler=lambda number, *_, base=base: seen.add(base + number))
            found["hyperscan"] = seen
        # `regex` is slow, and cannot hold without the fixed words; were these wrong, the others would differ from it
        asked = {number for needle, numbers in self._needed.items() if needle in text for number in numbers}
        found["regex"] = {number for number in asked if self._regex[number].search(text, timeout=5)}
        return found

    def differences(self, text: str) -> Iterator[tuple[str, str]]:
        """Each regex on which the engines differ, and how."""
        found = self.hits(text)
        every = list(found.values())
        for number in every[0].union(*every) - every[0].intersection(*every):
            yes = [name for name, hits in found.items() if number in hits]
            no = [name for name, hits in found.items() if number not in hits]
            yield self.regexes[number], f"holds in {' and '.join(yes)} but not in {' and '.join(no)}"


@cache
def _regex(text: str) -> Any:
    import regex

    return regex.compile(text, regex.MULTILINE | regex.ASCII)


def _re2_sets(regexes: Sequence[str], size: int = 64) -> list[tuple[int, Any]]:
    import re2

    options = re2.Options()
    options.max_mem = 96 << 20
    options.log_errors = False
    made = []
    for base in range(0, len(regexes), size):
        one = re2.Set.SearchSet(options)
        for text in regexes[base : base + size]:
            one.Add("(?m)" + text)
        one.Compile()
        made.append((base, one))
    return made


def _together(regexes: Sequence[str], size: int = 256) -> list[tuple[int, Any]] | None:
    """Databases of all of them, compiled side by side; None when one of them cannot be, or without hyperscan."""
    starts = range(0, len(regexes), size)
    try:
        with ThreadPoolExecutor() as pool:  # the compiler leaves the interpreter's lock
            made = list(pool.map(lambda base: _hyperscan(regexes[base : base + size]), starts))
    except Exception:  # hyperscan.error, whose module may be absent
        return None
    return None if None in made else list(zip(starts, made, strict=True))


def _hyperscan(regexes: Sequence[str]) -> Any:
    """A database that reports each regex once per text, or None without hyperscan."""
    try:
        import hyperscan
    except ImportError:
        return None
    if not regexes:
        return None
    flags = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_ALLOWEMPTY | hyperscan.HS_FLAG_SINGLEMATCH
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[text.encode() for text in regexes], ids=list(range(len(regexes))), flags=[flags] * len(regexes)
    )
    return database
