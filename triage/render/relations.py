"""How the findings of a report belong together: the chain below the cause, and what stands beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from triage.findings import independent
from triage.model import Finding, Report
from triage.render import words

_APART = 10.0  # seconds from the cause from which the time of another finding is worth telling
_FRACTION = re.compile(r"(?<=:\d\d)\.\d+")


@dataclass(slots=True)
class Link:
    """A row of the chain: all findings of one id, how deep they hang below the cause, and what draws the tree."""

    id: str
    title: str
    depth: int
    count: int
    ranks: str
    last: list[bool] = field(default_factory=list)
    below: list[Link] = field(default_factory=list)  # told in the same row, by their ids alone

    def times(self, sign: str) -> str:
        """`×4`, or nothing for what was seen once."""
        return f"{sign}{self.count}" if self.count > 1 else ""


def chain(report: Report) -> list[Link]:
    """The tree from the root cause to its symptoms, each id once; empty when the root explains nothing."""
    top = words.root(report)
    if top is None:
        return []
    groups: dict[str, list[Finding]] = {top.id: [top]}
    for finding in report.findings:
        if finding is not top and finding.id != top.id:
            groups.setdefault(finding.id, []).append(finding)
    below = {name: {i for f in group for i in f.explains} for name, group in groups.items()}
    above = {name: list(dict.fromkeys(i for f in group for i in f.explained_by)) for name, group in groups.items()}
    children = _children(top.id, below, above)
    rows: list[Link] = []
    _draw(top.id, [], children, groups, rows)
    return rows if len(rows) > 1 else []


def _children(top: str, below: dict[str, set[str]], above: dict[str, list[str]]) -> dict[str, list[str]]:
    """Who hangs below whom: each id below the first of those that explain it, which is the nearest; a circle is cut."""
    reached, todo = {top}, [top]
    while todo:
        cause = todo.pop()
        fresh = [i for i in below if i not in reached and (i in below[cause] or cause in above[i])]
        reached.update(fresh)
        todo += fresh
    placed = [top]
    children: dict[str, list[str]] = {name: [] for name in reached}
    parents: dict[str, str] = {}
    # `explains` holds effects of effects too, so a cause has more of them than what it explains.
    for name in sorted((i for i in below if i in reached and i != top), key=lambda i: -len(below[i])):
        direct = [i for i in above[name] if i in reached] + [i for i in reversed(placed) if name in below[i]]
        parents[name] = next((i for i in direct if i != name and not _under(i, name, parents)), top)
        children[parents[name]].append(name)
        placed.append(name)
    return children


def _under(name: str, other: str, parents: dict[str, str]) -> bool:
    """Whether `name` already hangs somewhere below `other`."""
    while name in parents:
        name = parents[name]
        if name == other:
            return True
    return False


def fold(links: list[Link], most: int) -> list[Link]:
    """The rows of a tree, at most `most` of them: what hangs deepest is put into one row with its neighbours.

    Nothing is left out: the last resort is a single row that holds every id below the root.
    """
    rows = links
    for depth in range(max((link.depth for link in links), default=0), 0, -1):
        if len(rows) <= most:
            break
        rows = []
        for link in links:
            if link.depth >= depth and rows and rows[-1].depth == depth:
                above = rows[-1]
                rows[-1] = replace(above, last=[*above.last[:-1], True], below=[*above.below, link])
            else:
                rows.append(link)
    return rows


def met(fact: Finding, report: Report) -> str:
    """How a fact stands to the root: `after` it the root came, if its reason says so; else it was seen `with` it."""
    top = words.root(report)
    told = top is not None and re.search(rf"\bafter {re.escape(fact.id)}(?=[;,. ]|$)", top.why)
    return "after" if told else "with"


def triggers(report: Report) -> list[Finding]:
    """Facts that belong to the root: no faults, but what set it off or shows how it came about."""
    top = words.root(report)
    return [f for f in report.findings if top is not None and f.role == "context" and f.id in top.explained_by]


def _draw(
    name: str, last: list[bool], children: dict[str, list[str]], groups: dict[str, list[Finding]], rows: list[Link]
) -> None:
    group = groups[name]
    rows.append(Link(name, group[0].title, len(last), sum(f.count for f in group), words.ranks(group), last))
    for at, child in enumerate(children[name]):
        _draw(child, [*last, at == len(children[name]) - 1], children, groups, rows)


def others(report: Report, everything: bool = False) -> list[Finding]:
    """Findings that do not belong to the root's chain: independent faults first, then, on demand, context."""
    top = words.root(report)
    if top is None:
        free = [f for f in report.findings if f.role != "context" and not f.explained_by]
    else:
        free = independent(report.findings)
    if everything:
        told = {link.id for link in chain(report)} | {f.id for f in (*free, *triggers(report))}
        free = [*free, *(f for f in report.findings if f is not top and f.id not in told)]
    return free


def beside(finding: Finding, report: Report) -> list[str]:
    """How another finding is told from the cause: its place if that is another, its time if that is not about the
    same, its process if another."""
    cause = words.root(report)
    if cause is None or finding is cause:
        return words.place(finding.entities)[:2]
    own = {k: v for k, v in finding.entities.items() if k != "pid" and v != cause.entities.get(k)}
    parts = words.place(own)[:2]
    a, b = (one.first.time if one.first else "" for one in (cause, finding))
    if b and (not a or not _close(a, b)):
        time = _FRACTION.sub(
            "", words.later(words.moment(a, report), words.moment(b, report)) if a else words.moment(b, report)
        )
        parts.append(time)
    pid = finding.entities.get("pid")
    if pid not in (None, [], cause.entities.get("pid")):
        parts.append(f"pid {words.words(pid)}")
    return parts


def _close(a: str, b: str) -> bool:
    try:
        if a.startswith("+") and b.startswith("+"):
            return abs(float(a[1:].split()[0]) - float(b[1:].split()[0])) <= _APART
        return abs((datetime.fromisoformat(a) - datetime.fromisoformat(b)).total_seconds()) <= _APART
    except (ValueError, TypeError):
        return False
