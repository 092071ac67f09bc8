"""The front matter of a report: YAML between lines of `---`, or TOML between lines of `+++`.

Values are texts, as written: a version `580.10` is no number, and `timezone: +01:00` is no number of base 60. The place
of each value is known, so that one can be replaced without a change to a comment or a line end beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from triage import lazy

if TYPE_CHECKING:
    import yaml

Place = tuple[int, int, int]  # line (1-based), first column and column behind (0-based)

_MOST = 10_000  # values, aliases counted as often as they stand: an alias may stand for itself a billion times over
_KEY = lazy.pattern(r"[\"']?[A-Za-z_][\w-]*[\"']?\s*[:=](?:\s|$)")
_TOML = lazy.pattern(r"([A-Za-z_][\w-]*)\s*=\s*(?:(\"[^\"\\]*\"|'[^']*'|[^\s\"'#\[{]+)\s*(?:#.*)?$)?")
_MARKS = ("---", "+++")
_LATE = 10  # lines, a title or a comment, behind which front matter stands that is meant and not read
_NULLS = ("~", "null", "Null", "NULL")
_BREAKS = dict.fromkeys(map(ord, "\r\x85\u2028\u2029"), " ")  # end a line for YAML, but for no editor


@dataclass(slots=True)
class Front:
    """`kind` is `yaml`, `toml`, or empty where there is none; `stop` the line behind it, `room` where a new entry may
    be written (0: nowhere), `indent` what stands before each entry.

    `lines` are those of the entries, `places` those of their values as far as they stand on one line. `broken` says
    what is wrong, with its line.
    """

    kind: str = ""
    stop: int = 1
    room: int = 0
    indent: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    broken: tuple[int, str] | None = None


def read(lines: Sequence[str]) -> Front:
    """The front matter of a page; never fails."""
    first = next((number for number, line in enumerate(lines[:_LATE]) if line.rstrip() in _MARKS), -1)
    if first < 0:
        return Front()
    mark = lines[first].rstrip()
    close = next((n for n in range(first + 1, len(lines)) if lines[n].rstrip() == mark), 0)
    looks_so = first + 1 < len(lines) and bool(_KEY.match(lines[first + 1]))
    if not close or first:
        why = f"it must begin on the first line with {mark}" if close else f"no line {mark} closes it"
        return Front(broken=(first + 1, why)) if looks_so and (close or not first) else Front()
    front = Front("yaml" if mark == "---" else "toml", close + 2)
    try:
        (_yaml if mark == "---" else _toml)(front, lines[1:close])
    except RecursionError:
        front.broken = (1, "it is nested too deeply")
    if front.broken:
        front.values, front.places, front.room = {}, {}, 0
    return front


def _yaml(front: Front, lines: Sequence[str]) -> None:
    import yaml

    try:
        root = yaml.compose("\n".join(map(_single, lines)), Loader=yaml.CBaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        front.broken = (mark.line + 2 if mark else 1, str(getattr(error, "problem", None) or error))
        return
    front.room = len(lines) + 2
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        front.broken = (1, "it must be `name: value` lines")
        return
    if _weight(root, {}) > _MOST:
        front.broken = (1, "its aliases (`*name`) stand for too much")
        return
    front.room = 0 if root.flow_style else front.room
    front.indent = " " * root.start_mark.column
    for key, value in root.value:
        name = str(key.value)
        front.lines[name] = key.start_mark.line + 2
        front.places.pop(name, None)
        start, stop = value.start_mark, value.end_mark
        if isinstance(value, yaml.ScalarNode) and start.line == stop.line:
            front.places[name] = (start.line + 2, start.column, stop.column)
    front.values = _plain(root)


def _single(line: str) -> str:
    """The line as one also for YAML, each character at its place."""
    end = "\r" if line.endswith("\r") else ""
    return line.removesuffix("\r").translate(_BREAKS) + end


def _weight(node: yaml.Node, known: dict[int, int]) -> int:
    """How many values a node stands for; one that holds itself has no end."""
    if isinstance(node.value, str):
        return 1
    if id(node) not in known:
        known[id(node)] = _MOST + 1  # until it is known
        inner = (one for pair in node.value for one in (pair if isinstance(pair, tuple) else (pair,)))
        known[id(node)] = 1 + sum(_weight(one, known) for one in inner)
    return known[id(node)]


def _plain(node: yaml.Node) -> Any:
    """The texts, lists and tables of a node; merged tables (`<<`) are filled in."""
    if isinstance(node.value, str):
        return "" if getattr(node, "style", None) in (None, "") and node.value in _NULLS else node.value
    if not node.value or not isinstance(node.value[0], tuple):
        return [_plain(one) for one in node.value]
    table: dict[str, Any] = {}
    merged: list[Any] = []
    for key, value in node.value:
        made = _plain(value)
        if key.value == "<<":
            merged += made if isinstance(made, list) else [made]
        else:
            table[str(key.value)] = made
    for other in merged:
        table = {**other, **table} if isinstance(other, dict) else table
    return table


def _toml(front: Front, lines: Sequence[str]) -> None:
    import tomllib

    try:
        front.values = _texts(tomllib.loads("\n".join(lines) + "\n"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        front.broken = (int(found[1]) + 1 if found else 1, str(error))
        return
    front.room = 2
    for number, line in enumerate(lines, 2):
        if line.lstrip().startswith("["):
            break  # what follows is inside of a table
        if (found := _TOML.match(line)) and found[1] in front.values:
            front.lines[found[1]] = number
            if found[2] is not None and isinstance(front.values[found[1]], str):
                front.places[found[1]] = (number, *found.span(2))


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return value.isoformat() if isinstance(value, (date, datetime, time)) else str(value)
