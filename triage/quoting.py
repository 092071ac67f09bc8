"""Whether an error text is reported by its line, or only named there: in code, a rule, a search, advice, a report."""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.formats.shapes import TRACED
from triage.library.library import Library
from triage.library.patterns import compiled
from triage.model import Match, Record
from triage.prose import paragraph
from triage.writing import LISTS, Page, bare, header

_LONGEST = 2000
_NEAR = 20  # lines around one that a paragraph may reach
_UNSAID = "?"
_LATIN = "\u0400"
# A search pattern or a template for messages is no message: `.*`, `\d+`, `{{ $value }}`, `%d`, `SeqNum=...`.
_PATTERN = lazy.pattern(r"\.\*|\\[dswDSW][+*{]|\(\?[:iP]|\[\^|\{\{[^}\n]*\}\}|%(?:d|s|u|lu|0\d+x)\b|=\.\.\.[,)]")
# Code that tests, raises, maps or looks for the text: what stands before the opening quotation mark, and after the
# closing one.
_CODE = lazy.pattern(
    r"^\s*raise \w[\w.]*\($|\b(?:grep|egrep|fgrep|rg|ag) (?:-\S+ )*$|\bmatch=r?$"
    r"|^\s*(?:if|elif|while|case)\b[^\n]*[=!]= ?$"
    r"|:msg, *!?(?:contains|startswith|isequal|regex|ereregex), *$"
    r"|[\[{].*\"(?:prompt|instruction|question|answer|completion|reference|chosen|rejected)\": *$"  # a data set
    r"|\"role\": *\"(?:user|assistant|system)\", *\"content\": *$"  # a conversation
    r"|(?:re\.\w+|\.startswith|\.contains|\.includes|\.indexOf|strstr|pytest\.raises|assertRaises\w*)\([^\s\"']*r?$"
)
_TESTS = (
    lazy.pattern(r"^\s*(?:if|elif|while|assert|return|\w+ =)\b(?:[^\n]*\b(?:and|or|not|any|all))?[\s(]*$"),
    lazy.pattern(r"^[\"'] (?:not )?in \w"),
)
_MAPS = (lazy.pattern(r"^\s*[{\[(]?\s*$"), lazy.pattern(r"^[\"']\s*(?::|=>)\s*[\"'{\[]"))
_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "「": "」", "『": "』"}
# Where a sentence begins, and where one ends.
_BEGINS = lazy.pattern(
    r"[.!?]['\"”»)]*\s+(?=[\"'`“„«(]?[A-ZÄÖÜА-ЯÀ-Ý\d])|[。!?;]|^\s*(?:[-*•>#]+|\d{1,3}[.)])\s+"
)
_ENDS = lazy.pattern(r"[.!?]['\"”»)]*(?:\s|$)|[。!?;]")


class Quoting:
    """Tells errors that were reported from errors that were only named, for the records of one run."""

    def __init__(self, library: Library, records: Sequence[Record]) -> None:
        self._words = {key: [compiled(r) for r in library.words.get(key, ())] for key in LISTS}
        self._records: dict[str, list[Record]] = {}
        for record in records:
            self._records.setdefault(record.source, []).append(record)
        self._pages: dict[str, Page] = {}
        self._known: dict[tuple[int, tuple[int, int]], str] = {}

    def why(self, match: Match) -> str:
        """Why the match is no report of an error, or an empty string.

        A kernel, a service or a stack of calls quotes nobody: what has a header of its own is doubted only where
        somebody announces a sample.
        """
        key = (id(match.record), match.span)
        if key not in self._known:
            self._known[key] = self._why(match.record, match.span)
        return self._known[key]

    def _why(self, record: Record, span: tuple[int, int]) -> str:
        number = record.line_at(span[0])
        begin = record.offsets[number]
        line = record.text[begin:].split("\n", 1)[0]
        if len(line) > _LONGEST:
            return ""
        if TRACED.match(line) or TRACED.match(record.lines[number].raw):
            return "a command in the trace of a shell"
        inside = (span[0] - begin, min(span[1] - begin, len(line)))
        if record.format == "text":
            if _PATTERN.search(line):
                return "a pattern or template, not a message"
            if _by_code(line, inside):
                return "quoted in code"
        page = self._page(record.source)
        at = page.places[id(record)] + number
        if inside[0] >= (cut := header(line)):
            line, inside = line[cut:], (inside[0] - cut, inside[1] - cut)
        if why := page.kind(at):
            return why
        why = self._by_sentence(page, at, line, inside) if bare(record) else ""
        if why not in ("", _UNSAID) or (not why and not page.heads(at)):
            return why
        return "listed in documentation" if page.documented(at, line[inside[1] :]) else ""

    def _page(self, source: str) -> Page:
        if source not in self._pages:
            self._pages[source] = Page.of(self._records[source], self._words)
        return self._pages[source]

    def _by_sentence(self, page: Page, at: int, line: str, span: tuple[int, int]) -> str:
        """Why the sentence around the error only names it; empty where it tells of an own error, `_UNSAID` where
        the words leave it open."""
        low = max(0, at - _NEAR)
        text, start = paragraph([one.text for one in page.texts[low : at + _NEAR]], at - low)
        found = text.find(line.strip(), start)
        if found < 0:
            return _UNSAID
        low = found + span[0] - (len(line) - len(line.lstrip()))
        high = low + span[1] - span[0]
        before = text[max((m.end() for m in _BEGINS.finditer(text, 0, low)), default=0) : low]
        end = _ENDS.search(text, high)
        opening, closing = _opening(text, low)
        marked = opening >= 0
        if not marked and before.rstrip().endswith(":") and not page.says("example", before[-_NEAR:]):
            before = ""  # `Saving failed: CUDA error`: a program speaks
        after = text[text.find(closing, max(low, high - 1)) + len(closing) :] if marked else ""
        own = page.says("own", before) or page.says("own", text[high : end.end() if end else len(text)])
        if page.says("hearsay", before):
            return "told by others"
        if own:
            return ""
        if page.says("settled", before) or (marked and (page.closed or page.says("settled", after))):
            return "named as mended"
        foreign = text[high:].lstrip()[:1] > _LATIN and text[high:]  # no error of a program goes on in another script
        if page.says("general", before) or page.says("means", (after or foreign or "").lstrip()):
            return "quoted as an example"
        return _UNSAID


def _by_code(line: str, span: tuple[int, int]) -> bool:
    """Whether a line of code tests, raises, maps or looks for the text."""
    at, end = span
    for mark in ("`", '"', "'"):
        opening = _opened(line, at, mark, mark)
        if opening < 0:
            continue
        closing = line.find(mark, max(at + 1, end - 1))
        before, after = line[:opening], line[closing:] if closing >= 0 else ""
        if _CODE.search(before) or any(a.search(before) and b.search(after) for a, b in (_TESTS, _MAPS)):
            return True
    return False


def _opening(text: str, at: int) -> tuple[int, str]:
    """Where the innermost quotation around column `at` begins, or -1, and the mark that ends it."""
    return max((_opened(text, at, first, last), last) for first, last in _QUOTES.items())


def _opened(text: str, at: int, first: str, last: str) -> int:
    """The same for one pair of marks. An apostrophe inside a word opens nothing."""
    words = first == "'"
    places = [i for i in range(at + 1) if text[i] == first and not (words and text[i - 1 : i].isalnum())]
    if first == last:
        return places[-1] if len(places) % 2 else -1
    return places[-1] if places and text.find(last, places[-1], at) < 0 else -1
