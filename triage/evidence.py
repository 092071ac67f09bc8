"""Which lines prove a finding: those that say what happened, not those with which a message happens to begin."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from triage import lazy
from triage.formats.pychain import Frame, Raised, original, own_frame, program_frame
from triage.library import expressions
from triage.library.library import Signature
from triage.model import Evidence, Match, Record, Value

_MOST = 3  # lines of one match
_AROUND = 2  # lines before and after a quoted one
_LONG = 2000  # lines of a record that are looked at
# Where it happened; a line that says what happened proves more.
_PLACES = (
    "host", "pod", "rank", "local_rank", "pid", "gpu", "gpu_model", "gpu_uuid", "pci", "process", "driver", "unit",
)  # fmt: skip
_FILE = lazy.pattern(r'^[\s|+]*File "(?P<path>[^"]+)", line [0-9]+')
_STACK = lazy.pattern(r"^\s*(?:Current thread|Thread) 0x[0-9a-f]+")
_IN = lazy.pattern(r"\.py\", line [0-9]+ in (\S+)\s*$")
_PCI = lazy.pattern(r"(?:[0-9a-f]{4,8}:)?(?P<short>[0-9a-f]{2}:[0-9a-f]{2})")
_NUMBER = lazy.pattern(r"(?P<sign>-?)0*(?P<digits>[0-9]+)")
_HEX = lazy.pattern(r"0x0*(?P<digits>[0-9a-f]+)")

Pick = tuple[int, int, int]  # index of a line, and the part of the record's text that is marked in it


def quote(match: Match, signature: Signature, most: int = _MOST) -> list[Evidence]:
    """The lines of a match that decide, at most `most`, each as it stands in its file."""
    record = match.record
    wanted = telling_values(match, signature)
    picks = _of_exception(match, most, signature.fallback) if record.format == "traceback" else []
    if record.format == "faulthandler":
        picks = _of_stacks(match, most)
    return [_evidence(record, pick, wanted) for pick in picks or _of_span(match, wanted, most)]


def surround(lines: Iterable[Evidence], records: Iterable[Record]) -> None:
    """Gives each quoted line the lines around it, as far as they are in records."""
    wanted: dict[str, dict[int, str]] = {}
    quoted = list(lines)
    for one in quoted:
        near = range(max(1, one.line - _AROUND), one.line + _AROUND + 1)
        wanted.setdefault(one.source, {}).update(dict.fromkeys(near, ""))
    for record in records:
        numbers = wanted.get(record.source)
        if numbers:
            for line in record.lines:
                if line.number in numbers:
                    numbers[line.number] = line.raw
    for one in quoted:
        numbers = wanted[one.source]
        near = range(one.line - _AROUND, one.line + _AROUND + 1)
        one.near = [(n, numbers[n]) for n in near if n != one.line and numbers.get(n)]


def telling_values(match: Match, signature: Signature) -> dict[str, re.Pattern[str]]:
    """Spellings of the values that a finding is about: its entities, and what its conditions ask for."""
    found: dict[str, Value] = {k: v for k, v in match.entities.items() if not k.startswith("_")}
    patterns = [p for p in signature.match if not p.formats or match.record.format in p.formats]
    for condition in (*signature.where, *(p.where for p in patterns if p.where)):
        for name in sorted(expressions.names(expressions.parse(condition))):
            if name in match.record.fields and not name.startswith("_"):
                found.setdefault(name, match.record.fields[name])
    return {k: spelled(v) for k, v in found.items() if not isinstance(v, bool) and 0 < len(str(v)) <= 200}


def spelled(value: Value) -> re.Pattern[str]:
    """Any spelling of a value as a whole word: `0000:3b:00` as `3B:00`, `0x133` as `00000133`, -5 as `0xfffffffb`."""
    text = str(value).strip().lower()
    if hexadecimal := _HEX.fullmatch(text):
        body = rf"(?:0x)?0*{hexadecimal['digits']}"
    elif number := _NUMBER.fullmatch(text):
        code = int(text) & 0xFFFFFFFF
        body = rf"{number['sign']}0*{number['digits']}" + (rf"|(?:0x)0*{code:x}" if len(text) > 1 else "")
    elif address := _PCI.fullmatch(text):
        body = rf"(?:[0-9a-f]{{4,8}}:)?{address['short']}"
    else:
        body = re.escape(text)
    return lazy.pattern(rf"(?<![0-9a-z])(?:{body})(?![0-9a-z])", re.IGNORECASE)


def _whole(match: Match) -> bool:
    """Whether a match tells no place in its record: a structured event, or a condition alone."""
    low, high = match.span
    return not match.record.text[low:high].strip() or (low == 0 and high >= len(match.record.text))


def _telling(record: Record, first: int, last: int) -> list[int]:
    """Lines that hold more than rules and brackets."""
    return [i for i in range(first, min(last + 1, first + _LONG)) if any(c.isalnum() for c in record.lines[i].raw)]


def _of_span(match: Match, wanted: dict[str, re.Pattern[str]], most: int) -> list[Pick]:
    """The lines under the span of a match; of many, those that hold the values of the finding."""
    record, (low, high) = match.record, match.span
    whole = _whole(match)
    if whole:
        low, high = 0, len(record.text)
    first, last = (0, len(record.lines) - 1) if whole else (record.line_at(low), record.line_at(max(low, high - 1)))
    lines = _telling(record, first, last) or [first]
    if len(lines) > most:
        # The end of a span is what the pattern was made to reach; of a whole record, its headers come off the text.
        liked = {i for i in lines if _part(record, i, 0, len(record.text))[1]} if whole else {lines[-1]}
        lines = sorted(_best(record, lines, wanted, liked, most))
    return [(i, low, high) for i in lines]


def _best(
    record: Record, lines: Sequence[int], wanted: dict[str, re.Pattern[str]], liked: set[int], most: int
) -> list[int]:
    """The lines that together tell most of what is wanted, each of them something that the others do not."""
    told = {
        i: {name: _labelled(hit) for name, p in wanted.items() if (hit := p.search(record.lines[i].raw))} for i in lines
    }
    known: set[str] = set()
    best: list[int] = []
    while len(best) < most:
        worth = {
            i: 0.4 * (i in liked) * bool(told[i] or len(liked) == 1)
            + sum(_weight(name) * (1.1 if label else 1.0) for name, label in told[i].items() if name not in known)
            for i in lines if i not in best
        }  # fmt: skip
        top = max(worth, key=lambda i: (worth[i], -i), default=None)
        if top is None or (best and worth[top] <= 0):
            break
        best.append(top)
        known |= set(told[top])
    return best


def _weight(name: str) -> float:
    return 0.0 if name in ("host", "pod") else 0.5 if name in _PLACES else 1.0


def _labelled(hit: re.Match[str]) -> bool:
    """`Event ID: 4101`, `rank=3`: the line says what the value is."""
    return hit.string[: hit.start()].rstrip(" \t\"'(")[-1:] in (":", "=")


def _of_exception(match: Match, most: int, fallback: bool) -> list[Pick]:
    """In a traceback: the line of the exception in which the match lies, then what was matched or the frame.

    A `fallback` is about an exception that nobody knows: the original, where the match lies in one that passes it on.
    """
    from triage.formats.python import exceptions

    record, (low, high) = match.record, match.span
    raised = exceptions(record)
    if not raised:
        return []
    whole = _whole(match)
    one = raised[original(raised, [r.carrier for r in raised])] if whole or fallback else _around(raised, low, high)
    carried = not whole and fallback and not one.holds(low)
    if carried and (nameless := next((r for r in raised if r.offset == low), None)):
        one, carried = nameless, False
    passed_on = (record.line_at(low), low, high)
    if carried:
        whole, low, high = True, 0, len(record.text)
    line = record.line_at(one.offset)
    end = record.offsets[line + 1] - 1 if line + 1 < len(record.offsets) else len(record.text)
    first, last = record.line_at(low), record.line_at(max(low, high - 1))
    picks: list[Pick] = []
    if not whole and first > line:  # further down in a message of many lines, or behind it
        picks = [(i, low, high) for i in _telling(record, first, last)[: max(1, most - 1)]]
    across = not whole and low < end and high > one.offset
    picks.append((line, *((low, high) if across else (one.offset, end))))
    if not whole and last < line and first >= record.line_at(one.start):
        picks.append((first, low, high))
    frame = _frame(record, record.line_at(one.start), line)
    if frame is not None and len(picks) < most:
        picks.append((frame, record.offsets[frame], record.offsets[frame + 1] - 1))
    if carried:
        picks.append(passed_on)
    return list({pick[0]: pick for pick in reversed(picks)}.values())[::-1][:most]


def _of_stacks(match: Match, most: int) -> list[Pick]:
    """In a dump of several stacks: the frame with which the match ends, the same one in another stack, and the head
    of the thread that died; of a dump that breaks off, its last head."""
    record, (low, high) = match.record, match.span
    texts = record.text.split("\n")
    first, last = record.line_at(low), record.line_at(max(low, high - 1))
    heads = [i for i in range(first, last + 1) if _STACK.match(texts[i])]
    if _whole(match) or len(heads) < 2:
        return []
    died = next((i for i in heads if "urrent" in texts[i].split(" 0x", 1)[0]), heads[-1])
    inside = {head: range(head + 1, end) for head, end in zip(heads, [*heads[1:], last + 1], strict=True)}
    frame = _IN.search(texts[last]) or _called(texts, inside[heads[0]])
    picks = [died]
    for head in sorted(heads, key=lambda head: head != died):
        same = [i for i in inside[head] if frame and (m := _IN.search(texts[i])) and m[1] == frame[1]]
        picks += same[-1:]
    ends = [*record.offsets[1:], len(record.text) + 1]
    return [(i, record.offsets[i], ends[i] - 1) for i in sorted(picks[:most])]


def _called(texts: Sequence[str], stack: Sequence[int]) -> re.Match[str] | None:
    """The frame of the library function that the program itself called; stacks of dumps begin with the innermost."""
    frames = [Frame(m["path"], i, "", "") for i in stack if (m := _FILE.match(texts[i]))]
    own = program_frame(frames[::-1])
    return _IN.search(texts[max(own.line - 1, stack[0])]) if own else None


def _around(raised: Sequence[Raised], low: int, high: int) -> Raised:
    """The exception in which a match lies: its type under the span, else all that it printed around the begin."""
    under = [r for r in raised if low <= r.offset < high]
    within = [r for r in raised if r.start <= low <= r.end]
    return (under or within or raised)[-1]


def _frame(record: Record, first: int, line: int) -> int | None:
    """The line of the innermost frame of the program itself, among those above the exception."""
    lines = record.text.split("\n")
    frames = [Frame(m["path"], i, "", "") for i in range(first, line) if (m := _FILE.match(lines[i]))]
    frame = own_frame([Frame("none of the program", -1, "", ""), *frames])
    return frame.line if frame and frame.line >= 0 else None


def _part(record: Record, index: int, low: int, high: int) -> tuple[int, str]:
    """What lies of a span in one line of a record: the place in that line, and the text."""
    begin = record.offsets[index]
    end = record.offsets[index + 1] - 1 if index + 1 < len(record.offsets) else len(record.text)
    start = max(low, begin)
    return start - begin, record.text[start : min(high, end)]


def _evidence(record: Record, pick: Pick, wanted: dict[str, re.Pattern[str]]) -> Evidence:
    index, low, high = pick
    line = record.lines[index]
    _, part = _part(record, index, low, high)
    span = _find(line.raw, part)
    if span is None or (low == 0 and high >= len(record.text)):  # no part of the line was matched: its values are told
        span = _hull(line.raw, (p for name, p in wanted.items() if name not in _PLACES)) or span
    if span is None or (len(record.lines) > 1 and span == (0, len(line.raw))):
        span = _hull(line.raw, wanted.values()) or (0, len(line.raw))
    return Evidence(record.source, line.number, line.raw, span)


def _find(raw: str, part: str) -> tuple[int, int] | None:
    """Where a part of a message stands in the line of its file, which may spell it as JSON does."""
    forms = [part, *(json.dumps(part, ensure_ascii=ascii)[1:-1] for ascii in (False, True))] if part else []
    return next(((at, at + len(form)) for form in forms if (at := raw.find(form)) >= 0), None)


def _hull(text: str, patterns: Iterable[re.Pattern[str]]) -> tuple[int, int] | None:
    """From the first to the last value in a line."""
    hits = _hits(text, patterns)
    return (min(a for a, _ in hits), max(b for _, b in hits)) if hits else None


def _hits(text: str, patterns: Iterable[re.Pattern[str]]) -> list[tuple[int, int]]:
    return [hit.span() for pattern in patterns if (hit := pattern.search(text))]
