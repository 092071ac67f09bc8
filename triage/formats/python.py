"""What a Python program prints when it dies: tracebacks, fault handler dumps, and the text of a C++ abort."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from triage import clock, lazy
from triage.formats import pychain, pymessage, pytrace, shapes
from triage.formats.base import Format, record
from triage.formats.nccl import stamp
from triage.formats.pychain import Part, Raised
from triage.model import Line, Record, Stamp, Value

__all__ = ["CppAbort", "Faulthandler", "Raised", "Traceback", "exceptions"]

_LAUNCHER_FRAME = lazy.pattern(
    r"torch[/\\]distributed[/\\](?:run|launch)\.py|torch[/\\]distributed[/\\]launcher|deepspeed[/\\]launcher"
    r"|accelerate[/\\]commands[/\\]launch\.py|bin[/\\](?:torchrun|accelerate|deepspeed)$"
)
_LAUNCHER_ERROR = lazy.pattern(r"(?:ChildFailedError|CalledProcessError|SignalException)$")
_STAMP = lazy.pattern(r"^[\[(]?(?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?)")
_DEAD = lazy.pattern(r"^\s+pid: (?P<pid>[0-9]+)\s*$")  # Ray describes the actor that has died
_PID = lazy.pattern(r"\bpid[=: ] ?(?P<pid>[0-9]+)")
# Words with which a log line announces the traceback below it; a line without them only happens to stand there.
_ANNOUNCES = lazy.pattern(
    r":\s*$|caught|catch|handled|exception|error|fail|retry|retrie|ignor|skip|fall(?:ing)? ?back|recover|unable"
    r"|could not|cannot|out of memory|\bOOM\b|attempt|traceback",
    re.IGNORECASE,
)
_LONG = 60.0  # seconds; printing one takes far less
_TO_MINUTES = len("2026-03-11T10:00")
_THREAD = lazy.pattern(r"^\s*(?:Current thread|Thread) 0x[0-9a-fA-F]+.*\(most recent call first\):")
_FAULT_FRAME = lazy.pattern(r'^\s+File "(?P<path>[^"]*)", line (?P<line>[0-9]+) in (?P<function>.+?)\s*$')
_FAULT_REST = lazy.pattern(
    r"^\s*(?:File \"|<no Python frame>|<truncated rest of calls>|Garbage-collecting|Binary file |<invalid frame>"
    r"|\.\.\.\s*$|Extension modules: |Python runtime state: |Current thread's C stack trace"
    r"|Stack \(most recent call first\)|<Cannot show all threads|<no C stack>)"
)
_MODULES = lazy.pattern(r"^\s*Extension modules: ")
_RANK = lazy.pattern(r"\[?(?:PG [^\]]*? )?Rank (?P<rank>[0-9]+)\]")


class Traceback(Format):
    """A whole chain of Python exceptions, one record; the fields tell of the exception that was not caught.

    Fields: exception (full name), message (its first line), path, line_number, function, code_line (innermost frame
    of the program itself), chain (all types, root first), root_exception, frames (number), and where they apply
    original, original_message (of the exception that it passes on from a worker), ignored, launcher, level, pid,
    thread, gpu (the only `cuda:N` it names), signal (that killed a worker), interleaved (number of tracebacks that
    were printed into each other).

    >>> from triage.model import Line
    >>> texts = ['Traceback (most recent call last):', '  File "/job/train.py", line 3, in main', '    run()',
    ...          'ValueError: batch 5: expected 2048 tokens, got 0']
    >>> found = Traceback().take([Line(i, t, t) for i, t in enumerate(texts)], 0)
    >>> found.fields['exception'], found.fields['path'], found.fields['code_line']
    ('ValueError', '/job/train.py', 'run()')
    """

    name = "traceback"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        found = pytrace.scan(_printed_with(lines, at), at)
        if found is None:
            return None
        own = lines[at : found.end]
        texts = [_cut(line.text, found.margin) for line in own]
        parts = pychain.parts(texts, found)
        fields: dict[str, Value] = {"frames": sum(len(part.frames) for part in parts)}
        if parts:
            fields.update(_uncaught(texts, parts))
        if found.messy:
            fields["interleaved"] = found.headers
        if _is_ignored(lines, at, found, texts):
            fields["ignored"] = True
        if _is_launcher(parts):
            fields["launcher"] = True
        fields.update(_surroundings(lines, at, texts))
        fields.update(pymessage.told(texts))
        made = record(self.name, own, texts, _time(lines, at), **fields)
        return pymessage.rejoin(made, found.labels)


def _printed_with(lines: Sequence[Line], at: int) -> Callable[[int], str | None]:
    """The lines that can belong to a traceback: where a wrapper stamps each, none of a minute later."""
    told = lines[at].fields.get("time", "") if at < len(lines) else ""
    start = clock.parse(told) if told else None

    def text(i: int) -> str | None:
        if not 0 <= i < len(lines):
            return None
        now = lines[i].fields.get("time", "") if start else ""
        if start and now and now[:_TO_MINUTES] != told[:_TO_MINUTES]:
            stamp = clock.parse(now)
            if stamp and abs(stamp.seconds - start.seconds) > _LONG:
                return None
        return lines[i].text

    return text


def exceptions(found: Record) -> list[Raised]:
    """The exceptions of a traceback record, from the root to the uncaught one.

    Each is `(offset, type, message, start, end)`: where its type stands in `found.text`, and the span of all that it
    printed. A match at `p` belongs to the exception with `start <= p <= end`. Of other formats: none.
    """
    texts = found.text.split("\n")
    scanned = pytrace.scan(lambda i: texts[i] if 0 <= i < len(texts) else None, 0)
    return pychain.all_raised(texts, scanned) if scanned and found.format == Traceback.name else []


def _cut(text: str, margin: re.Pattern[str] | None) -> str:
    match = margin.match(text) if margin else None
    return text[match.end() :] if match else text


def _uncaught(texts: list[str], parts: list[Part]) -> dict[str, Value]:
    for part in parts:
        pychain.arrows(texts, part)
    named = [part for part in parts if part.type]
    last = named[-1] if named else parts[-1]
    fields: dict[str, Value] = {}
    if named:
        fields |= {"exception": last.type, "message": last.message, "root_exception": named[0].type}
        fields["chain"] = ",".join(part.type for part in named)
        first = named[pychain.original(named, pychain.carriers(named))]
        if first is not last:
            fields |= {"original": first.type, "original_message": first.message}
    frame = pychain.own_frame(last.frames or [frame for part in parts for frame in part.frames])
    if frame:
        fields |= {"path": frame.path, "function": frame.function}
        if frame.line:
            fields["line_number"] = frame.line
        if frame.code:
            fields["code_line"] = frame.code
    return fields


def _is_launcher(parts: list[Part]) -> bool:
    """True for the launcher's own traceback: it tells only that a worker failed."""
    last = parts[-1] if parts else None
    if last is None or (last.type and not _LAUNCHER_ERROR.search(last.type)):
        return False
    if last.type.endswith("ChildFailedError"):
        return True
    launcher = any(_LAUNCHER_FRAME.search(frame.path) for frame in last.frames)
    return launcher and (bool(last.type) or "ChildFailedError" in last.frames[-1].code)


def _is_ignored(lines: Sequence[Line], at: int, found: pytrace.Scan, texts: list[str]) -> bool:
    """True for exceptions that Python could not raise (in destructors).

    Cython prints such a traceback twice, before and below `Exception ignored in: 'name'`; a name in quotes is
    Cython's, and another traceback that stands before such a line by chance differs from the one below.
    """
    if found.labels[0] == "ignored":
        return True
    following = lines[found.end].text if found.end < len(lines) else ""
    if not (shapes.IGNORED.match(following) and re.search(r"in: '", following)):
        return False
    below = [line.text for line in lines[found.end + 1 : found.end + 1 + len(texts)]]
    if not below or not shapes.TRACEBACK.search(below[0]):
        return True
    return [text.strip() for text in below] == [text.strip() for text in texts]


def _announcer(lines: Sequence[Line], at: int) -> Line | None:
    """The log line directly before the traceback, if it announces it."""
    before = lines[at - 1] if at > 0 else None
    return before if before is not None and _ANNOUNCES.search(before.text) else None


def _time(lines: Sequence[Line], at: int) -> Stamp | None:
    """The time in the wrapper or the prefix of the first line, else that of the log line which announces it."""
    for line in (lines[at], _announcer(lines, at)):
        printed = _STAMP.match(line.text) if line else None
        found = stamp(printed["stamp"] if printed else None, line) if line else None
        if found:
            return found
    return None


def _surroundings(lines: Sequence[Line], at: int, texts: list[str]) -> dict[str, Value]:
    """Level, thread and pid, from the log prefix of the first line or the log line directly before it."""
    fields: dict[str, Value] = {}
    first = lines[at].text
    head = shapes.TRACEBACK.search(first)
    before = first[: head.start()] if head else ""
    level = shapes.LEVEL.search(before)
    announcing = _announcer(lines, at)
    if level is None and announcing and (head or shapes.IGNORED.match(first)):
        level = shapes.LEVEL.search(announcing.text[:200])
        stored = announcing.fields.get("level")
        if level is None and stored:
            fields["level"] = stored.lower()
    if level:
        fields["level"] = {"warn": "warning"}.get(level["level"].lower(), level["level"].lower())
    thread = re.match(r"^\s*Exception in thread (?P<name>.+?):?\s*$", first)
    if thread:
        fields["thread"] = thread["name"]
    dead = next((m for t in texts if (m := _DEAD.match(t))), None)
    called = next((m for t in texts if "Error(" in t and (m := _PID.search(t))), None)
    pid = dead or _PID.search(before) or called
    if pid and "pid" not in lines[at].fields:
        fields["pid"] = int(pid["pid"])
    return fields


class Faulthandler(Format):
    """`Fatal Python error: ...` with the stacks of all threads, one record.

    Fields: error (the text), signal (`SIGSEGV`, where it is one), threads (number of stacks), and path, line_number,
    function of the innermost frame of the current thread.

    >>> from triage.model import Line
    >>> texts = ['Fatal Python error: Segmentation fault', '', 'Current thread 0x00007f (most recent call first):',
    ...          '  File "/job/train.py", line 145 in segfault']
    >>> found = Faulthandler().take([Line(i, t, t) for i, t in enumerate(texts)], 0)
    >>> found.fields['signal'], found.fields['threads'], found.fields['function']
    ('SIGSEGV', 1, 'segfault')
    """

    name = "faulthandler"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        start = shapes.FAULT.match(lines[at].text)
        if start is None and not _THREAD.match(lines[at].text):
            return None
        end = self._end(lines, at)
        texts = [line.text for line in lines[at:end]]
        error = next((group for group in start.groups() if group), None) if start else None
        current = next((i for i, text in enumerate(texts) if text.lstrip().startswith("Current thread 0x")), 0)
        frame = next((match for text in texts[current:] if (match := _FAULT_FRAME.match(text[:4000]))), None)
        return record(
            self.name,
            lines[at:end],
            texts,
            stamp(None, lines[at]),
            error=error,
            signal=pymessage.SIGNALS.get(error.lower()) if error else None,
            threads=sum(1 for text in texts if _THREAD.match(text)),
            path=frame["path"] if frame else None,
            line_number=int(frame["line"]) if frame else None,
            function=frame["function"] if frame else None,
        )

    @staticmethod
    def _end(lines: Sequence[Line], at: int) -> int:
        end = last = at + 1
        while end < len(lines):
            text = lines[end].text
            if _THREAD.match(text) or _FAULT_REST.match(text):
                last = end + 1
                if _MODULES.match(text):
                    break
            elif text.strip():
                break
            end += 1
        return last


class CppAbort(Format):
    """`terminate called after throwing an instance of '...'` with its `what():` and C++ frames, one record.

    Fields: exception (the C++ type), message (first line of `what()`), rank where the text names it.

    >>> from triage.model import Line
    >>> texts = ["terminate called after throwing an instance of 'c10::Error'", '  what():  CUDA error: device busy']
    >>> found = CppAbort().take([Line(i, t, t) for i, t in enumerate(texts)], 0)
    >>> found.fields['exception'], found.fields['message']
    ('c10::Error', 'CUDA error: device busy')
    """

    name = "cpp-abort"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        start = shapes.ABORT.match(lines[at].text)
        if start is None:
            return self._frames(lines, at)
        end = self._end(lines, at)
        texts = [line.text for line in lines[at:end]]
        what = next((text for text in texts[1:] if text.lstrip().startswith("what():")), "")
        message = what.partition("what():")[2].strip()
        rank = _RANK.search(message) if "rank" not in lines[at].fields else None
        return record(
            self.name,
            lines[at:end],
            texts,
            stamp(None, lines[at]),
            exception=start["type"] or None,
            message=message or None,
            rank=int(rank["rank"]) if rank else None,
        )

    @staticmethod
    def _frames(lines: Sequence[Line], at: int) -> Record | None:
        """C++ frames whose message bears another prefix or was cut off: one record of plain text."""
        end = at
        while end < len(lines) and shapes.BACKTRACE.match(lines[end].text):
            end += 1
        return record("text", lines[at:end], [line.text for line in lines[at:end]]) if end > at + 1 else None

    @staticmethod
    def _end(lines: Sequence[Line], at: int) -> int:
        end, plain = at + 1, 20
        while end < len(lines):
            text = lines[end].text
            if not text.strip():
                following = lines[end + 1].text if end + 1 < len(lines) else ""
                if not shapes.BACKTRACE.match(following):
                    break
            elif not (shapes.BACKTRACE.match(text) or text.lstrip().startswith("what():")):
                plain -= 1
                if plain < 0 or shapes.begins(text):
                    break
            end += 1
        return end
