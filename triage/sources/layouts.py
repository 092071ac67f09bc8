"""Prefixes that only the other lines of a source tell: quote marks, labels, line numbers, stamps of any tool.

What other text may look like (`3: `, `node07: `, `web  | `, `> `, `12:01:58 `) is taken off only where most lines of
the source have it. Layers nest (`grep -n` over `docker logs -t`), so one is found, taken off, and the next looked for.
"""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from triage import lazy
from triage.sources.prefixes import Fields, peel
from triage.sources.stamps import COLLECTED, ISO, goes_on, has_header, is_foreign, is_inner, is_stamped

_QUOTE = lazy.pattern(r">(?!>>) ?")
_ACTIONS = lazy.pattern(r"[^\t]{1,200}\t[^\t]{1,200}\t\ufeff?(?=[0-9]{4}-[0-9]{2}-[0-9]{2}T)")
_NO_CLOCK = r"(?![0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\s)"
_SRUN = lazy.pattern(rf" *{_NO_CLOCK}(?P<rank>[0-9]{{1,6}}): ?")
_NODE = lazy.pattern(
    r"(?!(?:eth|ens|eno|enp|ib|cuda|nvme|sd|mlx|step|epoch|iter|layer|line|stage|nv|dev|tty|cpu)[0-9]|gpu[0-9]:)"
    r"(?:rank[_-]?(?P<rank>[0-9]+)|(?P<host>[a-z][a-z0-9.-]*[0-9][a-z0-9.-]*|[0-9]{1,3}(?:\.[0-9]{1,3}){3})): "
)
# What pdsh and the like are asked for on nodes with GPUs.
_ANSWER = lazy.pattern(r"GPU [0-9]+: |NVIDIA-SMI |No devices were|Failed to initialize NVML|Unable to determine|NVRM: ")
_SERVICE = lazy.pattern(r"(?P<container>[A-Za-z][\w.-]{2,60}) *\| ?")
# The stamps of collectors, of `ts`, of browsers and of copies from dashboards.
_STAMPS = (
    lazy.pattern(rf"(?P<time>{ISO})[ \t]"),
    lazy.pattern(rf"\[(?P<time>{ISO})\]:? ?"),
    lazy.pattern(r"(?P<time>[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,:][0-9]{1,9})?)[ \t]"),
    lazy.pattern(r"(?P<time>[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?) "),
    lazy.pattern(r"\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?\]?  "),  # Jenkins writes two blanks
    lazy.pattern(r"\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?\]?[ \t]"),
    lazy.pattern(r"(?P<epoch>1[0-9]{9}(?:[0-9]{3}|[0-9]{6}|[0-9]{9})?)(?:\.[0-9]{1,9})?[ \t]"),
)
_LEVEL = lazy.pattern(
    r"(?:[-|] )?\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL"
    r"|trace|debug|info|warn|warning|error|[IWE])\]?(?: [-|] |: |\t| )"
)
# Numbers of lines as grep, cat, nl, less, bat and web pages print them; `-` marks grep's lines of context.
_NUMBERS = (
    lazy.pattern(rf"{_NO_CLOCK}(?P<n>[0-9]{{1,9}})[:-]"),
    lazy.pattern(r"[\w./@+-]{1,160}?\.(?:log|txt|out|err|gz|[0-9])[:-](?P<n>[0-9]{1,9})[:-]"),
    lazy.pattern(r" {0,8}(?P<n>[0-9]{1,9})(?: [│|] ?|\t|  )"),
    lazy.pattern(r" {0,8}(?P<n>[0-9]{1,9}) "),
    lazy.pattern(r"[Ll](?:ine )?(?P<n>[0-9]{1,9}):? "),
)
# A word or mark before every line: pods, files, streams, comments, additions of a diff.
_LABEL = lazy.pattern(
    r"(?:\+|//+ ?|[#;%*|] ?|\[[A-Za-z][\w./-]{1,60}\] |\{[^{}]{3,200}\} "
    r"|(?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)"
    r"[A-Za-z][\w./@-]{1,80}(?: [\w./@-]{1,60})?(?:: ?| \| ?|\t| ))"
)
_TAGS = (
    "a|abbr|b|blockquote|body|br|button|code|div|em|font|h[1-6]|head|hr|html|i|img|li|link|meta|ol|p|pre|script|section"
    "|small|span|strong|style|sup|table|tbody|td|th|thead|title|tr|tt|u|ul"
)
_TAG = lazy.pattern(
    rf"<(?:/(?:{_TAGS})|(?:{_TAGS})(?: [\w-]+=(?:\"[^\"]*\"|'[^']*'|[^\s>]+)| [\w-]+)*) ?/?>|<!DOCTYPE[^>]*>"
)
_CLOSING = lazy.pattern(r"</(?:span|div|p|td|li|code)>|<br ?/?>")
_BLOCK = lazy.pattern(r"\s*<(?:!DOCTYPE html|html|body|pre|pre [^>]*|code|div class=[^>]*)\b[^>]*>")
_LABELS_MOST = 16
_LAYERS_MOST = 5


@dataclass(slots=True, frozen=True)
class Layer:
    """One such prefix; what the named groups of its pattern tell becomes fields."""

    kind: str
    pattern: re.Pattern[str]


@dataclass(slots=True, frozen=True)
class Layout:
    """The layers of a source from outside in, whether a collector stamped its lines, and whether it is a web page."""

    layers: tuple[Layer, ...] = ()
    stamped: bool = False
    html: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the layers."""
        return tuple(layer.kind for layer in self.layers)


PLAIN = Layout()


def layout_of(texts: Sequence[str]) -> Layout:
    """The doubtful prefixes that most of `texts` (the first lines of a source, colours removed) share."""
    layers: list[Layer] = []
    stamped = after_stamp = False
    tagged = is_html(texts)
    rests = [text for text in (map(untag, texts) if tagged else texts) if text.strip()]
    while len(layers) < _LAYERS_MOST:
        rests = [rest for rest in (peel(text, {}) for text in rests) if rest]
        if len(rests) < 2:
            break
        if not stamped and is_stamped(rests):
            stamped = after_stamp = True
            rests = [COLLECTED.sub("", rest, count=1) for rest in rests]
            continue
        layer = next((found for find in _FINDERS if (found := find(rests, after_stamp))), None)
        if layer is None:
            break
        layers.append(layer)
        after_stamp = layer.kind == "stamp"
        rests = [layer.pattern.sub("", rest, count=1) if layer.pattern.match(rest) else rest for rest in rests]
    return Layout(tuple(layers), stamped, tagged)


def doubtful(text: str, fields: Fields, layers: Sequence[Layer]) -> tuple[str, int] | None:
    """`text` without the outermost of these layers that it has, and how many are done with; None when it has none."""
    for number, layer in enumerate(layers, 1):
        found = layer.pattern.match(text)
        if found and found.end():
            for name, value in found.groupdict().items():
                if value and name in ("rank", "host", "container", "time", "epoch"):
                    fields.setdefault("time" if name == "epoch" else name, value)
            return text[found.end() :], number
    return None


def is_html(texts: Sequence[str]) -> bool:
    """Whether a web page was saved or copied: a block of code, or most lines between tags."""
    tagged = sum(1 for text in texts if _CLOSING.search(text))
    return any(_BLOCK.match(text) for text in texts) or (tagged >= 3 and tagged > 0.5 * len(texts))


def untag(text: str) -> str:
    """`text` without the tags of a web page; `<module>` and the like are no such tags."""
    return html.unescape(_TAG.sub("", text)) if "<" in text or "&" in text else text


def _matched(pattern: re.Pattern[str], texts: Sequence[str]) -> list[tuple[re.Match[str], str]]:
    return [(found, text[found.end() :]) for text in texts if (found := pattern.match(text))]


def _tells(rests: Sequence[str]) -> bool:
    """Whether what stands behind a prefix shows that it is one: messages that go on, or headers of their own."""
    goes = any(map(goes_on, rests)) and not all(rest[:1].isspace() for rest in rests)
    return goes or any(map(is_inner, rests))


def _quoted(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    return Layer("quoted", _QUOTE) if len(_matched(_QUOTE, texts)) > 0.6 * len(texts) else None


def _actions(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    return Layer("actions", _ACTIONS) if len(_matched(_ACTIONS, texts)) > 0.6 * len(texts) else None


def _stamped(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """A program stamps its messages; who stamps the lines inside of them too is a collector."""
    for pattern in _STAMPS:
        rests = [rest for _, rest in _matched(pattern, texts)]
        if len(rests) < 2 or len(rests) < 0.9 * len(texts):
            continue
        if sum(map(has_header, rests)) <= 0.5 * len(rests) and (_tells(rests) or _constant(rests, True)):
            return Layer("stamp", pattern)
        levels = [rest for _, rest in _matched(_LEVEL, rests)]
        if len(levels) >= 0.9 * len(rests) and any(map(is_foreign, levels)):
            return Layer("stamp", re.compile(pattern.pattern + _LEVEL.pattern))
    return None


def _levels(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """The level that a collector puts before each line; a program's own stands before none that goes on."""
    if not after_stamp or any(goes_on(text) for text in texts if not _LEVEL.match(text)):
        return None
    rests = [rest for _, rest in _matched(_LEVEL, texts)]
    return Layer("level", _LEVEL) if len(rests) >= 0.9 * len(texts) and any(map(is_foreign, rests)) else None


def _labelled(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """`srun -l`: task numbers come back; a numbered listing only counts up."""
    labels = [found["rank"] for found, _ in _matched(_SRUN, texts)]
    holds = len(labels) >= 3 and len(labels) > 0.6 * len(texts) and len(set(labels)) < len(labels)
    return Layer("labelled", _SRUN) if holds else None


def _nodes(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    found = _matched(_NODE, texts)
    names = Counter(match[0] for match, _ in found)
    often = len(found) >= 2 * len(names) or _one_line_each([match for match, _ in found], [rest for _, rest in found])
    holds = len(found) >= 4 and len(found) >= 0.8 * len(texts) and often
    return Layer("nodes", _NODE) if holds else None


def _one_line_each(names: Sequence[re.Match[str]], rests: Sequence[str]) -> bool:
    """Whether numbered hosts of one name answer a command about GPUs with a line each."""
    stems = {re.sub(r"[0-9]+", "0", name["host"] or "") for name in names}
    return len(stems) == 1 and "" not in stems and any(map(_ANSWER.match, rests))


def _services(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """`docker compose logs`: the bars stand in one column; a table has more of them."""
    found = _matched(_SERVICE, texts)
    if len(found) < 2 or len(found) < 0.8 * len(texts):
        return None
    bars = {match[0].index("|") for match, _ in found}
    tables = sum(1 for _, rest in found if " | " in rest)
    names = {match["container"] for match, _ in found}
    holds = len(bars) == 1 and tables <= 0.5 * len(found) and len(names) < len(found)
    return Layer("services", _SERVICE) if holds else None


def _numbered(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """Numbers that only rise, before lines of some log: a listing of devices or processes has no such lines."""
    for pattern in _NUMBERS:
        found = _matched(pattern, texts)
        if len(found) < 3 or len(found) < 0.9 * len(texts):
            continue
        numbers = [int(match["n"]) for match, _ in found]
        rises = sum(1 for a, b in itertools.pairwise(numbers) if a < b)
        if rises >= 0.95 * (len(numbers) - 1) and _tells([rest for _, rest in found]):
            return Layer("numbers", pattern)
    return None


def _indented(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """A log below prose, as in Markdown or YAML: all but the prose is indented."""
    widths = sorted(len(text) - len(text.lstrip(" ")) for text in texts)
    width = widths[len(widths) // 5]
    if 2 <= width <= 16 and any(is_inner(text[width:]) for text in texts if text[:width].isspace()):
        return Layer("indent", re.compile(f" {{{width}}}"))
    return None


def _constant(texts: Sequence[str], after_stamp: bool) -> Layer | None:
    """A few words or marks that stand before every line."""
    starts = Counter(found[0] for found, _ in _matched(_LABEL, texts))
    labels = sorted((label for label, count in starts.most_common(_LABELS_MOST) if count > 1), key=len, reverse=True)
    if not labels or len(texts) < max(3, 2 * len(labels)) or has_header(texts[0]):
        return None
    bare = [label.rstrip() + "$" for label in map(re.escape, labels) if label.endswith(" ")]  # before an empty line
    pattern = re.compile("|".join([*map(re.escape, labels), *bare]))
    rests = [rest for _, rest in _matched(pattern, texts)]
    return Layer("label", pattern) if len(rests) >= 0.9 * len(texts) and any(map(is_inner, rests)) else None


_FINDERS: tuple[Callable[[Sequence[str], bool], Layer | None], ...] = (
    _quoted, _actions, _stamped, _levels, _labelled, _nodes, _services, _numbered, _indented, _constant,
)  # fmt: skip
