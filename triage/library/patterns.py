"""The pattern language (RE2 subset, ASCII classes, linear in time), and all patterns of a library in one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triage.library.library import Pattern, Signature

# Quantifiers at the end of a pattern only lengthen a hit; hyperscan would report one hit for each byte of it.
_TRAIL = r"(?:(?P<one>\.|\\[dwsS]|\[[^\]\\]+\])(?P<often>[*+])\??|\$|\\b)$"


@cache
def compiled(regex: str) -> Any:
    """`regex` for confirming and extracting, multi-line; linear in time (re2), else `regex` with its own parser."""
    try:
        import re2

        options = re2.Options()
        options.log_errors = False
        return re2.compile("(?m)" + regex, options)
    except ImportError:
        import regex as fallback

        return fallback.compile(regex, fallback.MULTILINE | fallback.ASCII)


@dataclass(slots=True)
class Table:
    """All patterns of a library, each distinct regex once.

    `regexes[i]` belongs to the patterns `users[i]`, each (signature id, number of the pattern in it); `anchors[i]` is
    its form for one line of raw text. `structured` are the patterns without a regex, by format. `weak` are the anchors
    of facts and noise: their lines are read, but nothing around them is needed. `refined` maps a signature to all
    that it refines; `derived` are the signatures computed over others.
    """

    regexes: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    users: list[list[tuple[str, int]]] = field(default_factory=list)
    structured: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    weak: list[str] = field(default_factory=list)
    refined: dict[str, list[str]] = field(default_factory=dict)
    derived: list[str] = field(default_factory=list)


def tabulate(signatures: Mapping[str, Signature]) -> Table:
    """The table of these signatures."""
    table = Table()
    place: dict[str, int] = {}
    for name, signature in signatures.items():
        for number, pattern in enumerate(signature.match):
            if not pattern.regex:
                for form in pattern.formats:
                    table.structured.setdefault(form, []).append((name, number))
                continue
            if pattern.regex not in place:
                place[pattern.regex] = len(table.regexes)
                table.regexes.append(pattern.regex)
                table.anchors.append(to_anchor(pattern))
                table.users.append([])
            table.users[place[pattern.regex]].append((name, number))
        if signature.derive:
            table.derived.append(name)
        if signature.refines:
            table.refined[name] = sorted(_ancestors(name, signatures))
    facts = {name for name, s in signatures.items() if s.role == "context" and not s.promote}
    used: dict[str, set[str]] = {}
    for anchor, users in zip(table.anchors, table.users, strict=True):
        used.setdefault(anchor, set()).update(name for name, _ in users)
    table.weak = sorted(anchor for anchor, names in used.items() if names <= facts)
    return table


def _ancestors(child: str, signatures: Mapping[str, Signature]) -> set[str]:
    """All that `child` refines, directly or through others."""
    found: set[str] = set()
    todo = [child]
    while todo:
        signature = signatures.get(todo.pop())
        for parent in signature.refines if signature else []:
            if parent not in found:
                found.add(parent)
                todo.append(parent)
    return found


def to_anchor(pattern: Pattern) -> str:
    """The regex for one line of raw text: no line anchors, since the header still stands before the message."""
    text = pattern.anchor or pattern.regex
    flags = re.match(r"^\(\?[ims]+\)", text)
    head = flags.group(0).replace("m", "").replace("(?)", "") if flags else ""
    body = text[flags.end() :] if flags else text
    body = re.sub(r"(?<!\\)(?<!\[)\^", "", body)
    return head + re.sub(r"\(\?P<\w+>", "(?:", _trimmed(body))


def _trimmed(body: str) -> str:
    """`body` without what only lengthens its hits: `x[0-9]+$` -> `x[0-9]`."""
    while (found := re.search(_TRAIL, body)) and found.start() > 0 and body[found.start() - 1] != "\\":
        body = body[: found.start()] + (found["one"] if found["often"] == "+" else "")
        if found["often"] == "+":
            break
    return body
