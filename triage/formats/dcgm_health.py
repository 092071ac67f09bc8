"""The report of `dcgmi health --check`, as the tree that it draws and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from triage import lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

_TITLE = lazy.pattern(r"\s*\| ?Health Monitor Report\s*\|")
_ROW = lazy.pattern(r"\s*\| (?P<arrow>\s*-> )?(?P<name>[^|]*?)\s*\| (?P<value>[^|]*?)\s*\|\s*$")
_BORDER = lazy.pattern(r"\s*\+[-=+]{5,}")
_LONGEST = 2000
_SYSTEM = 3  # levels: GPU, its number, Errors, the system


class DcgmHealth(Format):
    """A whole report is one record: each incident as `GPU 3 / Memory system : Failure`, then what was said of it.

        +---------------------------+----------------------------------------------------------+
        | Health Monitor Report                                                                |
        +===========================+==========================================================+
        | Overall Health            | Failure                                                  |
        | GPU                       |                                                          |
        | -> 3                      | Failure                                                  |
        |    -> Errors              |                                                          |
        |       -> Memory system    | Failure                                                  |
        |                           | GPU 3 had uncorrectable memory errors                    |
        +---------------------------+----------------------------------------------------------+
    """

    name: ClassVar[str] = "dcgm-health"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if "Health Monitor" in text and _TITLE.match(text):
            return self._tree(lines, at)
        return self._json(lines, at) if text.strip() == "{" else None

    def _tree(self, lines: Sequence[Line], at: int) -> Record:
        path: list[str] = []
        texts, end = ["Health Monitor Report"], at + 1
        while end < len(lines) and end - at < _LONGEST:
            row = _ROW.match(lines[end].text)
            if not row and not _BORDER.match(lines[end].text):
                break
            texts.append(_told(row["arrow"], row["name"].strip(), row["value"].strip(), path) if row else "")
            end += 1
        return record(self.name, lines[at:end], texts)

    def _json(self, lines: Sequence[Line], at: int) -> Record | None:
        """Each incident stands at the line that names its system."""
        text = "\n".join(line.text for line in lines[at : at + _LONGEST])
        if '"Health Monitor Report"' not in text or '"Overall Health"' not in text:
            return None
        try:
            tree, stop = json.JSONDecoder().raw_decode(text)
        except ValueError:
            return None
        body = tree.get("body") if isinstance(tree, dict) else None
        if not isinstance(body, dict):
            return None
        count = text[:stop].count("\n") + 1
        texts, place = [""] * count, 0
        for system, told in _incidents(body):
            named = (i for i in range(place, count) if f'"{system}"' in lines[at + i].text)
            place = next(named, place)
            texts[place] = f"{texts[place]}\n{told}".strip()
        texts[0] = f"Health Monitor Report\n{texts[0]}".strip()
        return record(self.name, lines[at : at + count], texts)


def _told(arrow: str | None, name: str, value: str, path: list[str]) -> str:
    """One row of the tree in words; `path` holds the names above it."""
    if not name:
        return f"  {value}"
    depth = len(arrow) // 3 if arrow else 0
    path[depth:] = [name]
    if depth == _SYSTEM and len(path) > _SYSTEM:
        return f"{path[0]} {path[1]} / {name} : {value}"
    return f"{' '.join(path[:2])} : {value}" if value else ""


def _incidents(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for group, one in body.items():
        for number, entity in _children(one).items():
            for system, found in _children(_children(entity).get("Errors")).items():
                said = found.get("overflow", []) if isinstance(found, dict) else []
                value = found.get("value", "") if isinstance(found, dict) else found
                rows = "".join(f"\n  {text}" for text in said if isinstance(text, str))
                yield system, f"{group} {number} / {system} : {value}{rows}"


def _children(node: Any) -> dict[str, Any]:
    found = node.get("children") if isinstance(node, dict) else None
    return found if isinstance(found, dict) else {}
