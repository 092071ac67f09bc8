"""Jupyter notebooks: what the cells hold and what they printed, in the order of the document (nbformat 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def is_notebook(value: Any) -> bool:
    """Whether a JSON document is a notebook."""
    return isinstance(value, dict) and isinstance(value.get("cells"), list) and "nbformat" in value


def cell_texts(notebook: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The texts of a notebook as its JSON holds them: sources, streams, results as text, tracebacks with colours.

    A source has the field `container`, so that it is no part of what stands above it, its cell's output.
    """
    for cell in notebook["cells"]:
        for key, value in cell.items() if isinstance(cell, dict) else ():
            if key == "source":
                yield from ((text, {"container": "source"}) for text in _strings(value))
            elif key == "outputs" and isinstance(value, list):
                for output in value:
                    yield from ((text, {}) for text in _output(output))


def _output(output: Any) -> Iterator[str]:
    if not isinstance(output, dict):
        return
    for key, value in output.items():
        if key in ("text", "traceback"):
            yield from _strings(value)
        elif key == "data" and isinstance(value, dict):
            yield from _strings(value.get("text/plain"))


def _strings(value: Any) -> Iterator[str]:
    items = value if isinstance(value, list) else [value]
    yield from (item.rstrip("\n") for item in items if isinstance(item, str))
