"""Counts every line under a template: "800,000 lines, 29 kinds". The one module that knows drain3.

A message is masked (addresses, numbers, UUIDs) and gets a key word: the id of the signature that holds on it, or the
code that tells it from its neighbours. drain3 keeps different first words apart, so two faults never share a
template. Only masked texts that were never seen go to drain3; its state is never stored.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from types import ModuleType
from typing import Any

from triage import lazy

# What a text must hold for a pattern to find anything in it, the pattern, and what stands for it.
_MASKS = [
    ("-", lazy.pattern(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"), "<uuid>"),
    (":", lazy.pattern(r"\b(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?\b(?!:)"), "<pci>"),
    (".", lazy.pattern(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:[:<]\d+>?)?"), "<ip>"),
    ("0x", lazy.pattern(r"\b0x[0-9a-fA-F_]+\b"), "<hex>"),
    ("", lazy.pattern(r"\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{6,}\b"), "<hex>"),
    ("", lazy.pattern(r"(?<![A-Za-z_])[-+]?\d+(?:[.,:]\d+)*"), "<n>"),
]
# What makes one error another one although the words around it are the same.
_CODE = lazy.pattern(
    r"\b(?P<name>(?:CU[A-Z]{2,8}|NCCL|NVML|NVRTC|NV|CL|VK|DXGI|CM)_(?:ERROR|ERR|STATUS|PROB)_\w+"
    r"|cuda[A-Z]\w+|nccl[A-Z]\w+|E[A-Z]{4,}\b|SIG[A-Z]{2,}|[A-Za-z_.]+(?:Error|Exception))\b"
    r"|\b(?:S?Xid(?: \([^)]*\))?:?|error(?: code)?:?|Error|errno:?|status[ =:]|signal:?|exit ?code ?:?|code[ =:])"
    r" *[(#]?"
    r"(?P<number>-?0x[0-9a-fA-F]+|-?\d+)"
)
_CUDA_TEXT = lazy.pattern(r"CUDA (?:driver )?error: ([a-z][^\n.]{4,60})")
# A log of nothing but random words makes a cluster of each line, and drain3 compares each with all.
_HINTS = ("rror", "xception", "Xid", "code", "tatus", "STATUS", "errno", "signal", "SIG", "cuda", "nccl", "PROB", "E")
_MAX_CLUSTERS, _MAX_CALLS, _MAX_SEEN, _MAX_CODES = 2000, 30_000, 60_000, 100
_LONGEST = 400
_OTHERS = "(other)"  # what came after the most kinds that are kept apart


@dataclass(slots=True, eq=False)
class Template:
    """A kind of line: its text with wildcards, how often, where first and last, and what was recognised in it."""

    text: str
    key: str
    count: int = 0
    first: tuple[str, int] = ("", 0)
    last: tuple[str, int] = ("", 0)
    sample: str = ""
    ids: set[str] = field(default_factory=set)
    suspicious: bool = False

    def include(self, other: Template) -> None:
        """Counts those of another template as its own; they stand behind the ones that it has."""
        if not self.sample:
            self.first, self.sample = other.first, other.sample
        self.count += other.count
        self.last = other.last
        self.ids |= other.ids
        self.suspicious |= other.suspicious


def mask(text: str) -> str:
    """`text` on one line with everything that changes from run to run replaced."""
    short = text.split("\n", 1)[0][:_LONGEST]
    for mark, pattern, word in _MASKS:
        if mark in short:  # far cheaper than the pattern, and most lines lack it
            short = pattern.sub(word, short)
    return short.strip()


def code_of(text: str) -> str:
    """The discriminating code of a message that no signature knows, or an empty string."""
    if not any(hint in text for hint in _HINTS):  # most lines are spared the patterns
        return ""
    found = _CUDA_TEXT.search(text)
    if found:
        return found[1].strip()
    found = _CODE.search(text)
    return (found["name"] or found["number"] or "") if found else ""


def _word(key: str) -> str:
    """`key` as one word without digits (drain3 treats words with digits as variable)."""
    return "".join(chr(ord("G") + int(c)) if c.isdigit() else "_" if c.isspace() else c for c in key) or "."


class Templates:
    """The kinds of lines of one run."""

    def __init__(self) -> None:
        self._drain: Any = None
        # For each number of words and choice of fixed places: what takes these words out, and the templates by them.
        self._shapes: dict[int, dict[tuple[int, ...], tuple[itemgetter[Any], dict[Any, Template]]]] = {}
        self._seen: dict[tuple[str, str], Template] = {}
        self._by_cluster: dict[int, Template] = {}
        self._codes: dict[str, set[str]] = {}
        self._calls = 0
        self._plain: dict[tuple[str, str], Template] = {}

    def add(
        self, text: str, source: str, line: int, ids: frozenset[str] = frozenset(), suspicious: bool = False,
        count: int = 1,
    ) -> Template:  # fmt: skip
        """Counts one message; `ids` are the signatures that hold on it."""
        template = self.of(text, ids)
        template.include(Template("", "", count, (source, line), (source, line), text, set(ids), suspicious))
        return template

    def merge(self, others: Iterable[Template]) -> None:
        """Counts what was counted elsewhere."""
        for other in others:
            own = self.other(other.key) if other.text == _OTHERS else self.of(other.sample, frozenset(other.ids))
            own.include(other)

    def of(self, text: str, ids: frozenset[str] = frozenset()) -> Template:
        """The template of a message that is not counted yet; `ids` are the signatures that hold on it."""
        masked = mask(text)
        key = "+".join(sorted(ids)) or self._code(text, masked)
        template = self._seen.get((key, masked))
        if template is None:
            template = self._shaped(key, masked) or self._learn(key, masked)
            if len(self._seen) < _MAX_SEEN:
                self._seen[(key, masked)] = template
        return template

    def other(self, key: str = "") -> Template:
        """What stands for all that is too much to be told apart."""
        return self._plain.setdefault((key, _OTHERS), Template(_OTHERS, key))

    def all(self) -> list[Template]:
        """All templates, the most frequent first."""
        distinct = {id(t): t for t in [*self._by_cluster.values(), *self._plain.values()]}
        return sorted((t for t in distinct.values() if t.count), key=lambda t: (-t.count, t.first))

    def _code(self, text: str, masked: str) -> str:
        """The code of a message; where there is no end of them, as with addresses, they are none."""
        code = code_of(text)
        codes = self._codes.setdefault(" ".join(masked.split(" ", 2)[:2]), set()) if code else set()
        codes.add(code)
        return code if len(codes) <= _MAX_CODES else ""

    def _shaped(self, key: str, masked: str) -> Template | None:
        """The template whose fixed words stand at their places in this text: drain3 need not be asked again."""
        words = f"{_word(key)} {masked}".split()
        for fixed, known in self._shapes.get(len(words), {}).values():
            found = known.get(fixed(words))
            if found is not None:
                return found
        return None

    def _learn(self, key: str, masked: str) -> Template:
        drain = self._engine()
        if drain is None or self._calls >= _MAX_CALLS or len(self._by_cluster) >= _MAX_CLUSTERS:
            return self.other(key) if drain else self._plain.setdefault((key, masked), Template(masked, key))
        self._calls += 1
        cluster, _ = drain.add_log_message(f"{_word(key)} {masked}")
        template = self._by_cluster.get(cluster.cluster_id)
        if template is None:
            template = self._by_cluster[cluster.cluster_id] = Template("", key)
        template.text = cluster.get_template().split(" ", 1)[-1] if masked else masked
        words = cluster.log_template_tokens
        places = tuple(i for i, word in enumerate(words) if word != "<*>")
        if len(places) < len(words) and 2 * len(places) >= len(words):
            shapes = self._shapes.setdefault(len(words), {})
            fixed, known = shapes.setdefault(places, (itemgetter(*places), {}))
            known[fixed(words)] = template
        return template

    def _engine(self) -> Any:
        """drain3, imported with the first line that nothing else knows; None where it is not installed."""
        if self._drain is None:
            try:
                self._drain = _drain_class()(
                    depth=4, sim_th=0.5, max_children=2000, max_clusters=_MAX_CLUSTERS, param_str="<*>"
                )
            except ImportError:
                self._drain = False
        return self._drain or None


def _drain_class() -> Any:
    """drain3's Drain without the rest of the package: its state is never stored, and what stores it (jsonpickle)
    takes longer to import than a short log to analyse."""
    if "drain3" in sys.modules:
        from drain3.drain import Drain

        return Drain
    spec = importlib.util.find_spec("drain3")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("drain3 is not installed")
    package = ModuleType("drain3")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["drain3"] = package
    try:
        return importlib.import_module("drain3.drain").Drain
    finally:
        del sys.modules["drain3"]  # whoever wants the whole package gets it
