"""What kind of writing stands around a line: a program's source, rules of a monitor, a patch, documentation, a sample.

Logs report errors; these only name them. Whole records with a header of their own (a kernel's, a service's) are judged
by nothing of this but the words that introduce a sample.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from triage import lazy
from triage.model import Record
from triage.prose import word_count

_TOP = 4  # lines of a page that may be its title
_FIRST = 12  # lines in which a report tells its state
_AROUND = 10  # lines in which code shows that a comment or a list is code
_REACH = 200  # lines that a rule file, a patch or a chapter may span around a line
_INTRODUCED = 6  # lines between the words that introduce a sample and its line
_LONGEST = 2000
LISTS = ("own", "hearsay", "general", "settled", "closed", "means", "documentation", "columns", "example")

# Lines of programs: of Python, of languages with braces, of shells, of tests. No log prints several near each other
# outside of a traceback.
_CODE = lazy.pattern(
    r"^\s*(?:(?:async )?def \w+\(|class \w+.*[:{]\s*$|import \w|from [\w.]+ import |@\w[\w.]*(?:\(|$)|raise \w"
    r"|return\b(?! ?code)|(?:if|elif|while|for|with|except)\b[^\n]*:\s*(?:#.*)?$|(?:try|else|finally):\s*$"
    r"|#(?:include|define|ifn?def|endif|pragma)\b|[^\s\"'{].*[;{]\s*$|(?:if|for|while|switch|else if) ?\(.*\) ?\{?"
    r"|[\w:.]+(?:\([^)]*\))? => .*,$|#!?\[\w+.*\]$"
    r"|\} ?(?:else|catch|finally|while)?\b.*[{;]?\s*$|\w[\w.\[\]]* (?::?=|\+=) [^=\n]+[,;({\[]\s*$"
    r"|(?:static|const|constexpr|void|let|var|export|func|fn|pub|use|package|type|impl)\b[^\n]*[{(=,]\s*$"
    r"|(?:it|describe|test|expect|print(?:f|ln)?|EXPECT_\w+|ASSERT_\w+|TEST(?:_[FP])?|assert|log(?:ger)?\.\w+|self\.\w+)\s*[(.]"
    r"|case \S+[):]|case \"|default:|esac$|fi$|done$|local \w+=|function \w+ ?\{)"
)
_COMMENT = lazy.pattern(r"^\s*(?:#(?!#* ?\[)(?!\S*[$#] )|/{2,}!?|/\*|\*(?!\*)|<!--|--(?!-)|;;?|REM\b|%+)(?:\s|$|!)")
_ELEMENT = lazy.pattern(r"^\s*[\[({]*\s*[rRbBuUfF]?([\"'`]).*\1\s*(?:[,:)\]}]|=>).*$")
_STRING = lazy.pattern(r"[\"'`]")
_DOCSTRING = lazy.pattern("\"\"\"|'''")
_HUNK = lazy.pattern(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_PATCH = lazy.pattern(r"^(?:[ +\-\\@]|diff --git |index |$)")
# What rules and configurations of monitors, collectors and dashboards are made of.
_RULE = lazy.pattern(
    r"^\s*(?:- )?(?:alert|expr|record|runbook_url|annotations|regexp?|patterns?|match_?patterns?|logql|promql)\s*:"
    r"|^\s*kind: *(?:ConfigMap|\w*Rules?|Grafana\w+|AlertmanagerConfig|(?:Cluster)?(?:Flow|Output)|LogPipeline)\b"
    r"|^\s*(?:- )?(?:match_type|bodies|selector|expression|exclude|include|processors|pipeline_stages|transforms?)\s*:"
    r"|^\s*\[(?:transforms|sinks|sources)\.|^\s*(?:condition|inputs|filter)\s*=\s|\bcontains!?\([^\"\n]{0,30}\.\w"
    r"|\"(?:expr|panels|patterns?|regexp?|rules|query(?:_string)?|thresholds|conditions|targets|filterPattern)\"\s*:"
    r"|^\s*@type \w|^\s*</?(?:filter|match|source|regexp|pattern|rule|or|and)\b[^>]*>\s*$"
    r"|^\s*\[(?:FILTER|PARSER|INPUT|OUTPUT)\]|count_over_time\(|\|[=~] ?[\"`]"
    r"|^\s*(?:Regex|pattern|regexp?|failregex|match|grok|Rule|message_key|expression)\s+[\"/^$(]"
    r"|\b(?:rate|increase|sum|avg_over_time)(?: by ?\([^)]*\))? ?\(|^\s*(?:search|query)\s*[:=]\s*\S",
)
_VALUE = lazy.pattern(r"^(?:\s{2,}|\t|- |[<\[\"'@(]|\w[\w.-]* ?= )|^contains")
_COMMIT = lazy.pattern(r"^(?:\d+[:-])?[*|\\/ ]*(?:commit )?[0-9a-f]{7,40} (?=[A-Za-z(])")
# Formats whose records may be a lone line, and the fields that only a header gives.
_LOOSE = ("text", "kernel", "nccl", "windows-device", "torchrun", "traceback")
_PROCESS = ("rank", "local_rank", "pid")
_HEADER = {"host", "boot", "level", "ident", "pid", "rank"}
_TALL = 12  # lines of a record that may be prose
_CALM = lazy.pattern(
    r"^[\[(]?\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d\S{0,16}[\])]?[\s|:-]{1,5}"
    r"[\[(]?(?:INFO|DEBUG|NOTICE)\b[\])]?[\s|:-]{0,5}"
)
_TAG, _TAGS = lazy.pattern(r"<(?:h[1-6]|title)\b"), 200  # the longest that tags of a heading are
_FENCE = lazy.pattern(r"^\s*(?:```|~~~)")
_HEADING = lazy.pattern(
    r"^(?:(?P<marks>#{1,6}|={1,6}|h[1-6]\.) +|.{0,80}?<(?:h(?P<level>[1-6])|title)\b[^>]*>)(?P<title>[^\s<].{0,150}?)"
    r"(?: [#=]+|</.*)?$"
)
_RULED = lazy.pattern(r"^\s*(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$")
_BOLD = lazy.pattern(r"^\*\*(?P<title>[^*\n]{2,80})\*\*:?$")
_SUBJECT = lazy.pattern(r"^(?:Title|Subject|Betreff|Titel|标题|主题|Тема|件名)\s*[::]\s*(?P<title>.{2,150})$")
_ROW = lazy.pattern(r"^\s*\|.*\|\s*$")
_TABLE = lazy.pattern(r"^\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_ITEM = lazy.pattern(r"^\s*(?:[-*•+]|\d{1,3}[.)]|[一二三四五六七八九十]{1,3}[、.])\s+")
_DASH = lazy.pattern(r".{0,40}(?: (?:-{1,2}|–|—|→|=>|=) |\t)\S+ \S")
_CLOCK = lazy.pattern(r"\d\d?:\d\d")


@dataclass(slots=True)
class Text:
    """A line of a page as a person sees it; `bare`: no header tells when, where or by whom it was written."""

    text: str
    bare: bool


@dataclass
class Page:
    """The lines of one source, with what was found out about them."""

    texts: list[Text]
    words: dict[str, list[Any]]
    places: dict[int, int] = field(default_factory=dict)  # where the lines of a record begin, by its id()
    _code: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Sequence[Record], words: dict[str, list[Any]]) -> Page:
        """The page of the records of one source; `words` are the compiled lists of `signatures/quoting.yaml`."""
        page = cls([], words)
        for record in records:
            alone = bare(record)
            page.places[id(record)] = len(page.texts)
            page.texts += [Text(shown(record, i), alone) for i in range(len(record.lines))]
        return page

    def says(self, key: str, text: str) -> bool:
        """Whether a word of the list `key` is in the text."""
        return len(text) <= _LONGEST and any(p.search(text) for p in self.words.get(key, ()))

    def kind(self, at: int) -> str:
        """What a line is part of that reports nothing, or an empty string."""
        if self.introduced(at):
            return "shown as an example"
        if not self.texts[at].bare:
            return ""
        if self._in_patch(at) or self._among_commits(at):
            return "part of a change"
        if self._in_code(at):
            return "part of a program's source"
        if self._among_rules(at):
            return "part of the rules of a monitor"
        return "listed in a table of errors" if self._in_table(at) else ""

    def introduced(self, at: int) -> bool:
        """Whether the line of words above the line, of which only the sample stands in between, announces one."""
        low = max(0, at - _INTRODUCED)
        for i in range(at - 1, low - 1, -1):
            text = self.texts[i].text.strip().rstrip("*_ ")
            if not self.texts[i].bare or not text or _FENCE.match(text):
                continue
            if text.endswith((":", ":", "like", "see", "如下", "是")):
                return self.says("example", text[-200:]) and not self.says("own", text)
            if word_count(text) >= 4:
                return False
        return False

    def _near(self, at: int, reach: int) -> Iterator[int]:
        return iter(range(max(0, at - reach), min(len(self.texts), at + reach + 1)))

    def _is_code(self, i: int) -> bool:
        if i not in self._code:
            one = self.texts[i]
            self._code[i] = one.bare and len(one.text) <= _LONGEST and _CODE.match(one.text) is not None
        return self._code[i]

    def _in_code(self, at: int) -> bool:
        """Whether the line is code itself, a comment or a text of a program; a bare line between code is output."""
        text = self.texts[at].text
        if sum(self._is_code(i) for i in self._near(at, _AROUND) if i != at) < 2:
            return False
        if _COMMENT.match(text) or _ELEMENT.match(text):
            return True
        if self._is_code(at) and _STRING.search(text):
            return True
        return len(_DOCSTRING.findall(text)) == 2 or self._in_docstring(at)

    def _in_docstring(self, at: int) -> bool:
        above = sum(len(_DOCSTRING.findall(self.texts[i].text)) for i in range(max(0, at - _REACH), at))
        below = range(at + 1, min(len(self.texts), at + _REACH))
        return above % 2 == 1 and any(_DOCSTRING.search(self.texts[i].text) for i in below)

    def _in_patch(self, at: int) -> bool:
        for i in range(at, max(-1, at - _REACH), -1):
            if _HUNK.match(self.texts[i].text):
                return True
            if not _PATCH.match(self.texts[i].text):
                return False
        return False

    def _among_commits(self, at: int) -> bool:
        near = (self.texts[i].text for i in self._near(at, 2))
        return _COMMIT.match(self.texts[at].text) is not None and sum(1 for t in near if _COMMIT.match(t)) >= 3

    def _among_rules(self, at: int) -> bool:
        """Whether a value, an item or a directive stands among rules; a program's line begins in the first column."""
        text = self.texts[at].text
        if self._is_log or not (_VALUE.match(text) or _RULE.search(text[:_LONGEST])):
            return False
        near = (self.texts[i] for i in self._near(at, _REACH))
        marks = (one for one in near if one.bare and _RULE.search(one.text[:_LONGEST]))
        return len(list(islice(marks, 2))) == 2

    @cached_property
    def closed(self) -> bool:
        """Whether a report says at its top that what it tells of is over."""
        return any(one.bare and self.says("closed", one.text) for one in self.texts[:_FIRST])

    @cached_property
    def _is_log(self) -> bool:
        """Whether many lines have a header or a time: then no words around a line make it a document."""
        full = [one for one in self.texts if one.text.strip()]
        return sum(not one.bare for one in full) > 0.3 * len(full)

    def _in_table(self, at: int) -> bool:
        """Whether the line is a row of a table, in Markdown or of cells, whose head names meanings or remedies."""
        text = self.texts[at].text
        mark = "|" if _ROW.match(text) else "\t" if "\t" in text.strip() else next((c for c in ",;" if c in text), "")
        if not mark or _CLOCK.search(text):
            return False
        cells = text.count(mark)
        for i in range(at - 1, max(-1, at - _REACH), -1):
            above = self.texts[i].text
            if mark not in above:
                return False
            if above.count(mark) <= cells and above.count(mark) >= 2 and self.says("columns", above):
                return i == 0 or mark not in self.texts[i - 1].text
        return False

    @cached_property
    def _headings(self) -> list[tuple[int, int, str]]:
        """Index, level (1 to 7) and title of each heading; what stands on top of a page may be its title (level 0)."""
        found: list[tuple[int, int, str]] = []
        fenced = False
        lines = 0
        for i, one in enumerate(self.texts):
            text = one.text
            if _FENCE.match(text):
                fenced = not fenced
            if fenced or not one.bare or not text.strip() or len(text) > 200:
                continue
            below = self.texts[i + 1].text if i + 1 < len(self.texts) else ""
            if heading := _HEADING.match(text):
                found.append((i, _depth(heading), heading["title"]))
            elif subject := _SUBJECT.match(text):
                found.append((i, 1, subject["title"]))
            elif bold := _BOLD.match(text):
                found.append((i, 7, bold["title"]))
            elif _RULED.match(below) and word_count(text) <= 14:
                found.append((i, 1 + "=-~^".index(below.strip()[0]), text.strip()))
            elif lines < _TOP and word_count(text) <= 14:
                found.append((i, 0, text.strip()))
            lines += 1
        return found

    def heads(self, at: int) -> bool:
        """Whether the line is a heading for sure."""
        return any(i == at and level for i, level, _ in self._headings)

    def documented(self, at: int, after: str) -> bool:
        """Whether a heading above says that errors are listed here, and nobody tells of his own there.

        A line at the top need not be a title: below it only items count, and errors with words behind a dash (`after`).
        """
        if self._is_log or not self.texts[at].bare:
            return False
        level = 8
        for i, depth, title in reversed(self._headings[: bisect.bisect(self._headings, at, key=lambda h: h[0])]):
            if depth == 0 and (i == at or not (_ITEM.match(self.texts[at].text) or _DASH.match(after))):
                continue
            if depth >= level and depth not in (0, 7):
                continue
            level = depth or level
            if self.says("documentation", title) and not self.says("own", title):
                return not self._own_between(i, self._end(i, depth))
        return False

    def _end(self, start: int, depth: int) -> int:
        """Where the chapter ends that begins with a heading: before the next one that is not deeper."""
        return next((i for i, level, _ in self._headings if i > start and 0 < level <= depth), len(self.texts))

    def _own_between(self, low: int, high: int) -> bool:
        within = (i for i in range(low, min(high, low + _REACH)) if self.texts[i].bare and not self.heads(i))
        return any(self.says("own", self.texts[i].text) for i in within if word_count(self.texts[i].text) >= 3)


def _depth(heading: re.Match[str]) -> int:
    marks = heading["marks"]
    return int(heading["level"] or 1) if marks is None else int(marks[1]) if marks[:1] == "h" else min(len(marks), 6)


def bare(record: Record) -> bool:
    """Whether a record has no header of its own that tells when or by whom it was written, and is no stack of calls.

    What collectors put in front of each line (times, pods) is no header of the record; a rank or a process is.
    """
    if record.format not in _LOOSE or len(record.lines) > _TALL or any(key in record.fields for key in _PROCESS):
        return False
    first = record.lines[0]
    stamped = record.time is not None and "time" not in first.fields and not _CALM.match(first.text)
    if stamped or (record.fields.keys() - first.fields.keys()) & _HEADER:
        return False
    return record.format != "traceback" or "(most recent call last)" not in record.text


def shown(record: Record, i: int) -> str:
    """A line without its wrapper, but with the tags of a page, which make headings."""
    line = record.lines[i]
    tagged = _TAG.search(line.raw[: _TAGS + len(line.text)]) and not _TAG.search(line.text)
    return line.raw if tagged else line.text[header(line.text) :]


def header(text: str) -> int:
    """How long the header is that a program puts in front of what it tells at leisure: time and a low level."""
    found = _CALM.match(text)
    return found.end() if found else 0
