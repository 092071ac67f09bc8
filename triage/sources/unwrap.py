"""Lines as files hold them -> `Line`s as programs wrote them.

Wrappers nest (CRI around JSON around a rank prefix), so each is peeled until none is left. One line of a file may
give several lines with its number; parts of one message that a runtime cut (CRI `P`, Docker) become one line.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from triage import lazy
from triage.model import Line
from triage.sources.escapes import clean, harmless, has_controls, separate, strip_escapes
from triage.sources.jsonlines import messages, read_object
from triage.sources.layouts import PLAIN, Layout, doubtful, untag
from triage.sources.prefixes import Fields, actor, bracket, command
from triage.sources.stamps import CRI, is_inner, unstamp, untask

_SYSLOG = lazy.pattern(r"(?:<[0-9]{1,3}>)?(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:|[0-9]{4}-[0-9]{2}-[0-9]{2}T)")
_RSYSLOG = lazy.pattern(r"#(0[0-3][0-7])")  # rsyslog: $EscapeControlCharactersOnReceive
_ENTITY = lazy.pattern(r"&(lt|gt|amp|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY_MARKS = ("&lt;", "&quot;", "&gt;", "&apos;", "&amp;", "&#")
_NEWLINE_TEXT = lazy.pattern(r"\\r?\\n|\\n")
_QUOTED_TRACE = lazy.pattern(
    r"Traceback \(most recent call last\):\\n|\\n +File \\?\"|\\nNVRM: |\\nRuntimeError: |\\n\[ *[0-9]+\.[0-9]{6}\] "
    r"|\\n[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} |\\n\[rank[0-9]+\]:"
)
_PART = lazy.pattern(r"(?:\[\w+\]: ?|\([^()]*pid=[^()]*\) )*(?:\s+\S[^\n]*|Traceback \(most recent call last\):\s*)$")
_MSG = lazy.pattern(r'(?:^| )msg="((?:[^"\\]|\\.)*)"')
_BOX_TITLE = lazy.pattern(r"[╭╔┌+][─═-]{2,} (.+?) [─═-]{2,}[╮╗┐+]$")
# All that makes more of a line than prefixes and JSON: control, invisible and reordering characters, what spells them.
_BUSY = lazy.pattern(
    "[\x00-\x08\n-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\u241b\u2190\ufffd&]"
    r"|\\[xX]1|\\u001|\\033|\\e\[|\\n|\^\[|#0[13]|\[0?m|^\[(?:[0-9];)?[0-9]{1,2}m"
)
_LONGEST_JOIN = 1 << 20
_MOST_HELD = 2000


@dataclass(slots=True)
class _Entry:
    number: int
    raw: str
    text: str
    fields: Fields = field(default_factory=dict)


class Unwrapper:
    """Unwraps the lines of one source, in order. `fields` (from the file's name) fill what lines do not tell."""

    def __init__(self, layout: Layout = PLAIN, fields: Fields | None = None) -> None:
        self.layout = layout
        self.fields = dict(fields or {})
        self._held: list[_Entry] = []
        self._open: dict[str, _Entry] = {}
        self._calm = self._level_lies = False

    @property
    def waiting(self) -> bool:
        """Whether lines are held back until the rest of a message comes."""
        return bool(self._held)

    def feed(
        self, texts: Sequence[str], numbers: Sequence[int], last: bool = False, calm: bool = False,
        raws: Sequence[str] | None = None,
    ) -> list[Line]:  # fmt: skip
        """The lines that are complete after these; `last` gives out all. Numbers never go down.

        `calm`: none of the texts holds a control character or what spells one, so that no line need be searched for it.
        `raws` are the lines as a person sees them, where they are not the texts.
        """
        self._calm = calm and not self._held
        for number, text, raw in zip(numbers, texts, raws or texts, strict=True):
            self._add(number, text, raw)
        if last or len(self._held) > _MOST_HELD + len(texts):
            self._open.clear()
        ready = len(self._held)
        if self._open:
            first = min(entry.number for entry in self._open.values())
            ready = next(i for i, entry in enumerate(self._held) if entry.number >= first)
        done, self._held = self._held[:ready], self._held[ready:]
        return [line for entry in done for line in self._lines(entry)]

    def lines(self, text: str, number: int) -> list[Line]:
        """The lines inside one that is no part of a longer message; at least one."""
        self._calm = False
        return self._lines(_Entry(number, text, text))

    def _add(self, number: int, text: str, raw: str) -> None:
        first = text[:1]
        if "0" <= first <= "9" and text[4:5] == "-" and (found := CRI.match(text)):
            stamp, stream, tag = found.groups()
            self._part(number, raw, text[found.end() :], {"time": stamp}, stream, tag == "P")
        elif first == "{" and text.startswith('{"log":') and (value := read_object(text)) and isinstance(value, dict):
            log, stream = value.get("log"), value.get("stream")
            if isinstance(log, str) and isinstance(stream, str):
                fields = {"time": value["time"]} if isinstance(value.get("time"), str) else {}
                self._part(number, raw, log.removesuffix("\n"), fields, stream, not log.endswith("\n"))
            else:
                self._held.append(_Entry(number, raw, text))
        else:
            self._held.append(_Entry(number, raw, text))

    def _part(self, number: int, raw: str, text: str, fields: Fields, stream: str, more: bool) -> None:
        entry = self._open.get(stream)
        if entry is None:
            entry = _Entry(number, raw, text, fields)
            self._held.append(entry)
        else:
            entry.text += text
        if more and len(entry.text) < _LONGEST_JOIN:
            self._open[stream] = entry
        else:
            self._open.pop(stream, None)

    def _lines(self, entry: _Entry) -> list[Line]:
        raw = entry.raw
        if self.layout.html:
            pieces = self._expand(untag(entry.text), entry.fields, 0)
        elif self._calm or not _BUSY.search(entry.text):
            pieces = self._plain(entry.text, entry.fields, 0)
        else:
            pieces = self._expand(entry.text, entry.fields, 0)
        if self.fields:
            for _, own in pieces:
                self._fill(own)
        shown = raw if self._calm else harmless(raw)
        if len(pieces) == 1:
            return [Line(entry.number, pieces[0][0], shown, pieces[0][1])]
        split = has_controls(raw)  # a terminal shows the parts one by one
        return [Line(entry.number, text, (harmless(text) if split else shown), own) for text, own in pieces]

    def _fill(self, own: Fields) -> None:
        for key, value in self.fields.items():
            own.setdefault(key, value)

    def _plain(self, text: str, fields: Fields, depth: int) -> list[tuple[str, Fields]]:
        """The lines of a text without escapes and control characters."""
        text = self._peel(text, fields)
        last = text[-1:]
        if last == '"' and text.startswith(("time=", "ts=", "level=")):
            text = self._peel(_logfmt(text), fields)
        if (last == "}" or last == "]" or last == ",") and text[0] in "{[" and depth < 4:
            return self._json(text, fields, depth) or [(text, fields)]
        return [(text, fields)]

    def _expand(self, text: str, fields: Fields, depth: int) -> list[tuple[str, Fields]]:
        """The lines inside `text`, each with its fields; at least one."""
        text = strip_escapes(text)
        if "#0" in text:
            text = _rsyslog(text)
        out: list[tuple[str, Fields]] = []
        for number, part in enumerate(separate(text)):
            own = fields if number == 0 else dict(fields)
            rest = self._peel(clean(part), own)
            out.extend(self._quoted(rest, own) or self._plain(rest, own, depth))
        if len(out) > 1:
            out = [piece for piece in out if piece[0].strip()] or out[:1]
        return out

    def _peel(self, text: str, fields: Fields) -> str:
        """`text` without prefixes, stamps of collectors and box borders, in any order."""
        layers = self.layout.layers
        for _ in range(12):
            first = text[:1]
            rest: str | None = None
            if first == "[":
                rest = bracket(text, fields)
                if rest is None:
                    rest = untask(text, fields)
            elif first == "(":
                rest = actor(text, fields)
            elif "0" <= first <= "9" and text[4:5] == "-":
                rest = unstamp(text, fields, self.layout.stamped)
            elif first == "#" or first == ":":
                rest = command(text)
            elif first and first in "│┃║╭╔┌\ufeff":
                rest = _unbox(text)
            if rest is None and layers and first and (outer := doubtful(text, fields, layers)):
                rest, layers = outer[0], layers[outer[1] :]
            if rest is None or len(rest) == len(text):
                return text
            text = rest
        return text

    def _json(self, text: str, fields: Fields, depth: int) -> list[tuple[str, Fields]]:
        value = read_object(text) if text[0] == "{" or text[1:2] == "{" else None
        lines: list[tuple[str, Fields]] = []
        found = messages(value) if value is not None else []
        # A collector that gives each line of a message a level did not read them.
        self._level_lies = self._level_lies or (len(found) == 1 and _PART.match(found[0][0]) is not None)
        for message, own in found:
            merged = {**own, **fields}
            if self._level_lies:
                merged.pop("level", None)
            message = message.rstrip("\r\n")
            lines += (self._expand if _BUSY.search(message) else self._plain)(message, merged, depth + 1)
        return lines

    def _quoted(self, text: str, fields: Fields) -> list[tuple[str, Fields]]:
        """The lines of a text that spells its newlines or entities; empty when it does not."""
        if text[:1] != "{" and "\\n" in text and _QUOTED_TRACE.search(text):
            parts = literal(text) or _NEWLINE_TEXT.split(text)
            return [(part if n == 0 else self._peel(part, fields), dict(fields)) for n, part in enumerate(parts)]
        if "&" in text and any(mark in text for mark in _ENTITY_MARKS):
            decoded = _ENTITY.sub(_entity, text)
            return [(clean(part), dict(fields)) for part in separate(strip_escapes(decoded))]
        return []


def literal(text: str) -> list[str]:
    """The lines of a string that JSON or Python quoted; empty for any other text."""
    text = text.strip().rstrip(",")
    quote = text.lstrip("b")[:1]
    if quote not in ('"', "'") or text[-1] != quote or len(text) > _LONGEST_JOIN:
        return []
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return [clean(part) for part in separate(strip_escapes(value))] if isinstance(value, str) else []


def _logfmt(text: str) -> str:
    """The message of `time=... level=... msg="..."` where some program's own message stands in it."""
    found = _MSG.search(text)
    if not found:
        return text
    try:
        message = json.loads(f'"{found[1]}"')
    except ValueError:
        return text
    return message if "\n" not in message and (is_inner(message) or message[:2].isspace()) else text


def _unbox(text: str) -> str:
    """A line of a drawn box (rich tracebacks) without its borders; a stray byte order mark goes too."""
    if text[0] == "\ufeff":
        return text[1:]
    if text[0] in "│┃║":
        stripped = text.rstrip()
        if len(stripped) > 1 and stripped[-1] == text[0]:
            return stripped[1:-1].removeprefix(" ").rstrip()
        return text
    found = _BOX_TITLE.match(text.rstrip())
    return found[1] if found else text


def _rsyslog(text: str) -> str:
    """`#012` and its like back to the characters that rsyslog escaped; `issue #012` stays."""
    if _SYSLOG.match(text) or len(_RSYSLOG.findall(text)) > 1:
        return strip_escapes(_RSYSLOG.sub(lambda found: chr(int(found[1], 8)), text))
    return text


def _entity(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] != "#":
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
