"""Every line of a large source under its template, at a few look-ups a line.

A line is known by what is left of it without hex digits: numbers, addresses and times vanish. A line that was never
seen is known by its words, without those that no template holds. Only what is left after that is read and masked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from triage import formats, lazy
from triage.formats.shapes import TRACED
from triage.model import Block, Record
from triage.templates import Template, Templates

_HEX = b"0123456789abcdefABCDEF"
_HIT = b"\n"  # no line is that, nor begins with it
_MOST_LEARNT = 20_000  # lines that were looked at; from then on what is not known is counted together
_MOST_ALIKE = 64  # keys of one template: lines with random words never come again, and would fill the memory
_MOST_WORDS, _LONGEST = 40, 400  # of a key; templates read no more of a text
_BAD = lazy.pattern(
    r"(?i)\b(?:error|err|fail(?:ed|ure|s)?|fatal|panic|exception|abort(?:ed)?|segfault|corrupt(?:ed|ion)?|unable to"
    r"|cannot|could not|denied|killed|unrecoverable|uncorrectable)\b"
)
_NOT_BAD = lazy.pattern(
    r"(?i)\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed)\b|errors?[=:] *(?:0|none|false|null)\b"
    r"|\bno error\b|error_(?:rate|count)[\"']?[=:] *0|fail(?:ed|ures)?[=:] *0\b"
    r"|\bpanic=-?\d|[:\]] Could not collect$"  # a setting of the kernel; a value that torch's collect_env did not find
)
# modinfo: what modules say of themselves and of their parameters, by the hundred. kubectl: what is simply not there.
_LISTED = lazy.pattern(
    r"(?:parm|description|alias|depends|filename|firmware|license|author|signer):\s{2,}"
    r"|Exception raised from \S+ at .* \(most recent call first\)|=+ +Saved host backtrace"  # native stacks
    r"|error: previous terminated container \S+ in pod \S+ not found|Error from server \(NotFound\): "
)


def keys_of(block: Block) -> list[bytes]:
    """What the lines of a block are known by."""
    return block.text.translate(None, _HEX).split(b"\n")[: block.count]


def suspicious(record: Record) -> bool:
    """Whether a message that no signature knows sounds like an error."""
    level = record.fields.get("level")
    if level in ("info", "debug", "trace"):
        return False
    begin = record.text[:600]
    if _LISTED.match(begin) or TRACED.match(begin):
        return False
    return level in ("error", "fatal", "critical") or bool(_BAD.search(begin) and not _NOT_BAD.search(begin))


class Tally:
    """Counts the lines of large sources in `templates`."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._none = Template("", "")  # blank lines, and lines that are counted elsewhere
        self._known: dict[bytes, Template] = {_HIT: self._none}
        self._alike: dict[Template, int] = {}
        self._vocabulary: dict[bytes, bytes] = {}
        self._shapes: dict[tuple[bytes | None, ...], Template] = {}
        self._examples: dict[tuple[Template, int, int], Sequence[bytes]] = {}
        self._learnt = 0

    def count(self, block: Block, keys: Sequence[bytes], hits: Mapping[int, int], name: str) -> None:
        """Counts all lines of a block of the source `name` but the `hits`; `keys` are those of its lines."""
        own = list(keys)
        for i in hits:
            own[i] = _HIT
        found = list(map(self._known.get, own))
        for i in [i for i, template in enumerate(found) if template is None and not own[i].strip()]:
            own[i] = _HIT + block.rows[i].strip()  # a blank line, or one of nothing but hex digits
            found[i] = self._known.get(own[i])
        template_of, word_of = self._shapes.get, self._vocabulary.get
        for i in [i for i, template in enumerate(found) if template is None]:
            words = own[i].split(b" ", _MOST_WORDS)
            found[i] = template_of(tuple(map(word_of, words))) or self._new(own[i], words, block, i, name)
        last = dict(zip(found, block.numbers, strict=True))
        for template, number in Counter(found).items():
            if template is not None:
                template.count += number
                template.last = (name, last[template])

    def _new(self, key: bytes, words: Sequence[bytes], block: Block, place: int, name: str) -> Template:
        template = self._known.get(key)  # since this block began
        if template is None:
            template = self._learn(key, words, block, place, name)
            alike = self._alike[template] = self._alike.get(template, 0) + 1
            if alike <= _MOST_ALIKE and len(key) <= _LONGEST:
                self._known[key] = template
        return template

    def _learn(self, key: bytes, words: Sequence[bytes], block: Block, place: int, name: str) -> Template:
        """The template of a line, and what it has in common with the first line of that template."""
        full = self._learnt >= _MOST_LEARNT
        if full and (other := self._templates.other()).sample:
            return other
        self._learnt += 1
        record = formats.single(block.lines(place, place + 1)[0])
        if not record.text.strip():
            return self._none
        template = self._templates.other() if full else self._templates.of(record.text)
        if not template.sample:
            template.sample, template.suspicious = record.text[: 10 * _LONGEST], suspicious(record)
            template.first = (name, record.number)
        begin = max(0, key.count(b" ") - record.text.count(" "))
        first = self._examples.setdefault((template, len(words), begin), words)
        same = [word == other for word, other in zip(words, first, strict=True)]
        # As drain3 does it: half of the words of the message, its key word counted, make it similar.
        alike = 2 * (sum(same[begin:]) + 1) >= len(words) - begin + 1
        if first is not words and begin < len(words) and alike:
            self._vocabulary.update((word, word) for word, fixed in zip(words, same, strict=True) if fixed)
            self._shapes[tuple(map(self._vocabulary.get, words))] = template
        return template
