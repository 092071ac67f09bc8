"""The summary that torchrun prints when a worker failed."""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.formats import shapes
from triage.formats.base import Format, record
from triage.formats.nccl import stamp
from triage.model import Line, Record, Value

_TITLE = lazy.pattern(r"^\s*(?P<name>\S.*?) FAILED\s*$")
_SECTION = lazy.pattern(r"^\s*(?P<name>Failures|Other Failures|Root Cause(?: \(first observed failure\))?):\s*$")
_ENTRY = lazy.pattern(r"^\s*\[(?P<index>[0-9]+)\]:\s*$")
_KEY = lazy.pattern(r"^\s+(?P<key>time|host|rank|exitcode|error_file|traceback|msg)\s*: ?(?P<value>.*)$")
_BORDER = lazy.pattern(r"^\s*[=*\-]{5,}\s*$")
_RANK = lazy.pattern(r"^(?P<rank>[0-9]+)(?: \(local_rank: (?P<local>[0-9]+)\))?")
_EXIT = lazy.pattern(r"^(?P<code>-?[0-9]+)(?: \(pid: (?P<pid>[0-9]+)\))?")
_SIGNAL = lazy.pattern(r"Signal -?[0-9]+ \((?P<name>SIG\w+)\)")
_WORKER = lazy.pattern(r"^(?P<indent>\s+)traceback\s*: (?=Traceback \(most recent call last\))")
_NONE = lazy.pattern(r"^\s*<NO_OTHER_FAILURES>\s*$")
# Linux numbers; they are the ones of the machine in the log, not of this one.
SIGNALS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}  # fmt: skip


class Torchrun(Format):
    """The summary of a ChildFailedError, one record; its fields are those of the first observed failure.

    >>> from triage.model import Line
    >>> texts = ['=' * 60, 'train.py FAILED', '-' * 60, 'Failures:', '  <NO_OTHER_FAILURES>', '-' * 60,
    ...          'Root Cause (first observed failure):', '[0]:', '  rank      : 3 (local_rank: 1)',
    ...          '  exitcode  : -9 (pid: 2984)']
    >>> found = Torchrun().take([Line(i, t, t) for i, t in enumerate(texts)], 0)
    >>> found.fields['rank'], found.fields['exit_code'], found.fields['signal']
    (3, -9, 'SIGKILL')
    """

    name = "torchrun"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        if not _begins(lines, at):
            return None
        end = _end(lines, at)
        texts = [line.text for line in lines[at:end]]
        found = record(self.name, lines[at:end], texts)
        all_failures = failures(found)
        first = root(all_failures)
        title = next((match["name"] for text in texts[:3] if (match := _TITLE.match(text))), None)
        fields: dict[str, Value] = {"failures": len(all_failures)}
        if title:
            fields["script"] = title.strip()
        for key in ("rank", "local_rank", "host", "pid", "exit_code", "signal"):
            if first and key in first:
                fields[key] = first[key]
        found.fields.update(fields)
        if first and end < len(lines) and (worker := _WORKER.match(lines[end].text)):
            _release(lines, end, worker["indent"], first)
        time = str(first["time"]).replace("_", " ") if first and "time" in first else None
        found.time = stamp(time, lines[at])
        return found


def failures(found: Record) -> list[dict[str, Value]]:
    """The failed workers of a torchrun record, in the order printed.

    Each has, where printed: time (as printed), host, rank, local_rank, exit_code, pid (numbers), error_file,
    traceback (text), signal (`SIGKILL`), and always index (number in brackets) and first (under "Root Cause").
    """
    entries: list[dict[str, Value]] = []
    first, key = False, ""
    for text in found.text.split("\n"):
        section, entry, pair = _SECTION.match(text), _ENTRY.match(text), _KEY.match(text)
        if section:
            first, key = section["name"].startswith("Root"), ""
        elif entry:
            entries.append({"index": int(entry["index"]), "first": first})
            key = ""
        elif _BORDER.match(text) or _TITLE.match(text) or not entries:
            key = ""
        elif pair and (key != "traceback" or pair["key"] not in entries[-1]):
            key = pair["key"]
            _store(entries[-1], key, pair["value"].strip())
        elif key == "traceback":
            entries[-1]["traceback"] = f"{entries[-1]['traceback']}\n{text}"
    return [_with_signal(entry) for entry in entries]


def root(entries: list[dict[str, Value]]) -> dict[str, Value] | None:
    """The first observed failure; in a block that was cut before it, number 0 or the only one, else None."""
    marked = [entry for entry in entries if entry["first"]] or [entry for entry in entries if entry["index"] == 0]
    if marked:
        return marked[0]
    return entries[0] if len(entries) == 1 else None


def _store(entry: dict[str, Value], key: str, value: str) -> None:
    if key == "rank" and (rank := _RANK.match(value)):
        entry["rank"] = int(rank["rank"])
        if rank["local"]:
            entry["local_rank"] = int(rank["local"])
    elif key == "exitcode" and (code := _EXIT.match(value)):
        entry["exit_code"] = int(code["code"])
        if code["pid"]:
            entry["pid"] = int(code["pid"])
    elif key == "host" and value.split(".")[0].lower() == "localhost":
        return  # every machine calls itself so
    elif key in ("time", "host", "error_file"):
        entry[key] = value
    elif key in ("traceback", "msg"):
        entry["traceback"] = value


def _with_signal(entry: dict[str, Value]) -> dict[str, Value]:
    code = entry.get("exit_code")
    named = _SIGNAL.search(str(entry.get("traceback", "")))
    if named:
        entry["signal"] = named["name"]
    elif isinstance(code, int) and -code in SIGNALS:
        entry["signal"] = SIGNALS[-code]
    return entry


def _release(lines: Sequence[Line], at: int, indent: str, first: dict[str, Value]) -> None:
    """Takes torchrun's own indent off the traceback at `at`, and says whose it is: then it reads like any other."""
    for key in ("rank", "local_rank", "host", "pid"):
        if key in first:
            lines[at].fields.setdefault(key, str(first[key]))
    lines[at].text = _WORKER.sub("", lines[at].text)
    for line in lines[at + 1 :]:
        if not line.text.startswith(indent):
            break
        line.text = line.text[len(indent) :]


def _begins(lines: Sequence[Line], at: int) -> bool:
    """True at the upper border of a summary, or at the first line that was left of it."""
    text = lines[at].text
    following = [line.text for line in lines[at + 1 : at + 3]]
    if not following:
        return False
    if shapes.BORDER.match(text):
        return bool(_TITLE.match(following[0])) and len(following) > 1 and bool(_BORDER.match(following[1]))
    if _TITLE.match(text):
        return bool(_BORDER.match(following[0])) and len(following) > 1 and bool(_SECTION.match(following[1]))
    if _SECTION.match(text):
        return bool(_ENTRY.match(following[0]) or _NONE.match(following[0]))
    return bool(_ENTRY.match(text) and _KEY.match(following[0]))


def _end(lines: Sequence[Line], at: int) -> int:
    """The line after the last one of the summary.

    Inside an entry every indented line is its own (a worker's traceback is printed indented by two); a blank line
    only if such a line follows. The traceback of the root cause, if there is one, ends the summary: it is a record
    of its own.
    """
    end = last = at
    root_cause = False
    while end < len(lines):
        text = lines[end].text
        section = _SECTION.match(text)
        root_cause = section["name"].startswith("Root") if section else root_cause
        if root_cause and _WORKER.match(text):
            break
        inside = (
            _BORDER.match(text) or _SECTION.match(text) or _ENTRY.match(text) or _NONE.match(text) or _KEY.match(text)
            or (end <= at + 1 and _TITLE.match(text)) or (text.startswith("  ") and text.strip())
        )  # fmt: skip
        if inside:
            last = end
            if _closes(lines, end, at):
                break
        elif text.strip() or end - last > 2:
            break
        end += 1
    return last + 1


def _closes(lines: Sequence[Line], end: int, at: int) -> bool:
    """True at the lower border: one like the upper one, after which nothing of the summary follows."""
    text = lines[end].text
    if end == at or not shapes.BORDER.match(text):
        return False
    following = next((line.text for line in lines[end + 1 : end + 3] if line.text.strip()), "")
    return not (_SECTION.match(following) or _ENTRY.match(following))
