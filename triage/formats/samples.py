"""The sample of each format, as it stands in its docstring, and how much of a text each format takes."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from triage.formats import formats
from triage.formats.base import Format
from triage.model import Line


@dataclass(slots=True, frozen=True)
class Entry:
    """What is read: the name of a format, one sentence about it, and a sample."""

    name: str
    summary: str
    sample: list[str]


def entries() -> list[Entry]:
    """All formats, in the order in which they are asked."""
    return [Entry(form.name, (form.__doc__ or "").strip().split("\n", 1)[0], sample_of(form)) for form in formats()]


def sample_of(form: Format) -> list[str]:
    """The lines of the docstring's example: the texts of its doctest, else the block that is indented most."""
    import doctest  # 30 ms; to sniff a log needs none of it

    doc = form.__doc__ or ""
    for example in doctest.DocTestParser().get_examples(doc):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Assign) and (texts := _texts(node.value)):
                return texts
    block = "\n".join(line for line in doc.split("\n")[1:] if line.startswith("        "))
    return textwrap.dedent(block).split("\n") if block else []


def _texts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split("\n")
    if isinstance(node, ast.List):
        return [text for item in node.elts for text in _texts(item)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        times = node.right.value if isinstance(node.right, ast.Constant) else 1
        return [str(node.left.value) * times] if isinstance(times, int) else []
    return []


def sniff(lines: Sequence[Line]) -> list[tuple[str, float]]:
    """Each format with the share (0 to 1) of the non-empty lines that it would take alone, the largest first."""
    scores: dict[str, float] = {}
    for form in formats():
        scores[form.name] = scores.get(form.name, 0.0) + form.sniff(lines)
    return sorted(scores.items(), key=lambda entry: -entry[1])
