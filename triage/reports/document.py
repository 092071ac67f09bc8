"""An incident report as parsed Markdown: front matter, blocks, links and ignores, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from triage import lazy

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_IGNORE = lazy.pattern(r"<!--\s*triage:\s*(ignore-file|ignore)\b[ \t]*([^\n]*?)\s*-->")
_CODES = lazy.pattern(r"(TRI\d{3}|[a-z]+(?:-[a-z]+)+)\s*([,:]|(?=\s|$))", re.ASCII)
_LINE_END = lazy.pattern(r"\r\n?|\n")  # as markdown-it counts them
_KEY = lazy.pattern(r"([A-Za-z_][\w-]*)\s*:", re.ASCII)


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
    """A report. Line `n` (from 1) is `lines[n - 1]` and begins at character `starts[n - 1]` of `text`.

    `front` is the front matter, `keys` the line of each of its keys, `front_stop` the line behind it (1 without any).
    `broken` says what is wrong with it, with its line.
    """

    path: str
    text: str
    newline: str = "\n"
    lines: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    front: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    front_stop: int = 1
    broken: tuple[int, str] | None = None
    blocks: list[Block] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    ignores: list[Ignore] = field(default_factory=list)

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
        """The first section whose heading says one of `names` (lower case), as a whole or as its first words."""
        for head, stop in self.sections():
            title = head.text.strip().strip("#*_: ").lower()
            if any(title == name or title.startswith((name + " ", name + ":", name + "（")) for name in names):
                return head, stop
        return None

    def prose(self, start: int, stop: int) -> str:
        """Lines `start` to `stop` as written."""
        return "\n".join(self.lines[start - 1 : stop - 1])

    def key_line(self, name: str) -> int:
        """The line of a key of the front matter, or the first line."""
        return self.keys.get(name, 1)


def parse(text: str, path: str = "report.md") -> Document:
    """The document in `text`; never fails: front matter that is no YAML is told in `broken`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    document = Document(path, text, newline)
    at = len(text) - len(text.removeprefix("\ufeff"))
    for end in [*_LINE_END.finditer(text), None]:
        document.starts.append(at)
        document.lines.append(text[at : end.start() if end else len(text)])
        at = end.end() if end else at
    tokens = _markdown().parse("\n".join(document.lines))
    level = 0
    for number, token in enumerate(tokens):
        level += token.nesting
        if token.type == "front_matter":
            _read_front(document, token)
        elif token.map is not None:
            _add(document, tokens, number, level)
    document.ignores = list(_ignores(document))
    return document


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.front_matter import front_matter_plugin

    return MarkdownIt("commonmark").enable("table").use(front_matter_plugin)


def _read_front(document: Document, token: Token) -> None:
    import yaml

    start, stop = token.map or [0, 0]
    document.front_stop = stop + 1
    for number, line in enumerate(document.lines[start:stop], start + 1):
        if found := _KEY.match(line):
            document.keys.setdefault(found[1], number)
    try:
        # An alias may stand for itself a billion times over.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(token.content, Loader=yaml.CSafeLoader)):
            document.broken = (1, "it must not use aliases (`*name`)")
            return
        front = yaml.load(token.content, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        document.broken = (mark.line + 2 if mark else 1, str(getattr(error, "problem", error)))
        return
    if isinstance(front, dict):
        document.front = {str(key): value for key, value in front.items()}
    elif front is not None:
        document.broken = (1, "it must be `name: value` lines")


def _add(document: Document, tokens: list[Token], number: int, level: int) -> None:
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
    elif token.type == "tr_open":
        document.blocks.append(Block("row", start, stop))
    elif token.type in ("paragraph_open", "list_item_open", "blockquote_open"):
        document.blocks.append(Block(token.type.removesuffix("_open"), start, stop))
    elif token.type == "inline":
        document.spans += _spans(token, start)


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
