"""Exit codes and signals.

Numbers of x86-64 Linux (signal(7)); shells and Kubernetes add 128, Python and torchrun negate. Windows processes end
with an NTSTATUS. Slurm prints `code:signal` (sacct manual). 124: timeout(1). 253: srun manual.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode import ntstatus
from triage.decode.phrases import Known, whole

SIGNALS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    16: "SIGSTKFLT", 17: "SIGCHLD", 18: "SIGCONT", 19: "SIGSTOP", 20: "SIGTSTP", 21: "SIGTTIN", 22: "SIGTTOU",
    23: "SIGURG", 24: "SIGXCPU", 25: "SIGXFSZ", 26: "SIGVTALRM", 27: "SIGPROF", 28: "SIGWINCH", 29: "SIGIO",
    30: "SIGPWR", 31: "SIGSYS",
}  # fmt: skip
NUMBERS = {name: number for number, name in SIGNALS.items()}
MEANING = {
    "SIGHUP": "the session or terminal it belonged to was closed",
    "SIGINT": "somebody or something interrupted it, as Ctrl-C does",
    "SIGILL": "the processor does not know an instruction of the program, or the program trapped on purpose",
    "SIGTRAP": "a trap instruction, by a debugger or a runtime that gave up",
    "SIGABRT": "the process ended itself, after an uncaught C++ exception, a failed assertion or by a watchdog",
    "SIGBUS": "memory could not be provided (full /dev/shm, a truncated file that was mapped, a bad memory module)",
    "SIGFPE": "an arithmetic fault, usually an integer division by zero",
    "SIGKILL": "something else ended it at once (out-of-memory killer, scheduler, a person); the code does not say who",
    "SIGSEGV": "native code used an address that it must not use",
    "SIGPIPE": "it wrote to a pipe or socket whose reader was gone",
    "SIGTERM": "something asked it to end (scheduler, launcher, a person); it is usually not the first to fail",
    "SIGXCPU": "its limit of processor time was used up",
    "SIGXFSZ": "it hit the limit for the size of a file",
}
CHOSEN = {
    2: "2 is the usual code for a wrong command line",
    124: "124 is what timeout(1) gives when the time limit ran out",
    126: "126 means that the program could not be executed",
    127: "127 means that the program was not found",
}
_SLURM = lazy.pattern(
    r"\b(?:FAILED|CANCELLED(?: by \d+)?|OUT_OF_ME\w*\+?|NODE_FAIL|TIMEOUT|ExitCode=)\s*(\d{1,6}):(\d{1,6})\b"
)


def signal_of(code: int) -> str | None:
    """`SIGKILL` for -9 and 137; None for a code that a program chose itself."""
    number = -code if -31 <= code < 0 else code - 128 if 128 < code <= 128 + 31 else 0
    return SIGNALS.get(number)


def code_of(name: str) -> int | None:
    """137 for `SIGKILL`: what a shell reports."""
    number = NUMBERS.get(name)
    return None if number is None else 128 + number


def meaning(code: int) -> str:
    """One sentence about an exit code, or nothing where the code says nothing."""
    status = ntstatus.unsigned(code)
    if status is not None:
        return f"Exit code {code} is the Windows status {ntstatus.words(status)}."
    name = signal_of(code)
    if name is None:
        return f"Exit code {CHOSEN[code]}." if code in CHOSEN else ""
    why = MEANING.get(name)
    return f"Exit code {code} stands for {name}{f': {why}' if why else ''}."


def slurm(text: str) -> tuple[int, int] | None:
    """Code and signal of `FAILED 1:0` or `ExitCode=0:9`."""
    found = _SLURM.search(text)
    return (int(found[1]), int(found[2])) if found else None


def explain(texts: Sequence[str], known: Known) -> list[str]:
    code = whole(known, "exit_code")
    if code is not None and (said := meaning(code)):
        return [said]
    for text in texts:
        pair = slurm(text)
        if pair and pair[1] in SIGNALS:
            return [f"Slurm's {pair[0]}:{pair[1]} is exit code and signal: {_named(SIGNALS[pair[1]])}."]
    given = known.get("signal")
    name = SIGNALS.get(given) if isinstance(given, int) else given
    return [f"{name} means: {MEANING[name]}."] if isinstance(name, str) and name in MEANING else []


def _named(name: str) -> str:
    return f"{name}, {MEANING[name]}" if name in MEANING else name
