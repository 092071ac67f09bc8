"""Takes secrets out of logs and puts stable pseudonyms for who and where, and leaves what a diagnosis needs."""

from __future__ import annotations

import re
import secrets as random
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from triage.redact import detector, identities, names, views
from triage.redact.pseudonyms import Pseudonyms

_LEAST_AGAIN = 8  # characters of a secret from which it is also looked for where no rule finds it
_MOST_AGAIN = 1000

# Start, stop, kind, value; a secret has the kind "secret" and its rule as value.
Span = tuple[int, int, str, str]


@dataclass(slots=True, frozen=True)
class Found:
    """Characters `start` to `stop` of a text are a secret, or name somebody or something; `new` is their stand-in."""

    start: int
    stop: int
    kind: str
    new: str


class Redactor:
    """Redacts texts under one key: what is equal in two texts stays equal.

    `counts` tells how many of which kind were replaced, never what they were. Without `key` (any bytes) a random one is
    made, and the pseudonyms of two redactors differ. Kinds in `keep` (`host`, `uuid` ...) are left as they are.
    """

    def __init__(self, key: bytes | None = None, keep: Collection[str] = ()) -> None:
        self._keep = frozenset(keep)
        self._pseudonyms = Pseudonyms(key or random.token_bytes(32))
        self._names = names.NameBook(_vocabulary())
        self._again: dict[bytes, str] = {}
        self.counts: Counter[str] = Counter()

    def learn(self, text: str) -> None:
        """Notes the names and secrets in `text`, so that `redact` knows them in texts that stand before it, too."""
        data = _encoded(text)
        self._learn(data, views.views(data))

    def note(self, name: str, kind: str) -> None:
        """Notes one name of the kind `user` or `host` that is known from elsewhere."""
        if names.is_user(name) if kind == "user" else names.is_host(name):
            self._names.note(name, kind)

    def redact(self, text: str) -> str:
        """`text` without secrets, with pseudonyms; as many lines as before. Idempotent under one key."""
        data = _encoded(text)
        parts: list[bytes] = []
        at = 0
        for start, stop, kind, new in self._replacements(data):
            self.counts[kind] += 1
            parts += [data[at:start], new.encode(), b"\n" * data.count(b"\n", start, stop)]
            at = stop
        return b"".join([*parts, data[at:]]).decode("utf-8", "surrogatepass")

    def found(self, text: str) -> list[Found]:
        """What `redact` would replace in `text`, in order; places count in characters."""
        data = _encoded(text)
        made, at, chars = [], 0, 0
        for start, stop, kind, new in self._replacements(data):
            chars += len(data[at:start].decode("utf-8", "surrogatepass"))
            value = data[start:stop].decode("utf-8", "surrogatepass")
            made.append(Found(chars, chars + len(value), kind, new))
            chars, at = chars + len(value), stop
        return made

    def _replacements(self, data: bytes) -> Iterator[Span]:
        """Start, stop, kind and stand-in of what is to be replaced."""
        seen = list(views.views(data))
        spans = self._learn(data, seen)
        for view in seen:
            spans += _identities(view, self._names.found(view.text))
        for start, stop, kind, value in _chosen([*spans, *self._known(data)]):
            if kind not in self._keep:
                new = f"{detector.PLACEHOLDER.decode()}:{value}]" if kind == "secret" else self.value(kind, value)
                if new != value:
                    yield start, stop, kind, new

    def _learn(self, data: bytes, seen: Iterable[views.View]) -> list[Span]:
        """Notes the names and secrets in the views of `data`; where they stand, and all that its shape shows."""
        spans: list[Span] = []
        for view in seen:
            spans += _secrets(view)
            spans += _identities(view, self._names.learn(view.text))
            spans += _identities(view, identities.identities(view.text))
        for start, stop, kind, rule in spans:
            value = data[start:stop] if kind == "secret" else b""
            if len(value) >= _LEAST_AGAIN and len(self._again) < _MOST_AGAIN and b"\n" not in value:
                self._again.setdefault(value, rule)
        return spans

    def _known(self, data: bytes) -> Iterator[Span]:
        for value, rule in self._again.items():
            at = data.find(value)
            while at >= 0:
                yield at, at + len(value), "secret", rule
                at = data.find(value, at + len(value))

    def value(self, kind: str, value: str) -> str:
        """The pseudonym of one value whose kind is known; the value itself where its kind is kept."""
        if kind in self._keep:
            return value
        try:
            return self._pseudonyms.of(kind, value)
        except ValueError:
            return value


def redact(text: str, key: bytes | None = None) -> str:
    """`text` without secrets, with pseudonyms for users, hosts, addresses and serials. See `Redactor`."""
    return Redactor(key).redact(text)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _identities(view: views.View, found: Iterable[identities.Identity]) -> Iterator[Span]:
    for one in found:
        value = view.text[one.start : one.stop].decode("utf-8", "replace")
        yield (*view.origin(one.start, one.stop), one.kind, value)


def _secrets(view: views.View) -> Iterator[Span]:
    for secret in detector.secrets(view.text):
        yield (*view.origin(secret.start, _whole(view.text, secret.stop)), "secret", secret.rule)
    rows, places = views.encoded(view.text)
    for secret in detector.secrets(rows) if rows else ():
        _, start, stop = places[bisect_right(places, (secret.start, 1 << 62, 0)) - 1]
        yield (*view.origin(start, stop), "secret", secret.rule)


def _whole(text: bytes, stop: int) -> int:
    """The end of the word in which a secret ends: a rule may take fewer characters than there are."""
    while stop < len(text) and (text[stop : stop + 1].isalnum() or text[stop] in b"_-"):
        stop += 1
    return stop


def _chosen(spans: Sequence[Span]) -> list[Span]:
    """Spans that do not overlap, in order: secrets before all, joined where they overlap; then the longer first."""
    taken: list[Span] = []
    for span in sorted(span for span in spans if span[2] == "secret"):
        if taken and span[0] < taken[-1][1]:
            last = taken[-1]
            taken[-1] = (last[0], max(last[1], span[1]), last[2], last[3])
        else:
            taken.append(span)
    starts = [span[0] for span in taken]
    for span in sorted((span for span in spans if span[2] != "secret"), key=lambda s: (s[0] - s[1], s)):
        place = bisect_right(starts, span[0])
        if (place and taken[place - 1][1] > span[0]) or (place < len(taken) and starts[place] < span[1]):
            continue
        starts.insert(place, span[0])
        taken.insert(place, span)
    return taken


@cache
def _vocabulary() -> frozenset[str]:
    """The words that signatures look for."""
    from triage.library.loader import load_library

    table = load_library(shared=True).table()
    return names.words(re.sub(r"\\\\.", " ", regex) for regex in table.regexes)
