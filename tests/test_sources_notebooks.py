import json

import pytest

from triage.library.loader import load_library
from triage.pipeline import analyze_text, index_of
from triage.reading import read_source
from triage.sources import open_text
from triage.sources.notebooks import cell_texts, is_notebook

OUTPUTS = [
    {"name": "stdout", "output_type": "stream", "text": ["step 1\n", "step 2\n"]},
    {"data": {"text/plain": ["42"], "image/png": "iVBOR"}, "output_type": "execute_result"},
    {"ename": "RuntimeError", "evalue": "bad", "output_type": "error", "traceback": ["\x1b[0;31mTraceback (most recent call last)\x1b[0m", "File x.py:3, in f()\n----> 3 g()", "RuntimeError: bad"]},
]  # fmt: skip
BOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]},
        {"cell_type": "code", "outputs": OUTPUTS, "source": ["import x\n", "x.f()"]},
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


def texts(data: str) -> list[tuple[int, str]]:
    records = read_source(open_text(data, "a.ipynb"), index_of(load_library())).records
    return [(line.number, line.text) for record in records for line in record.lines]


def test_cells_and_what_they_printed() -> None:
    assert is_notebook(BOOK)
    assert not is_notebook({"cells": []})
    assert not is_notebook([])
    assert [text for text, _ in cell_texts(BOOK)][:4] == ["# Title", "step 1", "step 2", "42"]
    assert [text for text, told in cell_texts(BOOK) if told] == ["# Title", "import x", "x.f()"]


@pytest.mark.parametrize("indent", [1, 2, None])
def test_texts_stand_at_the_lines_of_the_file(indent: int | None) -> None:
    data = json.dumps(BOOK, indent=indent)
    found = texts(data)
    rows = data.split("\n")
    for wanted in ("step 1", "step 2", "RuntimeError: bad", "x.f()"):
        (number,) = (n for n, text in found if text == wanted)
        assert wanted in rows[number - 1]


@pytest.mark.parametrize("broken", [[1], [{}], [{"source": 1, "outputs": {}}], [{"outputs": [1, {"text": [2]}]}]])
def test_broken_cells_give_nothing(broken: list[object]) -> None:
    assert list(cell_texts({"cells": broken, "nbformat": 4})) == []


def test_errors_are_found_in_outputs_and_not_in_sources() -> None:
    error = "CUDA error: an illegal memory access was encountered"
    source = ["try:\n", "    f()\n", "except RuntimeError as error:\n", f'    print("{error}" in str(error))\n']
    calm = {"cells": [{"cell_type": "code", "outputs": OUTPUTS[:1], "source": source}], "nbformat": 4}
    assert analyze_text(json.dumps(calm, indent=1)).findings == []
    trace = [*OUTPUTS[2]["traceback"][:2], f"RuntimeError: {error}"]
    hit = {"cells": [{"cell_type": "code", "outputs": [{"output_type": "error", "traceback": trace}], "source": []}], "nbformat": 4}
    assert analyze_text(json.dumps(hit, indent=1)).findings[0].id == "cuda-illegal-address"
