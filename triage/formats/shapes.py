"""The shapes of lines in job logs: which line begins something of its own, and which one only goes on.

Messages of Python and C++ run over many lines without any mark at their end. They end where a line of another kind
begins, so all formats of job logs ask here.
"""

from __future__ import annotations

import re

from triage import lazy
from triage.formats import nccl

_FILE = r"(?P<file>[\w./+\-]+\.(?:cpp|cc|cxx|c|hpp|h|cuh|cu|py|rs|inl)):(?P<line>[0-9]+)\]"
GLOG = (
    # [E1130 00:48:47.537795373 ProcessGroupNCCL.cpp:689] text; E1130 00:48:10.435000 2593 torch/.../api.py:986] text;
    # E0000 00:00:1767686571.351004 61240 cuda_dnn.cc:8310] text (absl before its initialisation)
    lazy.pattern(
        r"^(?:\[rank(?P<prefix>[0-9]+)\]:? ?)?\[?(?P<level>[EWIF])(?P<day>[0-9]{3,4}|[0-9]{8}) +"
        r"(?P<clock>[0-9]{1,2}:[0-9]{2}:[0-9]+(?:\.[0-9]+)?) +(?:(?P<tid>[0-9]+) +)?"
        r"(?P<file>[^\s:\]]+):(?P<line>[0-9]+)\] ?(?P<text>.*)"
    ),
    # [E ProcessGroupNCCL.cpp:474] text (PyTorch before 2.2)
    lazy.pattern(r"^(?:\[rank(?P<prefix>[0-9]+)\]:? ?)?\[(?P<level>[EWIF]) " + _FILE + " ?(?P<text>.*)"),
    # 2026-01-06 08:02:51.337120: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] text (TensorFlow)
    lazy.pattern(
        r"^(?:(?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)?:? ?)"
        r"(?P<level>[EWIF]) " + _FILE + " (?P<text>.*)"
    ),
    # ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) (before 2.1), and
    # [2024-03-01 10:00:00,123] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) (2.1, 2.2)
    lazy.pattern(r"^(?P<level>ERROR|WARNING|INFO|CRITICAL):(?P<file>torch(?:\.\w+)+):(?P<text>.*)"),
    lazy.pattern(
        r"^(?:\[(?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?)\] ?)?"
        r"(?P<file>torch(?:\.\w+)+): \[(?P<level>ERROR|WARNING|INFO|CRITICAL)\] (?P<text>.*)"
    ),
)

TRACEBACK = lazy.pattern(r"Traceback \(most recent call last\)")
IGNORED = lazy.pattern(r"^\s*Exception ignored (?:in|on|while)\b")
FAULT = lazy.pattern(
    r"^\s*(?:Fatal Python error: (?P<error>.*\S)|Windows fatal exception: (?P<windows>.*\S)"
    r"|(?P<timeout>Timeout) \([^)]*\)!)"
)
ABORT = lazy.pattern(
    r"^\s*(?:terminate called (?:after throwing an instance of '?(?P<type>[^']*)'?"
    r"|without an active exception|recursively)|libc\+\+abi: terminating (?:due to|with) .*)"
)
BORDER = lazy.pattern(r"^\s*[=*]{20,}\s*$")
# What follows the text of a C++ exception of PyTorch (c10/util/Backtrace.cpp), and Python stacks of collectives.
BACKTRACE = lazy.pattern(
    r"^\s*(?:Exception raised from .+ at |C\+\+ CapturedTraceback:|frame #[0-9]+: |#[0-9]+:? \S"
    r"|\(most recent call first\))"
)
# A name of an exception at the beginning of a line, as Python prints it: `pkg.mod.SomeError: text`. NCCL's result
# codes (`ncclSystemError: ...`) stand inside of messages.
RAISED = lazy.pattern(
    r"^(?!nccl[A-Z]|Xid[A-Z])(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]*(?:Error|Exception|ExceptionGroup|Interrupt|SystemExit"
    r"|Timeout|TimeoutExpired|Warning|StopIteration|Unsupported|Failure|Exit)(?:_\w+)?)"
    r"(?:\((?P<cause>\w+)\))?(?::(?: (?P<message>.*)|\s*)|\s*)$"
)

_DATE = (
    r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[ T_]|[0-9]{2}[/.][0-9]{2}[/.][0-9]{4} |[0-9]{2}:[0-9]{2}:[0-9]{2}\b"
    r"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +[0-9]{1,2}"
    r" [0-9]{2}:[0-9]{2}"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|SUCCESS|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)"
LEVEL = lazy.pattern(r"(?:^|[\s\[|(-])(?P<level>" + _LEVEL + r")(?=[\s\]|:)]|$)")
# What a log prints next, whatever came before. Each alternative is anchored: text inside of messages is theirs.
_OTHER = lazy.pattern(
    rf"^(?:[\[(]?(?:{_DATE})|\[?{_LEVEL}\]?\s*[:|\[]|{_LEVEL}\s"
    r"|\[[\w ]+\]\[?(?:" + _DATE + r")"
    r"|\[ *[0-9]+\.[0-9]{6}\]|NVRM:|nvidia-\w+:|kernel:"
    r"|.{0,60}?[0-9]{1,3}%\||\{['\"][\w/.-]+['\"]: |(?:[Ss]tep|[Ee]poch|[Ii]ter(?:ation)?|[Bb]atch)\b[ \[:=#]*[0-9]"
    r"|srun: |slurmstepd: |mpirun |mpiexec |mpi\w*: |wandb: |-{50,}|\*{20,}|={20,}"
    r"|Segmentation fault|Bus error|Aborted|Killed\s*$|Illegal instruction|\*\*\* |corrupted |free\(\): |double free"
    r"|\[?[\w.-]+@[\w.-]+[: ].*[$#] ?|\(\w+\) ?(?:\w+@|\$)|\$ |Exception in thread |NCCL version "
    r"|/\S+\.(?:cu|cuh|py):[0-9]+: )"
)
_BAR = lazy.pattern(r"(?:it/s|s/it|[0-9]s/(?:step|epoch|batch)|\?it/s)[,\] ]|^\S{0,40}: +[0-9]{1,3}%\|")


def glog(text: str) -> re.Match[str] | None:
    """The match of a glog-like header, or None: groups level, file, text, and where printed day, clock, stamp, tid."""
    for pattern in GLOG:
        found = pattern.match(text)
        if found:
            return found
    return None


def foreign(text: str) -> bool:
    """True if the line is of another kind than the lines of a Python traceback or of a long message."""
    return bool(
        _OTHER.match(text)
        or nccl.header(text)
        or glog(text)
        or FAULT.match(text)
        or ABORT.match(text)
        or IGNORED.match(text)
        or (len(text) < 2000 and _BAR.search(text))
    )


def begins(text: str) -> bool:
    """True if the line begins a record of its own: foreign lines, tracebacks and bare exceptions."""
    return foreign(text) or bool(TRACEBACK.search(text)) or bool(RAISED.match(text))
# What `set -x` of a shell prints before it runs a command: what the command says comes on a line of its own.
TRACED = lazy.pattern(
    r"\++ (?:(?:\S*/)?(?:echo|printf|[ef]?grep|awk|sed|cat|tee|head|tail|sort|find|xargs|ls|cp|mv|rm|mkdir|date|sleep"
    r"|exit|export|source|eval|exec|cd|set|test|local|return|case|for|if|while|trap|wait|kill|timeout|sudo|ssh|scp|bash|sh"
    r"|python[0-9.]*|pip|srun|sbatch|mpirun|torchrun|deepspeed|accelerate|kubectl|oc|helm|docker|podman|nvidia-smi"
    r"|dcgmi|dmesg|journalctl|systemctl|modprobe|logger|hostname|module|conda)\b|\[\[? |\(\(|\w+=)"
)
