"""Finds secrets by two tables of rules: the kept one of gitleaks (MIT, gitleaks.LICENSE), and credentials.toml.

A rule runs only where one of its key words stands, and all patterns are RE2, so that a text costs linear time.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from triage import lazy
from triage.library.patterns import compiled

_TABLES = ("credentials.toml", "gitleaks.toml")
# Takes any value beside any word like `key`: `KeyError: 'layer.0'` is no secret. credentials.toml has narrower rules.
_LEFT_OUT = ("generic-api-key",)
# In source code a secret ends in one of few characters; in a log anything but a letter may follow.
_END_IN_CODE = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
_END_IN_LOGS = r"(?:[^\w]|$)"
PLACEHOLDER = b"[REDACTED"  # followed by the rule
# Values beside a telling name that are no secret: words of messages, variables, masks, paths, special tokens of models.
_HARMLESS = lazy.pattern(
    rb"(?i)\A(?:true|false|none|null|nil|yes|no|on|off|n/?a|not|required|missing|empty|incorrect|invalid|wrong|expired|"
    rb"unset|string|str|int|bytes|object|optional|unknown|error|failed|denied|is|was|for|and|the|must|auto|default|"
    rb"redacted.*|\*+.*|x{3,}|\.{3,}.*|[$%<{(\[|].*|[+-]?[0-9.]{1,7}|0x[0-9a-f]+|[a-z_][a-z0-9_.]*\(.*|(?:/|\./|~/|[a-z]:\\).*)\Z",
    re.DOTALL,
)
_PLAIN_WORD = lazy.pattern(rb"\A[A-Za-z_.-]+\Z")
_MODEL_TOKEN = lazy.pattern(
    rb"(?i)(?:eos|bos|pad|unk|sep|cls|mask|special|image|video|audio|start|stop|end|next|last|first|new|num|max|min|"
    rb"per|prompt|decoder?|prefix|suffix|begin\w*|added)[_ -]?tokens?(?:_id)?\Z"
)
_PEM = lazy.pattern(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = lazy.pattern(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_ROW = lazy.pattern(rb"(?:^|[\s\"'|>])([A-Za-z0-9+/]{16,80}={0,2})[\"',\s]*$")
_PEM_LONGEST = 32768
PEM_ROWS = 200  # an RSA key of 8192 bits has about 100 rows


@dataclass(slots=True, frozen=True)
class Secret:
    """Where a secret stands, in bytes, and which rule found it."""

    start: int
    stop: int
    rule: str


@dataclass(slots=True, frozen=True)
class Rule:
    """A row of a table; `entropy` in bits per character is the least that a secret has."""

    id: str
    regex: str
    keywords: tuple[str, ...]
    group: int = 0
    entropy: float = 0.0
    weak: bool = False
    digit: bool = False


@cache
def rules() -> tuple[Rule, ...]:
    """All rules of both tables."""
    found = []
    for name in _TABLES:
        table = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
        for row in table["rules"]:
            if "regex" in row and row["id"] not in _LEFT_OUT:
                found.append(_rule(row))
    return tuple(found)


def _rule(row: dict[str, Any]) -> Rule:
    regex: str = row["regex"]
    if regex.endswith(_END_IN_CODE):
        regex = regex.removesuffix(_END_IN_CODE) + _END_IN_LOGS
    words = tuple(word.lower() for word in row.get("keywords", ()))
    least = float(row.get("entropy", 0))
    return Rule(row["id"], regex, words, row.get("secretGroup", 0), least, "weak" in row, "digit" in row)


@cache
def _keywords() -> tuple[Any, list[list[Rule]]]:
    """All key words in one automaton, and the rules of each."""
    import re2

    by_word: dict[str, list[Rule]] = {}
    for rule in rules():
        for word in rule.keywords:
            by_word.setdefault(word, []).append(rule)
    made = re2.Set.SearchSet()
    for word in by_word:
        made.Add("(?i)" + re.escape(word))
    made.Compile()
    return made, list(by_word.values())


def secrets(text: bytes) -> Iterator[Secret]:
    """The secrets in `text` (UTF-8), rule by rule; they may overlap."""
    words, by_word = _keywords()
    for rule in sorted({rule for number in words.Match(text) or () for rule in by_word[number]}, key=lambda r: r.id):
        for hit in compiled(rule.regex).finditer(text):
            start, stop = _span(rule, hit)
            if _is_secret(rule, text, hit.start(), start, stop):
                yield Secret(start, stop, rule.id)
    if b"-----BEGIN " in text:
        yield from _private_keys(text)


def _span(rule: Rule, hit: Any) -> tuple[int, int]:
    numbers = [rule.group] if rule.group else range(1, len(hit.groups()) + 1)
    for number in numbers:
        if hit.group(number):
            return hit.span(number)  # type: ignore[no-any-return]
    return hit.span()  # type: ignore[no-any-return]


def _is_secret(rule: Rule, text: bytes, begin: int, start: int, stop: int) -> bool:
    value = text[start:stop]
    if value.lstrip(b"\"'\\").startswith(PLACEHOLDER) or (rule.entropy and entropy(value) < rule.entropy):
        return False
    if rule.digit:
        return any(48 <= byte <= 57 for byte in value)
    if not rule.weak:
        return True
    if _HARMLESS.match(value):
        return False
    name = text[max(0, begin - 40) : start]
    named = re.split(rb"[=:\s\"'\\,]", name.rstrip(b"=:\"' \\,>"))[-1]
    if _MODEL_TOKEN.search(named):
        return False
    # A word alone is a password only where a password is named; elsewhere it is a word.
    return b"pass" in named.lower() or b"pwd" in named.lower() or not _PLAIN_WORD.match(value) or len(value) >= 24


def entropy(value: bytes) -> float:
    """Shannon's entropy in bits per byte."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def _private_keys(text: bytes) -> Iterator[Secret]:
    """Each row of a private key after its header, whatever prefix a logger wrote before the rows."""
    for head in _PEM.finditer(text):
        yield Secret(head.start(), head.end(), "private-key")
        stop = text.find(b"-----", head.end(), head.end() + _PEM_LONGEST)
        foot = _PEM_END.match(text, stop) if stop >= 0 else None
        if foot:
            yield Secret(foot.start(), foot.end(), "private-key")
        yield from _key_rows(text, head.end(), stop if stop >= 0 else len(text), bool(foot))


def _key_rows(text: bytes, start: int, stop: int, closed: bool) -> Iterator[Secret]:
    """The rows of a key. One without a footer ends where a line is no row, since that belongs to the log."""
    for number in range(PEM_ROWS):
        end = text.find(b"\n", start, stop)
        end = stop if end < 0 else end
        row = _PEM_ROW.search(text[start:end])
        if row:
            yield Secret(start + row.start(1), start + row.end(1), "private-key")
        elif closed:
            words = text[start:end].split()
            if words and len(words[-1]) > 1:  # the last row is short
                yield Secret(end - len(text[start:end]) + text[start:end].rfind(words[-1]), end, "private-key")
        elif number and text[start:end].strip():
            return
        start = end + 1
        if start > stop:
            return
