"""The report of `dcgmi diag`, as the table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from triage import lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

_ROW = lazy.pattern(r"\s*\| ?(?P<name>[^|]{20,40}?)\s*\| ?(?P<value>[^|]*?)\s*\|?\s*$")
_BORDER = lazy.pattern(r"\s*[+|][-=+]{5,}")
_RESULT = lazy.pattern(r"(?:Pass|Fail|Skip|Warn|Not Run)\b")
_JSON = lazy.pattern(r'\s*"DCGM (?:GPU )?Diagnostic"\s*:')
_LONGEST = 2000
# Tests of the installation (level 1 of `dcgmi diag`); DCGM 4 sums them up as `software`.
_DEPLOYMENT = frozenset((
    "Denylist", "Blacklist", "NVML Library", "CUDA Main Library", "CUDA Runtime Library", "CUDA Toolkit Library",
    "Permissions and OS Blocks", "Persistence Mode", "Environment Variables", "Graphics Processes", "software",
))  # fmt: skip


class Dcgm(Format):
    """A whole report is one record: `PCIe : Fail - GPU: 3`, and what was said to it as `PCIe / Error : ...`.

    >>> from triage.model import Line
    >>> rows = ["| Diagnostic                | Result        |", "+===========================+===============+",
    ...         "| PCIe                      | Fail - GPU: 3 |", "| Error                     | GPU 3 is slow |"]
    >>> Dcgm().take([Line(i, row, row) for i, row in enumerate(rows)], 0).text.splitlines()[2:]
    ['PCIe : Fail - GPU: 3', 'PCIe / Error : GPU 3 is slow']
    """

    name: ClassVar[str] = "dcgm"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if text.lstrip().startswith("| Diagnostic ") and "Result" in text:
            return self._table(lines, at)
        return self._json(lines, at) if text.strip() == "{" or '"DCGM ' in text else None

    def _table(self, lines: Sequence[Line], at: int) -> Record:
        texts, test, last, end = [lines[at].text], "", "", at + 1
        while end < len(lines) and end - at < _LONGEST:
            text = lines[end].text
            row = _ROW.match(text)
            if _BORDER.match(text):
                texts.append("")
            elif not row:
                break
            else:
                name, value = row["name"].strip(), row["value"].strip()
                if _RESULT.match(value):
                    test = last = _placed(name) if name else test
                elif name:
                    last = f"{test} / {name}" if test else name
                texts.append(f"{last} : {value}")
            end += 1
        return record(self.name, lines[at:end], texts)

    def _json(self, lines: Sequence[Line], at: int) -> Record | None:
        """JSON over many lines or one; the flattened results stand at the first line."""
        if not any(_JSON.search(line.text) for line in lines[at : at + 3]):
            return None
        text = "\n".join(line.text for line in lines[at : at + _LONGEST])
        try:
            tree, stop = json.JSONDecoder().raw_decode(text)
        except ValueError:
            return None
        count = text[:stop].count("\n") + 1
        results = list(_results(tree))
        places = [i for i in range(count) if '"status"' in lines[at + i].text]
        if len(places) != len(results):  # not one on each line
            places = [0] * len(results)
        texts = [""] * count
        for place, told in zip(places, results, strict=True):
            texts[place] = f"{texts[place]}\n{told}".strip()
        return record(self.name, lines[at : at + count], texts) if results else None


def _placed(name: str) -> str:
    """The name of a test, behind `Deployment` where it looks at the installation and not at the hardware."""
    return f"Deployment / {name}" if name in _DEPLOYMENT else name


def _results(tree: Any) -> Iterator[str]:
    """Each result of each test, with the GPUs it is about and the warnings given."""
    items = tree.items() if isinstance(tree, dict) else ()
    top: Any = next((value for key, value in items if key.startswith("DCGM")), {})
    for category in top.get("test_categories", []) if isinstance(top, dict) else []:
        for test in category.get("tests", []):
            for result in [*test.get("results", []), *([test["test_summary"]] if "test_summary" in test else [])]:
                who = result.get("gpu_ids", result.get("gpu_id", result.get("entity_id", "")))
                place = f" - GPU: {who}" if who != "" else ""
                name = _placed(str(test.get("name", "")))
                told = [f"{name} : {result.get('status', '')}{place}"]
                for said in result.get("warnings", []):
                    words = said.get("warning", "") if isinstance(said, dict) else said
                    told.append(f"{name} / Error : {words}")
                yield "\n".join(told)
