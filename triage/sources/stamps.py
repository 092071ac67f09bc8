"""Times that a collector (container runtime, CI, `docker logs -t`) put before each line of another program.

A program's own log header stays in the text: formats know a new message by it. A stamp is taken off where its form
is that of a collector, where the text behind it is a format of its own, or where all lines have one.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy

ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
# Kubernetes (CRI): time, stream, F(ull) or P(artial), text.
CRI = lazy.pattern(rf"({ISO}) (stdout|stderr) ([FP])(?::[^ ]*)?(?: |$)")
COLLECTED = lazy.pattern(rf"({ISO})(?: [0-9]{{2}}[OE][+ ]?|)(?:[ \t]|$)")  # GitLab adds `00O `
_TASK = lazy.pattern(r"\[(?:task )?([0-9-]{10}T[0-9:]{8}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2}))\] ")
# Container runtimes and CI write UTC with 6 to 9 digits.
_COLLECTOR = lazy.pattern(r"[0-9-]{10}T[0-9:]{8}\.[0-9]{6,9}Z$")
# A stamp that is part of a syslog or kernel header stays with it: the format needs it.
_HEADER = lazy.pattern(r"(?:[\w.:-]+ )?(?:kernel: |[\w./@()-]+\[[0-9]+\]: |[\w.-]+ [\w./@-]+: )")
_NANOSECONDS = 28
# What begins a message by itself; behind something else on the line, that something is a wrapper.
_INNER = lazy.pattern(
    r"\[(?:rank|default)[0-9]+\]|\{\"|Traceback \(most|NVRM: |\[ *[0-9]+\.[0-9]{6}\]|[\w.-]+:[0-9]+:[0-9]+ \[[0-9]+\] "
    r"|\[?[EWIF][0-9]{3,4} [0-9]|\((?:\w+ )?pid=[0-9]|Fatal Python error: "
)
# The same for whole files: headers of syslog, dmesg and loggers, and bare exceptions.
_MESSAGE = lazy.pattern(
    r"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ 0-9]|  File \""
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: |$)"
    r"|[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [\w.-]+ [\w./@-]+(?:\[[0-9]+\])?: |\[[EWIF] [\w/]+\.(?:cpp|cc|cu):[0-9]+\] "
    r"|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}|\[[0-9]+,[0-9]+\]<std|(?:INFO|WARNING|ERROR) [0-9]{2}-"
)
_FOREIGN = lazy.pattern(r"\s+\S|Traceback \(most|NVRM: |\[ *[0-9]+\.[0-9]{6}\] ")
_GOES_ON = lazy.pattern(r"\s+\S|Traceback \(most|$")


def goes_on(text: str) -> bool:
    """Whether a message goes on in this line, or it is empty: no logger stamps such lines."""
    return _GOES_ON.match(text) is not None


def is_inner(text: str) -> bool:
    """Whether some program's own message begins here."""
    return _INNER.match(text) is not None or _MESSAGE.match(text) is not None


def is_foreign(text: str) -> bool:
    """Whether no logger that prints levels writes such a line: whoever put the level there did not read it."""
    return _FOREIGN.match(text) is not None


def has_header(text: str) -> bool:
    """Whether host and program of a syslog stand here: the stamp before them is theirs."""
    return _HEADER.match(text) is not None


def is_stamped(texts: Sequence[str]) -> bool:
    """Whether a collector stamped nearly all of `texts`, continuation lines included."""
    rests = [(text[10:11], text[found.end() :]) for text in texts if (found := COLLECTED.match(text))]
    if len(rests) < 2 or len(rests) < 0.9 * len(texts):
        return False
    if sum(1 for _, rest in rests if _HEADER.match(rest)) > 0.5 * len(rests):
        return False
    return all(mark == "T" for mark, _ in rests) or any(_GOES_ON.match(rest) for _, rest in rests)


def unstamp(text: str, fields: dict[str, str], stamped: bool) -> str | None:
    """`text` without the collector's time, which goes to the field `time`; None without one. The outermost counts."""
    found = CRI.match(text)
    if not found:
        found = COLLECTED.match(text)
        if not found or not _by_collector(found[1], text, found.end(), stamped):
            return None
    fields.setdefault("time", found[1])
    return text[found.end() :]


def untask(text: str, fields: dict[str, str]) -> str | None:
    """`text` without a time in brackets as Taskcluster and Jenkins write it; None without one."""
    if text[5:6] != "-" and not text.startswith("[task "):
        return None
    found = _TASK.match(text)
    if not found:
        return None
    fields.setdefault("time", found[1])
    return text[found.end() :]


def _by_collector(stamp: str, text: str, end: int, stamped: bool) -> bool:
    if stamp[19:20] == "," and stamp[10:11] == "T":  # dmesg --time-format iso: the kernel's own header
        return False
    if _HEADER.match(text, end) and not (stamp.endswith("Z") and len(stamp) >= _NANOSECONDS):
        return False
    return stamped or _COLLECTOR.match(stamp) is not None or _INNER.match(text, end) is not None
