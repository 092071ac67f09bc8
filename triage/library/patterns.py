"""The pattern language (RE2 subset, ASCII classes, linear in time), and all patterns of a library in one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triage.library.library import Pattern, Signature

_ONE_VALUE = r'^(\w+) == (-?\d+|"[^"]*")$'
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


def reason(error: Exception) -> str:
    """What an engine says about a pattern; each has its own kind of error, and re2 speaks in bytes."""
    said = error.args[0] if error.args else error
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)


@dataclass(slots=True)
class Table:
    """All patterns of a library, each distinct regex once.

    `regexes[i]` belongs to the patterns `users[i]`, each (signature id, number of the pattern in it), and to those of
    `keyed[i]` whose condition is `name == value`: name, value, patterns (a table of some hundred rows is one look-up).
    `anchors[i]` is the form for one line of raw text, `needles[i]` texts of which one must be there. `structured` are
    the patterns without a regex, by format; `marks` the anchors by which a large source shows where they may be.
    `foreign` are, by format, the regexes whose anchor was written for raw lines and need not hold on a joined record.
    `weak` are the anchors of facts and noise: their lines are read, but nothing around them is needed. `refined` maps
    a signature to all that it refines; `derived` are those computed over others.
    """

    regexes: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    needles: list[list[str]] = field(default_factory=list)
    users: list[list[tuple[str, int]]] = field(default_factory=list)
    keyed: list[dict[str, dict[str, list[tuple[str, int]]]]] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    structured: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    foreign: dict[str, list[int]] = field(default_factory=dict)
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
                if pattern.anchor:
                    table.marks.append(pattern.anchor)
                continue
            if pattern.regex not in place:
                place[pattern.regex] = len(table.regexes)
                table.regexes.append(pattern.regex)
                table.anchors.append(to_anchor(pattern))
                table.needles.append(needles(pattern.regex))
                table.users.append([])
                table.keyed.append({})
            at = place[pattern.regex]
            for form in pattern.formats if pattern.anchor else ():
                table.foreign.setdefault(form, []).append(at)
            chosen = re.match(_ONE_VALUE, pattern.where)
            if chosen and f"(?P<{chosen[1]}>" in pattern.regex:
                rows = table.keyed[at].setdefault(chosen[1], {})
                rows.setdefault(chosen[2].strip('"'), []).append((name, number))
            else:
                table.users[at].append((name, number))
        if signature.derive:
            table.derived.append(name)
        if signature.refines:
            table.refined[name] = sorted(_ancestors(name, signatures))
    facts = {name for name, s in signatures.items() if s.role == "context" and not s.promote}
    used: dict[str, set[str]] = {}
    for at, anchor in enumerate(table.anchors):
        listed = [table.users[at]]
        for by_value in table.keyed[at].values():
            listed.extend(by_value.values())
        for users in listed:
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


_SHORTEST, _MOST_NEEDLES = 4, 24


def needles(regex: str) -> list[str]:
    """Texts of which at least one stands in whatever the regex matches; empty when nothing can be said.

    `in` on a whole text is far cheaper than any automaton, and most of a thousand patterns are ruled out by it.
    """
    from re import _parser as parser  # type: ignore[attr-defined]

    try:
        tree = parser.parse(regex)
    except re.error:
        return []
    if tree.state.flags & re.IGNORECASE:
        return []
    found = _needles(tree.data) or []
    return found if all(len(text) >= _SHORTEST for text in found) else []


def _needles(items: list[tuple[Any, Any]]) -> list[str] | None:
    """The best (longest shortest) set of texts that a sequence needs, or None."""
    best: list[str] | None = None
    run = ""
    for kind, value in [*items, (None, None)]:
        name = str(kind)
        if name == "LITERAL" and chr(value) != "\n":
            run += chr(value)
            continue
        best, run = _better(best, [run] if run else None), ""
        if name == "SUBPATTERN" and not (value[1] & re.IGNORECASE):
            best = _better(best, _needles(value[3].data))
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and value[0] > 0:
            best = _better(best, _needles(value[2].data))
        elif name == "BRANCH":
            parts = [_needles(option.data) for option in value[1]]
            if all(parts):
                best = _better(best, [text for part in parts for text in part or ()])
    return best


def _better(old: list[str] | None, new: list[str] | None) -> list[str] | None:
    if not new or len(new) > _MOST_NEEDLES:
        return old
    if not old:
        return new
    return new if (min(map(len, new)), -len(new)) > (min(map(len, old)), -len(old)) else old
