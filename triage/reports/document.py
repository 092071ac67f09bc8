"""An incident report as parsed Markdown: front matter, blocks, links and ignores, each with its line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any

from triage import lazy
from triage.reports import headings
from triage.reports.front import Front, read

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_IGNORE = lazy.pattern(r"<!--\s*triage:\s*(ignore-file|ignore)\b[ \t]*([^\n]*?)\s*-->")
_CODES = lazy.pattern(r"(TRI\d{3}|[a-z]+(?:-[a-z]+)+)\s*([,:]|(?=\s|$))", re.ASCII)
_PRE = lazy.pattern(r"(?is)<pre\b[^>]*>\n?(.*?)(?:</pre\s*>|\Z)")
_MARKUP = lazy.pattern(r"(?i)</?(?:code|span|b|i|em|strong|font|mark)\b[^<>]*>")
_LINE_END = lazy.pattern(r"\r\n?|\n")  # as markdown-it counts them


@dataclass(slots=True)
class Block:
    """A block of the page in lines `start` to `stop` (1-based, half open). A fence's `text` is its content, which
    begins on line `inner`; a heading has a `level`; `info` are the words behind the opening of a fence."""

    kind: str
    start: int
    stop: int
    text: str = ""
    info: str = ""
    level: int = 0
    inner: int = 0


@dataclass(slots=True)
class Span:
    """A link (`href` set) or a piece of inline code."""

    line: int
    text: str
    href: str = ""


@dataclass(slots=True)
class Ignore:
    """A comment that silences codes in lines `start` to `stop`; `used` are those that it silenced."""

    line: int
    codes: list[str]
    reason: str
    start: int
    stop: int
    used: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Document:
    """A report. Line `n` (from 1) is `lines[n - 1]` and begins at character `starts[n - 1]` of `text`."""

    path: str
    text: str
    newline: str = "\n"
    lines: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    matter: Front = field(default_factory=Front)
    blocks: list[Block] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    ignores: list[Ignore] = field(default_factory=list)

    @property
    def front(self) -> dict[str, Any]:
        """The entries of the front matter, as texts, lists and tables of texts."""
        return self.matter.values

    @property
    def broken(self) -> tuple[int, str] | None:
        """What is wrong with the front matter, with its line."""
        return self.matter.broken

    @property
    def front_stop(self) -> int:
        """The line behind the front matter, 1 without any."""
        return self.matter.stop

    def offset(self, line: int, column: int = 0) -> int:
        """The character of the text where a line (from 1) and column (from 0) is."""
        return self.starts[line - 1] + column

    def fences(self) -> Iterator[Block]:
        """All blocks of code, nested ones too."""
        return (block for block in self.blocks if block.kind == "fence")

    def sections(self) -> Iterator[tuple[Block, int]]:
        """Each heading, with the line behind its section."""
        heads = [block for block in self.blocks if block.kind == "heading"]
        for number, head in enumerate(heads):
            ends = (other.start for other in heads[number + 1 :] if other.level <= head.level)
            yield head, next(ends, len(self.lines) + 1)

    def section(self, names: Sequence[str]) -> tuple[Block, int] | None:
        """The section whose heading says one of `names` (lower case): the first that begins so, else the first that
        contains it; where no heading does, a label."""
        for known in (list(self.sections()), list(self._labels())):
            number = headings.says([head.text for head, _ in known], names)
            if number is not None:
                return known[number]
        return None

    def _labels(self) -> Iterator[tuple[Block, int]]:
        """Each label, with the line behind what it is about: the next label or heading."""
        marks = sorted((b for b in self.blocks if b.kind in ("heading", "label")), key=lambda block: block.start)
        stops = [*(mark.start for mark in marks[1:]), len(self.lines) + 1]
        for one, stop in zip(marks, stops, strict=False):
            if one.kind == "label":
                yield one, stop

    def prose(self, start: int, stop: int) -> str:
        """Lines `start` to `stop` as written."""
        return "\n".join(self.lines[start - 1 : stop - 1])

    def key_line(self, name: str) -> int:
        """The line of a key of the front matter, or the first line."""
        return self.matter.lines.get(name, 1)


def texts(value: object) -> list[str]:
    """An entry of the front matter as a list of texts; what is no text tells by its kind only."""
    listed = value if isinstance(value, list) else [value]
    made = (one.strip() if isinstance(one, str) else f"a {type(one).__name__}" for one in listed if one is not None)
    return [one for one in made if one]


def parse(text: str, path: str = "report.md") -> Document:
    """The document in `text`; never fails: front matter that is no YAML is told in `broken`."""
    ends = list(_LINE_END.finditer(text))
    usual = Counter(end[0] for end in ends).most_common(1)
    document = Document(path, text, usual[0][0] if usual else "\n")
    at = len(text) - len(text.removeprefix("\ufeff"))
    for end in [*ends, None]:
        document.starts.append(at)
        document.lines.append(text[at : end.start() if end else len(text)])
        at = end.end() if end else at
    document.matter = read(document.lines)
    page = ["" if n < document.front_stop else line for n, line in enumerate(document.lines, 1)]
    tokens = _markdown().parse("\n".join(page))
    for number, token in enumerate(tokens):
        if token.map is not None:
            _add(document, tokens, number)
    document.blocks += _labels(document)
    document.ignores = list(_ignores(document))
    return document


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _add(document: Document, tokens: list[Token], number: int) -> None:
    token = tokens[number]
    start, stop = (token.map or [0, 0])[0] + 1, (token.map or [0, 0])[1] + 1
    if token.type in ("fence", "code_block"):
        inner = start + (token.type == "fence")
        document.blocks.append(Block("fence", start, stop, token.content, token.info.strip(), inner=inner))
    elif token.type == "heading_open":
        title = tokens[number + 1].content
        document.blocks.append(Block("heading", start, stop, title, level=int(token.tag[1:])))
    elif token.type == "html_block":
        document.blocks.append(Block("html", start, stop, token.content))
        document.blocks += _preformatted(token.content, start, stop)
    elif token.type == "tr_open":
        document.blocks.append(Block("row", start, stop))
    elif token.type in ("paragraph_open", "list_item_open", "blockquote_open"):
        document.blocks.append(Block(token.type.removesuffix("_open"), start, stop))
    elif token.type == "inline":
        document.spans += _spans(token, start)


def _preformatted(text: str, start: int, stop: int) -> Iterator[Block]:
    """The `<pre>` parts of a piece of HTML, as blocks of code."""
    for found in _PRE.finditer(text):
        content = unescape(_MARKUP.sub("", found[1])) + "\n"
        inner = start + text.count("\n", 0, found.start(1))
        yield Block("fence", start, stop, content, inner=inner)


def _labels(document: Document) -> Iterator[Block]:
    """Lines that begin with a bold word or are a row of a table, as what may stand for a heading."""
    inside = {n for block in document.blocks if block.kind in ("fence", "html") for n in range(block.start, block.stop)}
    for number, line in enumerate(document.lines[document.front_stop - 1 :], document.front_stop):
        if number not in inside and (text := headings.label(line)):
            yield Block("label", number, number + 1, text)


def _spans(token: Token, line: int) -> Iterator[Span]:
    href = ""
    words: list[str] = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
        elif child.type == "link_open":
            href, words = str(child.attrGet("href") or ""), []
        elif child.type == "link_close":
            yield Span(line, "".join(words), href)
            href = ""
        elif child.type == "code_inline":
            yield Span(line, child.content)
        words.append(child.content)


def _ignores(document: Document) -> Iterator[Ignore]:
    """The ignores, each with the lines that it covers: the next block, the section of a next heading, or the file."""
    for block in document.blocks:
        if block.kind not in ("html", "paragraph"):
            continue
        for offset, line in enumerate(document.lines[block.start - 1 : block.stop - 1]):
            for found in _IGNORE.finditer(line):
                at = block.start + offset
                codes, reason = _split(found[2])
                start, stop = _covered(document, block, at) if found[1] == "ignore" else (1, len(document.lines) + 2)
                yield Ignore(at, codes, reason, start, stop)


def _split(words: str) -> tuple[list[str], str]:
    """`TRI012, secret-quoted the reason`: the codes, between which commas stand, and the reason."""
    codes: list[str] = []
    more = True
    while more and (found := _CODES.match(words)):
        codes.append(found[1])
        more = found[2] == ","
        words = words[found.end() :].lstrip()
    return codes, words.strip(" -:\u2013\u2014")


def _covered(document: Document, comment: Block, line: int) -> tuple[int, int]:
    """The lines that an ignore on `line` covers; directly behind the front matter, the front matter too."""
    between = document.lines[document.front_stop - 1 : line - 1]
    start = 1 if all(not text.strip() or _IGNORE.search(text) for text in between) else line
    if comment.kind == "paragraph":
        return start, comment.stop
    later = (block for block in document.blocks if block.start >= comment.stop)
    following = [block for block in later if block.kind != "html" or not _IGNORE.search(block.text)]
    if not following:
        return start, comment.stop
    first = min(following, key=lambda block: (block.start, -block.stop))
    if first.kind == "heading":
        return start, next(stop for head, stop in document.sections() if head is first)
    return start, first.stop
