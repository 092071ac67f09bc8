"""Sentences of people: which lines are prose, and how a sentence that a writer wrapped goes on."""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.sources.wrapped import columns

_LONGEST = 2000
_MOST = 8  # lines of a paragraph on each side
_NARROW = 40  # columns that a line must fill to be wrapped
_WORD = lazy.pattern(
    r"[A-Za-zÀ-ÿА-Яа-яё]{2,}(?:['’][a-z]{1,2})?(?=[\s,.;:!?)\"'”“»*_]|$)|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
)
# A list item, a heading, a row of a table or the line of a logger begins anew.
_ANEW = lazy.pattern(
    r"^\s*(?:[-*•+]|\d{1,3}[.)]|[一二三四五六七八九十]{1,3}[、.])\s+|^(?:#{1,6}|={1,6}) |^\s*\|"
    r"|^(?:time|ts|t|level|lvl|severity)=\S|^[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
    r"|^[\[(<]?\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d"
)
_ENDED = (".", "!", "?", ":", "。", "!", "?", ":", "|", "`")


def word_count(text: str) -> int:
    """How many words of a natural language a text has; a character of Chinese or Japanese counts as half a word."""
    found = _WORD.findall(text[:_LONGEST])
    wide = sum(1 for word in found if len(word) == 1)
    return len(found) - wide + wide // 2


def paragraph(texts: Sequence[str], at: int) -> tuple[str, int]:
    """The wrapped lines around one, joined by blanks, and where that one begins in them."""
    low = high = at
    while low > 0 and at - low < _MOST and _goes_on(texts[low - 1], texts[low]):
        low -= 1
    while high + 1 < len(texts) and high - at < _MOST and _goes_on(texts[high], texts[high + 1]):
        high += 1
    return " ".join(texts[low : high + 1]), sum(len(text) + 1 for text in texts[low:at])


def _goes_on(text: str, below: str) -> bool:
    """Whether a sentence of prose goes on in the line below."""
    if not below.strip() or len(text) > _LONGEST or text.rstrip().endswith(_ENDED) or _ANEW.match(below):
        return False
    return columns(text) >= _NARROW and word_count(text) >= 6 and word_count(below) >= 2
