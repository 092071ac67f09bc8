"""Events as nested text: PowerShell's JSON, and the tree of Event Viewer's *friendly view*."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from triage import lazy
from triage.formats.windows_headings import field_of
from triage.formats.windows_payload import Payload
from triage.model import Line

Found = tuple[int, dict[str, str], Payload]
_MOST_LINES = 150
_JSON_DATE = lazy.pattern(r"/Date\((\d{10,14})\)/")
_ROOT = lazy.pattern(r"^\s*[-+]\s*System\s*$")
_PART = lazy.pattern(r"^\s*[-+]\s*(EventData|UserData)\s*$")
_ATTRIBUTE = lazy.pattern(r"^\s*\[\s*(Name|SystemTime)\]\s+(\S.*?)\s*$")
_LEAF = lazy.pattern(r"^\s*(\w+)(?:\s+(\S.*?))?\s*$")
_TREE_LINE = lazy.pattern(r"^\s*(?:[-+]\s*\w+|\[\s*\w+\].*|\w+(?:\s+\S+){0,12}|\S+)?\s*$")


def from_json(lines: Sequence[Line], at: int) -> Found | None:
    """The event of one object that `ConvertTo-Json` printed: lines taken, header values, payload."""
    first = lines[at].text
    if not first.lstrip().startswith("{"):
        return None
    indent = len(first) - len(first.lstrip())
    for count in range(1, min(_MOST_LINES, len(lines) - at) + 1):
        text = lines[at + count - 1].text
        if text.rstrip().rstrip(",").endswith("}") and len(text) - len(text.lstrip()) <= indent:
            joined = "\n".join(line.text for line in lines[at : at + count]).strip().rstrip(",")
            return _json_event(joined, count)
    return None


def _json_event(text: str, count: int) -> Found | None:
    if '"ProviderName"' not in text and '"Source"' not in text:
        return None
    try:
        data: Any = json.loads(text)
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    values: dict[str, str] = {}
    for key, value in data.items():
        name = field_of(str(key))
        if name and isinstance(value, (str, int)) and (key != "Level" or "level" not in values):
            values[name] = str(value)
    date = _JSON_DATE.search(values.get("time", ""))
    if date:
        from datetime import UTC, datetime

        values["time"] = datetime.fromtimestamp(int(date[1]) / 1000, UTC).isoformat()
    if not values.get("provider") or not values.get("event_id", "").isdigit():
        return None
    strings = [str(p.get("Value")) for p in data.get("Properties") or () if isinstance(p, dict)]
    return count, values, Payload(strings, {}, values.get("message", ""))


def from_tree(lines: Sequence[Line], at: int) -> Found | None:
    """The event of a friendly view: `- System`, `[ Name] provider`, `EventID 41`, ..., `- EventData`, `name value`."""
    if not _ROOT.match(lines[at].text):
        return None
    values: dict[str, str] = {}
    named: dict[str, str] = {}
    count, inside = 1, False
    while count < _MOST_LINES and at + count < len(lines):
        text = lines[at + count].text
        blank = not text.strip()
        if _ROOT.match(text) or not _TREE_LINE.match(text) or (blank and not _goes_on(lines, at + count)):
            break
        attribute, leaf = _ATTRIBUTE.match(text), _LEAF.match(text)
        if _PART.match(text):
            inside = True
        elif attribute and not inside:
            values.setdefault("provider" if attribute[1] == "Name" else "time", attribute[2])
        elif leaf and leaf[2] and inside:
            named[leaf[1]] = leaf[2]
        elif leaf and leaf[2]:
            name = {"EventID": "event_id", "Level": "level", "Computer": "host"}.get(leaf[1])
            if name:
                values[name] = leaf[2]
        count += 1
    if not values.get("provider") or not values.get("event_id", "").isdigit():
        return None
    return count, values, Payload([], named, "")


def _goes_on(lines: Sequence[Line], at: int) -> bool:
    """Whether a blank line is one of the tree's own: the next text is indented or opens a branch."""
    for line in lines[at : at + 4]:
        if line.text.strip():
            return line.text.startswith(" ") or bool(_PART.match(line.text))
    return False
