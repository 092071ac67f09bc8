"""How far a Python traceback reaches, and what was raised in it.

`scan` walks line by line and labels each; the labels are enough to cut the text into what each exception of a chain
printed. It is used twice: on the lines of a log, to find the end, and on the text of a record, to find the parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from triage.formats import nccl, pyshapes, shapes
from triage.formats.pyshapes import Label

Get = Callable[[int], str | None]

_LONGEST, _PLAIN, _AHEAD = 5000, 20, 3


@dataclass(slots=True)
class Scan:
    """The end of the traceback (index after its last line), the label of each line, and the margin cut off them."""

    end: int
    labels: list[Label] = field(default_factory=list)
    margin: re.Pattern[str] | None = None
    headers: int = 0
    raised: int = 0
    messy: bool = False
    loose: bool = False


def scan(get: Get, at: int) -> Scan | None:
    """Labels the traceback that begins at line `at` of `get`; None if none begins there."""
    first = get(at)
    if first is None or not _possible(first):
        return None
    return _Walk(get, at).run()


def _possible(text: str) -> bool:
    return (
        "Traceback" in text or "File \"" in text or "Exception i" in text
        or bool(pyshapes.BARE.match(text[:400])) or "Error" in text or "Exception" in text
    )  # fmt: skip


class _Walk:
    """One walk over a traceback: `body` until an exception is named, then its `message`, then what is chained."""

    def __init__(self, get: Get, at: int) -> None:
        self.get, self.at = get, at
        self.out = Scan(at)
        self.state: Literal["body", "message", "chained", "group"] = "body"
        self.plain = 0
        self.margin = ""

    def text(self, index: int) -> str | None:
        """Line `index` without the margin; None behind the end of the log or of the margin."""
        text = self.get(index)
        if text is None or self.out.margin is None:
            return text
        cut = self.out.margin.match(text)
        if cut is None:
            return None if text.strip() else ""
        if self.state == "message" and cut[0].strip() != self.margin:
            return None  # the same logger's next record
        self.margin = cut[0].strip()
        return text[cut.end() :]

    def run(self) -> Scan | None:
        if not self.begin():
            return None
        index = self.at + len(self.out.labels)
        while index < self.at + _LONGEST:
            text = self.text(index)
            if text is None:
                break
            label = self.step(index, text)
            if label is None:
                break
            self.out.labels.append(label)
            index += 1
        self.trim()
        return self.out if self.out.end > self.at else None

    def trim(self) -> None:
        """Blank lines at the end are no part of the traceback; nor is a chain marker that nothing follows."""
        while len(self.out.labels) > 1:
            text = self.text(self.at + len(self.out.labels) - 1)
            if text is None or text.strip():
                break
            self.out.labels.pop()
        self.out.end = self.at + len(self.out.labels)

    def begin(self) -> bool:
        text = self.get(self.at) or ""
        if shapes.IGNORED.match(text):
            self.add("ignored")
            following = self.get(self.at + 1)
            self.state = "chained" if following is not None and self.opens(following) else "message"
            self.plain = 0 if self.state == "chained" else _PLAIN
            return True
        if pyshapes.THREAD.match(text):
            following = self.get(self.at + 1)
            if following is None or not self.opens(following):
                return False
            self.add("head")
            self.state = "chained"
            return True
        if shapes.TRACEBACK.search(text):
            if not self.header(text, first=True):
                return False
            self.add("header")
            return True
        if pyshapes.HEADLESS.match(text):
            self.out.headers = 1
            self.add("frame")
            return True
        if self.bare(text):
            self.out.headers = self.out.raised = 1
            self.add("raised")
            self.state = "message"
            return True
        return False

    def bare(self, text: str) -> bool:
        """True if the line names an exception whose traceback was cut off or never printed."""
        if shapes.LEVEL.match(text):
            return False
        if pyshapes.BARE.match(text[:400]):
            return True
        chained = pyshapes.CHAIN.match(self.get(self.at + 2) or "") and not (self.get(self.at + 1) or "").strip()
        return bool(chained and pyshapes.raised(text, body=True))

    def header(self, text: str, first: bool = False) -> bool:
        """True if `text` is a header and not only a line that quotes one; sets what follows from its form."""
        if nccl.header(text) or shapes.glog(text):
            return False
        if first:
            self.out.margin = pyshapes.margin_of(text, self.get(self.at + 1))
            text = self.text(self.at) or text
        if pyshapes.GROUP_HEADER.match(text):
            self.state = "group"
        else:
            self.state = "body"
            self.out.loose = bool(pyshapes.LOOSE.match(text[:300]))
            if not (self.out.loose or pyshapes.PLAIN.search(text)):
                return False
        self.out.headers += 1
        return True

    def add(self, label: Label) -> None:
        self.out.labels.append(label)

    @staticmethod
    def opens(text: str) -> bool:
        return bool(shapes.TRACEBACK.search(text) or pyshapes.frame(text))

    def step(self, index: int, text: str) -> Label | None:
        """The label of the next line, or None where the traceback ends."""
        if nccl.header(text) or shapes.glog(text):
            return None
        if self.state == "group":
            if pyshapes.GROUP_LINE.match(text):
                return pyshapes.group_label(text)
            self.state = "message"
            self.out.raised = self.out.headers
        if self.state == "chained":
            return self.chained(text)
        return self.body(index, text) if self.state == "body" else self.message(index, text)

    def chained(self, text: str) -> Label | None:
        if not text.strip():
            return "chain"
        if shapes.TRACEBACK.search(text):
            return "header" if self.header(text) else None
        if pyshapes.frame(text):
            self.out.headers += 1
            self.state = "body"
            return "frame"
        if pyshapes.raised(text, body=True):
            self.out.headers += 1
            return self.name()
        return None

    def name(self) -> Label:
        self.out.raised += 1
        if self.out.raised >= self.out.headers:
            self.state = "message"
            self.plain = 0
        return "raised"

    def body(self, index: int, text: str) -> Label | None:
        if not text.strip():
            following = self.text(index + 1)
            going_on = following is not None and self.inside(following, index + 1)
            return "code" if going_on or self.out.messy else None
        if shapes.TRACEBACK.search(text):
            if self.out.loose or not {"header", "ignored", "head"} & set(self.out.labels):
                return None
            self.out.headers += 1
            self.out.messy = True
            return "header"
        if pyshapes.frame(text) or self.loose_line(text, pyshapes.LOOSE_FRAMES):
            return "frame"
        if pyshapes.raised(text, body=True, messy=self.out.messy):
            return self.name()
        ahead = (self.text(i) for i in range(index + 1, index + 1 + _AHEAD))
        more = any(line is not None and self.inside(line, index) for line in ahead)
        if shapes.foreign(text):
            return "code" if text[0].isspace() and more else None
        own = text[0].isspace() or pyshapes.BODY.match(text) or self.loose_line(text, pyshapes.LOOSE_CODE)
        return "code" if own or self.out.messy or more else None

    def loose_line(self, text: str, forms: tuple[re.Pattern[str], ...]) -> bool:
        return self.out.loose and pyshapes.loose(text, forms) is not None

    def inside(self, text: str, index: int) -> bool:
        """True if the line can only stand inside of a traceback that has not ended."""
        if shapes.TRACEBACK.search(text) or (shapes.foreign(text) and index > self.at):
            return False
        if pyshapes.frame(text) or pyshapes.raised(text, body=False) or (text[:1].isspace() and text.strip()):
            return True
        forms = (*pyshapes.LOOSE_FRAMES, *pyshapes.LOOSE_CODE)
        return self.out.loose and (not text.strip() or self.loose_line(text, forms))

    def message(self, index: int, text: str) -> Label | None:
        if not text.strip():
            return "message" if self.goes_on(index) else None
        if pyshapes.CHAIN.match(text):
            self.state = "chained"
            return "chain"
        if shapes.TRACEBACK.search(text):
            if not self.embeds(index, text):
                return None
            self.out.headers += 1
            self.state = "body"
            return "embedded"
        if pyshapes.frame(text) and text[0].isspace():
            self.out.headers += 1
            self.state = "body"
            return "embedded"
        if shapes.BACKTRACE.match(text) or pyshapes.REST.match(text) or pyshapes.EMBEDS.match(text):
            return "message"
        self.plain += not text[0].isspace()
        return "message" if self.plain <= _PLAIN and not shapes.foreign(text) else None

    def embeds(self, index: int, text: str) -> bool:
        """True if the header of this traceback is part of the message before it."""
        if "Original Traceback" in text or text[0].isspace():
            return True
        for back in range(index - 1, max(self.at - 1, index - 4), -1):
            before = self.text(back) or ""
            if before.strip():
                return bool(pyshapes.EMBEDS.match(before)) or self.announces(before)
        return False

    def announces(self, text: str) -> bool:
        """True if `text` is all that was printed of a wrapper, and ends as if its inner traceback came next."""
        bare = self.out.labels[0] == "raised" and set(self.out.labels[1:]) <= {"message"}
        return bare and text.rstrip().endswith(":")

    def goes_on(self, index: int) -> bool:
        """True if the message goes on behind the blank line `index`."""
        for ahead in range(index + 1, index + 8):
            text = self.text(ahead)
            if text is None:
                return False
            if shapes.TRACEBACK.search(text) and self.embeds(ahead, text):
                return True
            if pyshapes.CHAIN.match(text) or pyshapes.EMBEDS.match(text) or shapes.BACKTRACE.match(text):
                return True
            if text.strip() and not pyshapes.REST.match(text):
                return text[0].isspace() and not self.opens(text) and not shapes.foreign(text)
            if pyshapes.REST.match(text) and not text.startswith("-"):
                return not text.startswith(("Please ", "See ", "- ", "1. ", "note:", "NOTE:"))
        return False
