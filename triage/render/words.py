"""A report in words: what terminal and Markdown say alike about devices, ranks, times and chains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite

from triage.model import Entities, Finding, Place, Report, Source, Step, Value
from triage.render.text import clean, compact

CONFIDENCE = {"confirmed": "confirmed", "likely": "likely", "possible": "possible, not proven"}
ACTION = {
    "none": "nothing needs to be done",
    "debug-app": "correct the program or its settings",
    "restart-app": "restart the job",
    "restart-service": "restart the service",
    "reset-gpu": "reset the GPU",
    "drain": "drain the node",
    "reboot-node": "reboot the node",
    "check-hardware": "check the hardware",
    "rma": "replace the part (RMA)",
    "collect-more": "collect more evidence first",
}
VERDICT = {
    "fault": "FAULT",
    "suspect": "SUSPECT",
    "healthy": "HEALTHY",
    "nothing-understood": "NOTHING UNDERSTOOD",
}
# Where it happened, in the order in which a reader looks for it; the other entities say what happened.
_PLACES = (
    ("pci", "PCI"), ("gpu", "GPU"), ("gpu_model", ""), ("gpu_uuid", ""), ("rank", "rank"),
    ("local_rank", "local rank"), ("host", "host"), ("pod", "pod"), ("process", "process"), ("pid", "pid"),
    ("interface", "interface"), ("hca", "HCA"),
)  # fmt: skip
# The numbers of an out-of-memory in the order of the argument; any other entity follows as the report has it.
_FIRST = ("requested", "total", "free", "allocated", "reserved", "signal", "exit_code")
_SLASH = re.compile(r"[/\\]")
_ORDER = ("Confirm", "Fix", "If it returns", "Verify")


@dataclass(slots=True)
class Link:
    """A row of the chain: all findings of one id, how deep they hang below the cause, and what draws the tree."""

    id: str
    title: str
    depth: int
    count: int
    ranks: str
    last: list[bool] = field(default_factory=list)


def words(value: Value | list[Value], most: int = 6) -> str:
    """An entity in words: numbers of a list compacted, long lists cut."""
    if not isinstance(value, list):
        return clean(f"{value:g}" if isinstance(value, float) else str(value))
    numbers = [v for v in value if isinstance(v, int)]
    if value and len(numbers) == len(value):
        return compact(numbers)
    shown = ", ".join(clean(str(v)) for v in value[:most])
    return f"{shown} and {len(value) - most} more" if len(value) > most else shown


def place(entities: Entities) -> list[str]:
    """Device, rank and host: `["PCI 0000:3b:00", "GPU 2", "ranks 0,2-7", "host node07"]`."""
    parts = []
    for key, label in _PLACES:
        value = entities.get(key)
        if value is None or value == "" or value == []:
            continue
        plural = "s" if isinstance(value, list) and len(value) > 1 and key in ("rank", "local_rank", "host") else ""
        parts.append(f"{label}{plural} {words(value)}" if label else words(value))
    return parts


def details(entities: Entities) -> list[str]:
    """The entities that `place` leaves out: `["requested 20.00 GiB", "free 1.2 GiB"]`."""
    known = {key for key, _ in _PLACES}
    keys = [*(key for key in _FIRST if key in entities), *(key for key in entities if key not in _FIRST)]
    return [
        f"{key.replace('_', ' ')} {words(entities[key])}"
        for key in keys
        if key not in known and not key.startswith("_") and entities[key] not in ("", [], None)
    ]


def sentence(text: str) -> str:
    """`text` with a capital at its beginning and a full stop at its end."""
    text = clean(text).strip()
    return text[:1].upper() + text[1:] + ("" if not text or text[-1] in ".!?:" else ".")


def when(finding: Finding) -> str:
    """`2024-05-01T12:00:01, 4 times, last 12:03:10`; only what is known."""
    parts = []
    first = finding.first.time if finding.first else ""
    last = finding.last.time if finding.last else ""
    if first:
        parts.append(clean(first))
    if finding.count > 1:
        parts.append(f"{finding.count:,} times")
    if last and last != first and finding.count > 1:
        parts.append(f"last {clean(_later(first, last))}")
    return ", ".join(parts)


def _later(first: str, last: str) -> str:
    """`last` without the date when it is the same as that of `first`."""
    try:
        a, b = datetime.fromisoformat(first), datetime.fromisoformat(last)
    except ValueError:
        return last
    return last.split("T")[-1].split(" ")[-1] if a.date() == b.date() else last


def where(spot: Place | None) -> str:
    """`dmesg.txt:17`, or nothing."""
    return f"{clean(spot.source)}:{spot.line}" if spot else ""


def ranks(findings: Iterable[Finding]) -> str:
    """`rank 3` or `ranks 0,2-7` over all findings, or nothing."""
    found: list[int] = []
    for finding in findings:
        value = finding.entities.get("rank")
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, int) and not isinstance(item, bool):
                found.append(item)
            elif isinstance(item, str) and item.isdecimal():
                found.append(int(item))
    if not found:
        return ""
    return f"{'ranks' if len(set(found)) > 1 else 'rank'} {compact(found)}"


def root(report: Report) -> Finding | None:
    """The root cause, or the unknown that ended the job, or None when there is nothing to explain."""
    first = report.findings[0] if report.findings else None
    return first if first and (first.role in ("cause", "unknown") or report.verdict in ("fault", "suspect")) else None


def chain(report: Report) -> list[Link]:
    """The tree from the root cause to its symptoms, each id once; empty when the root explains nothing."""
    top = root(report)
    if top is None:
        return []
    groups: dict[str, list[Finding]] = {top.id: [top]}
    for finding in report.findings:
        if finding is not top and finding.id != top.id:
            groups.setdefault(finding.id, []).append(finding)
    below = {name: {i for f in group for i in f.explains} for name, group in groups.items()}
    above = {name: {i for f in group for i in f.explained_by} for name, group in groups.items()}
    children = _children(top.id, below, above)
    rows: list[Link] = []
    _draw(top.id, [], children, groups, rows)
    return rows if len(rows) > 1 else []


def _children(top: str, below: dict[str, set[str]], above: dict[str, set[str]]) -> dict[str, list[str]]:
    """Who hangs below whom. Each id hangs below the nearest of those that explain it, so also a circle is a tree."""
    reached, todo = {top}, [top]
    while todo:
        cause = todo.pop()
        fresh = [i for i in below if i not in reached and (i in below[cause] or cause in above[i])]
        reached.update(fresh)
        todo += fresh
    placed = [top]
    children: dict[str, list[str]] = {name: [] for name in reached}
    # `explains` holds effects of effects too, so a cause has more of them than what it explains.
    for name in sorted((i for i in below if i in reached and i != top), key=lambda i: -len(below[i])):
        direct = [i for i in placed if i in above[name]] or [i for i in placed if name in below[i]] or [top]
        children[direct[-1]].append(name)
        placed.append(name)
    return children


def _draw(
    name: str, last: list[bool], children: dict[str, list[str]], groups: dict[str, list[Finding]], rows: list[Link]
) -> None:
    group = groups[name]
    rows.append(Link(name, group[0].title, len(last), sum(f.count for f in group), ranks(group), last))
    for at, child in enumerate(children[name]):
        _draw(child, [*last, at == len(children[name]) - 1], children, groups, rows)


def others(report: Report, everything: bool = False) -> list[Finding]:
    """Findings that do not belong to the root's chain: independent faults first, then, on demand, context."""
    shown = {link.id for link in chain(report)}
    rest = [f for f in report.findings if f is not root(report)]
    free = [f for f in rest if f.role != "context" and not f.explained_by and (f.id not in shown or f.role == "cause")]
    kept = set(map(id, free))
    if everything:
        free += [f for f in rest if id(f) not in kept and f.id not in shown]
    return free


def steps(finding: Finding, most: int | None = None) -> tuple[list[Step], int]:
    """The steps to show, at most `most`, and how many are left out. "Do not" items are not among them.

    Reading comes before doing, but never takes the whole list: a fix is shown when there is one.
    """
    found = finding.playbook.steps if finding.playbook else []
    known = [s for name in _ORDER for s in found if s.section == name]
    known += [s for s in found if s.section not in (*_ORDER, "Do not")]
    if most is None or len(known) <= most:
        return known, 0
    confirm = [s for s in known if s.section == "Confirm"]
    rest = [s for s in known if s.section != "Confirm"]
    first = confirm[: max(most // 2, most - len(rest))]
    shown = first + rest[: most - len(first)]
    return shown, len(known) - len(shown)


def warnings(finding: Finding) -> list[str]:
    """The "Do not" items of the playbook."""
    return [s.text for s in finding.playbook.steps if s.section == "Do not"] if finding.playbook else []


def counted(number: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def reading(report: Report) -> str:
    """What was read: `3 files, 1,200 lines, 29 kinds (kernel, torchrun) in 0.4 s`."""
    good = [s for s in report.sources if s.readable]
    formats = list(dict.fromkeys(clean(name) for s in good if s.format for name in s.format.split("+")))
    text = f"{counted(len(good), 'file')}, {counted(sum(s.lines for s in good), 'line')}"
    kinds = report.stats.get("templates")
    if isinstance(kinds, int) and kinds:
        text += f", {counted(kinds, 'kind')} of message"
    if formats:
        text += f" ({', '.join(formats[:5])}{', ...' if len(formats) > 5 else ''})"
    seconds = report.stats.get("seconds")
    return f"{text} in {seconds:.1f} s" if isinstance(seconds, (int, float)) and isfinite(seconds) else text


def short_names(report: Report) -> Callable[[str], str]:
    """Takes off the folder that all inputs share: `/var/log/job7/rank0.log` -> `rank0.log`."""
    paths = [_SLASH.split(source.name)[:-1] for source in report.sources]
    shared = 0
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return lambda name: "/".join(_SLASH.split(name)[shared:]) if shared else name


def unread(report: Report) -> list[Source]:
    """The inputs that could not be read."""
    return [s for s in report.sources if not s.readable]
