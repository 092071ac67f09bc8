"""Fills the blanks of playbooks. Entities come from hostile text: what does not fit its pattern is never filled in.

A value goes into a command only when the whole of it matches the pattern of its name; no pattern admits a quote, a
space at a word's start, `$`, a backtick, `;`, `|`, `&`, `<`, `>` or a newline, and none lets a word begin with `-`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from triage import lazy
from triage.library.playbook import Playbook, split_command
from triage.model import Advice, Step, Value
from triage.system import System

Shell = Literal["posix", "powershell"]

_PCI = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"
_NUMBER = r"[0-9]{1,19}"
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,127}"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?"
_VERSION = r"[0-9]{1,5}(?:\.[0-9]{1,6}){0,4}(?:[+-][A-Za-z0-9.]{1,32})?"
_UUID = r"(?:GPU-|MIG-)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:/[0-9]{1,3}){0,2}"
_SIZE = r"[0-9][0-9,]{0,24}(?:\.[0-9]{1,6})?(?: ?(?:[KMGTPE]?i?B|[kKMGTPE]|bytes))?"
_WORDS = r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,40}(?: [A-Za-z0-9][A-Za-z0-9_.+-]{0,40}){0,7}"
_PATH = r"/(?:[A-Za-z0-9_.@%+=:,/-]){0,400}"
_WINDOWS_PATH = r"[A-Za-z]:(?:[\\/][A-Za-z0-9_.@+=,-]{1,128}){1,32}"
_SYMBOL = r"[A-Za-z_][A-Za-z0-9_:.~@]{0,400}"
_HEX = r"0x[0-9a-fA-F]{1,16}"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"

# The full pattern of each blank. A name that is not here is never filled in.
PATTERNS: dict[str, re.Pattern[str]] = {
    name: lazy.pattern(pattern, re.ASCII)
    for names, pattern in (
        ("pci root_port", _PCI),
        ("gpu_uuid", _UUID),
        ("gpu rank local_rank pid other_pid xid sxid link exit_code signal errno event_id seq timeout_ms", _NUMBER),
        ("port device_code cuda_error", _NUMBER),
        ("ntstatus bugcheck", _HEX),
        ("host", _HOST),
        ("pod process module library interface hca op unit constraint", _NAME),
        ("driver client_version nccl torch", _VERSION),
        ("gpu_model recovery_action", _WORDS),
        ("requested free total allocated allowed reserved", _SIZE),
        ("path", _PATH),
        ("symbol", _SYMBOL),
        ("time", _TIME),
    )
    for name in names.split()
}
_ALSO: dict[str, re.Pattern[str]] = {
    "signal": lazy.pattern(r"SIG[A-Z0-9+]{2,9}", re.ASCII),
    "exit_code": lazy.pattern(r"-[0-9]{1,3}", re.ASCII),
    "unit": lazy.pattern(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,200}", re.ASCII),
    "cuda_error": lazy.pattern(r"(?:CUDA_ERROR|cudaError|CUBLAS_STATUS|CUDNN_STATUS)[A-Za-z_]{0,60}", re.ASCII),
    "library": lazy.pattern(_PATH, re.ASCII),
    "bugcheck": lazy.pattern(r"[A-Z][A-Z0-9_]{2,60}|[0-9A-Fa-f]{1,8}", re.ASCII),
    "errno": lazy.pattern(r"E[A-Z0-9]{1,20}", re.ASCII),
}
# What a sentence may quote besides: it is read, never run. No backtick, so that it stays outside of inline commands.
_PROSE: dict[str, re.Pattern[str]] = {"assertion": lazy.pattern(r"[ -_a-~]{1,200}", re.ASCII)}
# What no log holds and the reader fills in; it is always printed as `<name>`.
_READER = frozenset(["count", "generation", "job", "measured", "rating", "watts", "width"])
BLANKS = frozenset({*PATTERNS, *_PROSE, *_READER})
# `--since "{time-5m}"` in a line, `--since` in an argument list: without a time the whole option goes.
_TIME_OPTION = lazy.pattern(r""" --(?:since|until)[ =](["']?)\{time(?:-[0-9]{1,6}[smhd])?\}\1""")
_TIME_BLANK = lazy.pattern(r"(?:--(?:since|until)=)?\{time(?:-[0-9]{1,6}[smhd])?\}")
BLANK = lazy.pattern(r"\{([a-z_][a-z0-9_]*(?:\|[a-z_][a-z0-9_]*)*)(?:-([0-9]{1,6})([smhd]))?\}")
_ASIDE = lazy.pattern(rf" \((?:{BLANK.pattern})\)")  # a value that only adds to a sentence
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _first(entities: Mapping[str, Value | list[Value]], name: str) -> str | None:
    value = entities.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    if value is None or isinstance(value, bool):
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _fits(name: str, text: str, shell: Shell) -> bool:
    patterns = [PATTERNS.get(name), _ALSO.get(name)]
    if shell == "powershell" and name in ("path", "library"):
        patterns.append(lazy.pattern(_WINDOWS_PATH, re.ASCII))
    return any(pattern is not None and pattern.fullmatch(text) for pattern in patterns) and ".." not in text.split("/")


def earlier(time: str, seconds: float) -> str | None:
    """The ISO time `seconds` before `time`, as `date`, `journalctl --since` and databases read it, or None.

    A time with a zone is given in UTC and says so; one without stays without (the host's own clock).
    """
    try:
        moment = datetime.fromisoformat(time.strip())
        moment -= timedelta(seconds=seconds)
        if moment.tzinfo is None:
            return moment.strftime("%Y-%m-%d %H:%M:%S")
        return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError):
        return None


def _value(
    found: re.Match[str], entities: Mapping[str, Value | list[Value]], shell: Shell, prose: bool = False
) -> str | None:
    """The value of a blank; of `{gpu|pci}` that of the first name that is known and fits."""
    names, amount, unit = found.groups()
    for name in names.split("|"):
        text = _first(entities, name)
        if text is None:
            continue
        if not _fits(name, text, shell):
            if prose and name in _PROSE and _PROSE[name].fullmatch(text):
                return text
        elif amount is None:
            return text
        elif name == "time":
            return earlier(text, int(amount) * _SECONDS[unit])
    return None


def _open(found: re.Match[str]) -> str:
    """A blank that stays open, by its first name: `<pci>`, `<time-5m>`."""
    return f"<{found[0][1:-1].split('|')[0]}>"


def fill_text(text: str, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix") -> str:
    """`text` with its blanks filled; a blank that is unknown or does not fit its type is printed as `<name>`.

    `--since` and `--until` go when the time is not known.
    """
    if "{time" in text and not _knows_time(entities):
        text = _TIME_OPTION.sub("", text)
    return BLANK.sub(lambda found: _value(found, entities, shell) or _open(found), text)


def fill_prose(text: str, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix") -> str:
    """Like `fill_text` for a sentence: outside of backticks it also quotes what no command may hold (an assertion).

    An unknown value in brackets of its own, which only adds to the sentence, goes.
    """
    text = _ASIDE.sub(lambda found: "" if _value(found, entities, shell, True) is None else found[0], text)
    parts = text.split("`")
    for at, part in enumerate(parts):
        if at % 2:
            parts[at] = fill_text(part, entities, shell)
        else:
            parts[at] = BLANK.sub(lambda m: _value(m, entities, shell, True) or _open(m), part)
    return "`".join(parts)


def _knows_time(entities: Mapping[str, Value | list[Value]]) -> bool:
    return earlier(_first(entities, "time") or "", 0) is not None


def _fill_word(word: str, entities: Mapping[str, Value | list[Value]], shell: Shell) -> str:
    filled = fill_text(word, entities, shell)
    # A value must not turn an operand into an option.
    return filled if word.startswith("-") or not filled.startswith("-") else BLANK.sub(_open, word)


def _without_time(words: list[str]) -> list[str]:
    kept: list[str] = []
    for word in words:
        if not _TIME_BLANK.fullmatch(word):
            kept.append(word)
        elif not word.startswith("-"):
            if kept and kept[-1] in ("--since", "--until", "-S", "-U"):
                kept.pop()
            else:
                kept.append(word)
    return kept


def fill_command(
    command: list[str] | str, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix"
) -> list[str]:
    """The argument list with its blanks filled; each word stays one word, whatever a value holds.

    `--since` and `--until` go when the time is not known.
    """
    words = split_command(command, shell == "powershell") if isinstance(command, str) else command
    if shell == "powershell" and words[:1] == ["python3"]:
        words = ["python", *words[1:]]  # the name of the interpreter in a Windows environment
    if not _knows_time(entities):
        words = _without_time(words)
    return [_fill_word(word, entities, shell) for word in words]


def _posix_word(word: str) -> str:
    """`word` for a POSIX shell; one that holds apostrophes is easier to read in double quotes, where that is safe.

    An open blank (`{pci}`) needs no quotes, since braces without a comma mean nothing to a shell; `{gpu|pci}` does.
    """
    if "'" in word and not set(word) & set('"$`\\!'):
        return f'"{word}"'
    bare = word if "|" in word else BLANK.sub("x", word)
    return word if word and shlex.quote(bare) == bare else shlex.quote(word)


def _windows_word(word: str) -> str:
    """`word` for PowerShell, and wherever possible for cmd.exe too, which knows no single quotes."""
    if lazy.pattern(r"[A-Za-z0-9_./:\\=+%-]+", re.ASCII).fullmatch(word):
        return word
    if lazy.pattern(r"[ !#&-_a-~]+", re.ASCII).fullmatch(word) and not word.endswith("\\"):
        return f'"{word}"'
    return "'" + word.replace("'", "''") + "'"


def shell_line(command: list[str], shell: Shell = "posix") -> str:
    """The command as one line that the shell reads back as exactly these words."""
    if shell == "posix":
        return " ".join(map(_posix_word, command))
    words = [_windows_word(word) for word in command]
    return ("& " if words and words[0][0] in "'\"" else "") + " ".join(words)


def _place(where: str, system: System) -> str:
    """Where a step is done, on a known system: a host of that system is *the* host."""
    if system == "windows":
        return "windows" if where in ("host", "container") else where
    return "host" if system and where == system else where


def _is_form(command: list[str] | str | None, entities: Mapping[str, Value | list[Value]]) -> bool:
    """Whether a command has more than two blanks that a log can tell, and none of them is known."""
    text = command if isinstance(command, str) else " ".join(command or ())
    blanks = [found for found in BLANK.finditer(text) if found[1] not in _READER and found[1] != "time"]
    return len(blanks) > 2 and all(_value(m, entities, "posix") is None for m in blanks)


def fill(playbook: Playbook, entities: Mapping[str, Value | list[Value]], system: System = "") -> Advice:
    """The steps of the playbook that fit the system, their blanks filled from `entities` (`time`: of the fault).

    Steps of the other system are left out; all stay where the system is not known. Of a list the first value is taken.
    A command of many blanks of which the log tells none is left out with its step: it would be a form to fill in.
    """
    advice = Advice(playbook.id, playbook.title, title_zh=playbook.title_zh)
    for steps in playbook.sections.values():
        for step in steps:
            if system and step.where in ("linux", "windows") and step.where != system:
                continue
            if _is_form(step.command, entities):
                continue
            own: Shell = "powershell" if "windows" in (step.where, system) else "posix"
            advice.steps.append(
                Step(
                    fill_prose(step.text, entities, own),
                    step.section,
                    step.risk,
                    _place(step.where, system),
                    None if step.command is None else fill_command(step.command, entities, own),
                    fill_prose(step.expect, entities, own),
                )
            )
    return advice
