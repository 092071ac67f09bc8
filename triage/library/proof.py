"""The examples of the library, and what the real pipeline and the three regex engines make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from triage.library.library import Library, Signature
from triage.library.subset import outside_subset
from triage.model import Match


@dataclass(slots=True)
class Example:
    """An example as it stands in a file; `wanted` says whether it must yield the id.

    An ignore example of a table that names no `id` is about all rows of the `table`.
    """

    id: str
    table: str
    text: str
    entities: dict[str, Any]
    file: str
    path: str
    line: int
    wanted: bool


@dataclass
class Proof:
    """The library together with its examples; `own` are the files to prove, None for all."""

    library: Library
    examples: list[Example] = field(default_factory=list)
    own: frozenset[str] | None = None

    @cached_property
    def matches(self) -> list[list[Match]]:
        """For each example all matches of its text through the real pipeline, before correlation."""
        from triage.pipeline import match_text

        return [match_text(one.text, self.sound, one.file) for one in self.examples]

    @cached_property
    def broken(self) -> dict[str, str]:
        """The regexes that cannot be used, and why."""
        outside = {text: outside_subset(text) for text in self.regexes}
        found = {text: f"uses {why}, which is outside the RE2 subset" for text, why in outside.items() if why}
        return found | {text: f"does not compile in {why}" for text, why in self.engines.broken.items()}

    @cached_property
    def sound(self) -> Library:
        """The library without the signatures that have a broken regex."""
        known = self.library.signatures
        kept = {name: one for name, one in known.items() if self.broken.keys().isdisjoint(regexes_of(one))}
        return replace(self.library, signatures=kept)

    @cached_property
    def engines(self) -> Engines:
        """All regexes inside the common subset, in every engine."""
        return Engines([text for text in self.regexes if not outside_subset(text)])

    @cached_property
    def regexes(self) -> dict[str, tuple[str, int]]:
        """Every distinct regex of the library with the file and line where it stands."""
        found: dict[str, tuple[str, int]] = {}
        for signature in self.library.signatures.values():
            if self.own is not None and signature.path not in self.own:
                continue
            for text in regexes_of(signature):
                if text not in found:
                    found[text] = place_of(signature, text)
        return found


def regexes_of(signature: Signature) -> list[str]:
    """All regexes of a signature: patterns, anchors and exclusions."""
    own = [text for pattern in signature.match for text in (pattern.regex, pattern.anchor) if text]
    return [*own, *(rule["regex"] for rule in signature.unless)]


def file_of(path: str) -> Path:
    """The file behind a path as problems show it: relative to the library's folder, else to the working folder."""
    from triage.library.loader import default_folder

    inside = default_folder() / path
    return inside if inside.is_file() else Path(path)


def shown(file: Path) -> str:
    """The path of a library file as problems show it."""
    from triage.library.loader import default_folder

    return str(file.relative_to(default_folder())) if file.is_relative_to(default_folder()) else str(file)


def place_of(signature: Signature, regex: str) -> tuple[str, int]:
    """Where a regex of a signature stands; the signature's own line if it cannot be found as written."""
    written = {regex, regex.replace("'", "''"), regex.replace("\\", "\\\\").replace('"', '\\"')}
    top = file_of(signature.path).parent.parent
    headers = [top / "headers.yaml", *sorted((top / "headers.d").glob("*.yaml"))]
    for file in (file_of(signature.path), *headers):
        if file.is_file():
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if any(text in line for text in written):
                    return shown(file), number
    return signature.path, signature.line


def read_examples(library: Library) -> list[Example]:
    """All examples of the files that the library's signatures come from, with their lines."""
    from triage.library.parse import line_of, read_yaml

    found: list[Example] = []
    for path in dict.fromkeys(s.path for s in library.signatures.values()):
        data, node = read_yaml(file_of(path).read_text(encoding="utf-8"))
        groups = data.get("examples") or {}
        for kind in ("match", "ignore"):
            for i, one in enumerate(groups.get(kind) or ()):
                found.append(
                    Example(
                        str(one.get("id") or ("" if "table" in data else data.get("id", ""))),
                        str(data.get("table") or ""),
                        one["text"],
                        one.get("entities") or {},
                        one.get("file") or "paste.log",
                        path,
                        line_of(node, ("examples", kind, i)),
                        kind == "match",
                    )
                )
    return found


class Engines:
    """The same regexes compiled in re2, hyperscan and `regex`; `broken` says which do not compile, and why.

    Without hyperscan the other two are compared.
    """

    def __init__(self, regexes: Sequence[str]) -> None:
        self.broken: dict[str, str] = {}
        self._whole = _compiles_as_one(regexes)  # one by one only where something is wrong
        self.regexes = [text for text in regexes if self._compiles(text)]
        self._re2 = _re2_sets(self.regexes)
        self._hyperscan = _hyperscan(self.regexes)
        self._regex = [_regex(text) for text in self.regexes]

    def _compiles(self, text: str) -> bool:
        import re2

        options = re2.Options()
        options.log_errors = False
        attempts: tuple[tuple[str, Callable[[], Any]], ...] = (
            ("re2", lambda: re2.compile("(?m)" + text, options)),
            ("regex", lambda: _regex(text)),
            ("hyperscan", lambda: self._whole or _hyperscan([text])),
        )
        for name, attempt in attempts:
            try:
                attempt()
            except Exception as error:  # each engine has its own kind of error
                reason = error.args[0] if error.args else error
                self.broken[text] = f"{name}: {reason.decode() if isinstance(reason, bytes) else reason}"
                return False
        return True

    def hits(self, text: str) -> dict[str, set[int]]:
        """For each engine the numbers of the regexes that hold somewhere in `text`."""
        data = text.encode("utf-8", "replace")
        found = {"re2": {base + hit for base, one in self._re2 for hit in one.Match(data) or ()}}
        if self._hyperscan is not None:
            seen: set[int] = set()
            self._hyperscan.scan(data, match_event_handler=lambda number, *_: seen.add(number))
            found["hyperscan"] = seen
        found["regex"] = {i for i, one in enumerate(self._regex) if one.search(text, timeout=5)}
        return found

    def differences(self, text: str) -> Iterator[tuple[str, str]]:
        """Each regex on which the engines differ, and how."""
        found = self.hits(text)
        every = list(found.values())
        for number in every[0].union(*every) - every[0].intersection(*every):
            yes = [name for name, hits in found.items() if number in hits]
            no = [name for name, hits in found.items() if number not in hits]
            yield self.regexes[number], f"holds in {' and '.join(yes)} but not in {' and '.join(no)}"


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


def _compiles_as_one(regexes: Sequence[str]) -> bool:
    try:
        return _hyperscan(regexes) is not None
    except Exception:  # hyperscan.error, whose module may be absent
        return False


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
