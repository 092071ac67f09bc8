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
        ("requested free total allocated reserved", _SIZE),
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
BLANK = lazy.pattern(r"\{([a-z_][a-z0-9_]*)(?:-([0-9]{1,6})([smhd]))?\}")
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


def _value(found: re.Match[str], entities: Mapping[str, Value | list[Value]], shell: Shell) -> str | None:
    name, amount, unit = found.groups()
    text = _first(entities, name)
    if text is None or not _fits(name, text, shell):
        return None
    if amount is None:
        return text
    return earlier(text, int(amount) * _SECONDS[unit]) if name == "time" else None


def fill_text(text: str, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix") -> str:
    """`text` with its blanks filled; a blank that is unknown or does not fit its type is printed as `<name>`."""
    return BLANK.sub(lambda found: _value(found, entities, shell) or f"<{found[0][1:-1]}>", text)


def _fill_word(word: str, entities: Mapping[str, Value | list[Value]], shell: Shell) -> str:
    filled = fill_text(word, entities, shell)
    # A value must not turn an operand into an option.
    return filled if word.startswith("-") or not filled.startswith("-") else BLANK.sub(r"<\1>", word)


def fill_command(
    command: list[str] | str, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix"
) -> list[str]:
    """The argument list with its blanks filled; each word stays one word, whatever a value holds."""
    words = split_command(command, shell == "powershell") if isinstance(command, str) else command
    return [_fill_word(word, entities, shell) for word in words]


def shell_line(command: list[str], shell: Shell = "posix") -> str:
    """The command as one line that the shell reads back as exactly these words."""
    if shell == "posix":
        return shlex.join(command)
    safe = lazy.pattern(r"[A-Za-z0-9_./:\\=+%-]+", re.ASCII)
    words = [word if safe.fullmatch(word) else "'" + word.replace("'", "''") + "'" for word in command]
    return ("& " if words and words[0].startswith("'") else "") + " ".join(words)


def fill(playbook: Playbook, entities: Mapping[str, Value | list[Value]], shell: Shell = "posix") -> Advice:
    """The steps of the playbook with their blanks filled from `entities` (`time` is the time of the fault).

    Of a list the first value is taken. Steps marked @windows are filled for PowerShell whatever `shell` says.
    """
    advice = Advice(playbook.id, playbook.title)
    for steps in playbook.sections.values():
        for step in steps:
            own: Shell = "powershell" if step.where == "windows" else shell
            advice.steps.append(
                Step(
                    fill_text(step.text, entities, own),
                    step.section,
                    step.risk,
                    step.where,
                    None if step.command is None else fill_command(step.command, entities, own),
                    fill_text(step.expect, entities, own),
                )
            )
    return advice
