"""The shapes of lines that Python prints when an exception is not caught."""

from __future__ import annotations

import re
from typing import Literal

from triage import lazy
from triage.formats import shapes

Label = Literal["head", "ignored", "header", "embedded", "frame", "code", "raised", "message", "chain"]

CHAIN = lazy.pattern(
    r"^[\s|]*(?:The above exception was the direct cause of the following exception:"
    r"|During handling of the above exception, another exception occurred:|Original exception was:)"
)
_LONG = 4000  # characters; no line of a traceback except messages is longer, and hostile ones cost time
# Word processors and forums turn the quotation marks around.
_FRAME = lazy.pattern(
    r'^\s*(?:> *)?File ["“”](?P<path>[^"“”]+)["“”], line (?P<line>[0-9]+)(?:, in (?P<function>.+?))?\s*$'
)
LOOSE_FRAMES = (
    lazy.pattern(r"^File (?P<path>\S+?):(?P<line>[0-9]+), in (?P<function>[\w.<>]+)"),
    lazy.pattern(r"^(?P<path><ipython-input-[^>]+>|/\S+\.py) in (?P<function>[\w.<>]+)"),
    lazy.pattern(r"^(?P<path>(?:Cell|Input) In ?\[[0-9]+\]), (?:line (?P<line>[0-9]+)|in (?P<function>[\w.<>]+))"),
    lazy.pattern(r"^[\s│|]*(?P<path>\S+\.py):(?P<line>[0-9]+) in (?P<function>[\w.<>]+)"),
    lazy.pattern(r"^[\s│|]*(?P<path>\S+\.py):(?P<line>[0-9]+)\s*$"),  # the function stands on the next line of the box
)
ARROW = lazy.pattern(r"^[\s│|]*(?:-+>|❱)\s*(?P<line>[0-9]+)[\s│|]+(?P<code>.*?)[\s│|]*$")
NUMBERED = lazy.pattern(r"^[\s│|]*[0-9]+(?:[\s│|]|$)")
# Headers without a colon: IPython's with the exception's name before it, and rich's inside of a box.
LOOSE = lazy.pattern(r"^(?:[A-Za-z_][\w.]*\s{2,}|[\s╭─-]*)Traceback \(most recent call last\)[\s─╮-]*$")
PLAIN = lazy.pattern(r"Traceback \(most recent call last\)(?::\s*$|:? *File \")")
LOOSE_CODE = (ARROW, NUMBERED, lazy.pattern(r"^[\s│|]*in [\w.<>]+\s*$"))
# Unindented lines of a body: a repetition mark, loguru's and rich's decorations, carets torn off by another process.
BODY = lazy.pattern(r"^(?:[|>^~╭╰│─]|\[Previous line repeated)")
HEADLESS = lazy.pattern(r'^ {2,}File "[^"]+", line [0-9]+(?:, in \S.*)?\s*$')
BARE = lazy.pattern(
    r"^(?!nccl[A-Z])(?:(?:[A-Za-z_]\w*\.)+[A-Z]\w*|[A-Za-z_]+)(?:Error|Exception|Interrupt|ExceptionGroup)"
    r"(?:_\w+)?(?:\(\w+\))?: \S"
    r"|^KeyboardInterrupt\s*$|^(?:\w+\.)*_?RemoteTraceback:\s*$"
)
THREAD = lazy.pattern(r"^\s*Exception in thread \S")
GROUP_HEADER = lazy.pattern(r"^(?P<margin>[\s|]*\+ )Exception Group Traceback \(most recent call last\)")
GROUP_LINE = lazy.pattern(r"^\s*(?:\||\+-)")
_GROUP_MARK = lazy.pattern(r"^(?P<margin>[\s|+\-]*?)(?:[0-9]+ -{5,}|-{5,})\s*$")
_NAMED = lazy.pattern(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|[A-Z]\w*[a-z]\w*)(?:\((?P<cause>\w+)\))?: ?(?P<message>.*)$"
    r"|^(?P<bare>(?:[a-z_]\w*\.)+[A-Z]\w*)\s*$"
)
_MESSY = lazy.pattern(
    r"^[\s^~]*(?!nccl)(?P<type>(?:[A-Za-z_]\w*[\s^~]*\.[\s^~]*)*[A-Za-z_]*(?:Error|Exception|Interrupt))[\s^~]*:"
    r"[\s^~]*(?P<message>\S.*)$"
)
EMBEDS = lazy.pattern(r"^\s*(?:\"\"\"|'''|-- Process [0-9]+ terminated with the following error:)\s*$")
REST = lazy.pattern(
    r"^(?:from user code|You can suppress|Set TORCH|Search for|CUDA kernel errors|For debugging consider|Compile with"
    r"|Last error|nccl\w+: |Device-side assert|Hint:|-{10,40}\s*$|The stack trace below excludes"
    r"|The preceding (?:stack trace|is the original)"
    r"|If you suspect|Original error was|Please |See |note:|NOTE:|1\. |- )"
)
_TIME = lazy.pattern(r"[0-9]+(?:[-:.,][0-9]+)+")


def margin_of(text: str, following: str | None) -> re.Pattern[str] | None:
    """What stands before `Traceback` on every line: blanks, or a log prefix if the next line repeats it."""
    head = shapes.TRACEBACK.search(text, 0, 300)
    if head is None:
        return None
    before = re.sub(r"(?:Original |\s*\+ Exception Group )$", "", text[: head.start()])
    if not before:
        return None
    if not before.strip():
        return lazy.pattern(re.escape(before))
    shape = lazy.pattern("[0-9.:,-]+".join(map(re.escape, _TIME.split(before.rstrip()))) + r"(?: |$)")
    return shape if following is not None and shape.match(following) else None


def frame(text: str) -> re.Match[str] | None:
    """The match of `File "...", line N, in f` (groups path, line, function), or None."""
    return _FRAME.match(text) if len(text) < _LONG else None


def loose(text: str, forms: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    """The match of the first of the forms of IPython and rich that the line has, or None."""
    return next((found for form in forms if (found := form.match(text))), None) if len(text) < _LONG else None


def raised(text: str, body: bool, messy: bool = False) -> re.Match[str] | None:
    """The match of a line that names an exception; looser in the body of a traceback, where one must come."""
    found = shapes.RAISED.match(text) or (_NAMED.match(text) if body else None)
    if found is None and messy:
        found = _MESSY.match(text)
    return found if found is None or not shapes.LEVEL.match(text) else None


def group_label(text: str) -> Label:
    """The label of a line in an exception group."""
    inner = strip_group(text)
    if shapes.TRACEBACK.search(inner):
        return "header"
    if CHAIN.match(inner):
        return "chain"
    if frame(inner):
        return "frame"
    if inner and not inner[0].isspace() and raised(inner, body=True):
        return "raised"
    return "code" if inner[:1].isspace() else "message"


def strip_group(text: str) -> str:
    """The line without the margin that an exception group prints (`  | `, `  +-+---- 1 ----`)."""
    header = GROUP_HEADER.match(text)
    if header:
        return text[header.end("margin") :]
    if len(text) < 300 and _GROUP_MARK.match(text):
        return ""
    return re.sub(r"^\s*\|(?: |$)", "", text)
