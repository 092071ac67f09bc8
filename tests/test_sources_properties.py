"""What holds for every text and every way to wrap it: nothing raises, lines keep their numbers and come out once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.model import Line
from triage.sources import open_text
from triage.sources.assemble import Journal, PrettyJson, Table, assembler_of
from triage.sources.escapes import clean, strip_escapes
from triage.sources.jsonlines import inner_objects, messages, read_object
from triage.sources.kinds import kind_of
from triage.sources.layouts import doubtful, layout_of, untag
from triage.sources.names import name_fields
from triage.sources.notebooks import cell_texts, is_notebook
from triage.sources.panes import Panes, border_of
from triage.sources.prefixes import peel
from triage.sources.rows import Row
from triage.sources.stamps import is_stamped, unstamp, untask
from triage.sources.wrapped import Wrapped, width_of

MESSAGES = (
    "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", "Traceback (most recent call last):", '  File "/app/t.py", line 3, in f',
    "RuntimeError: CUDA error: x", "step 12 loss 0.3", "", "[    1.000000] NVRM: a", "错误 CUDA 内存不足", "\x1b[31mred\x1b[0m", "a\rb\rc", "│ boxed │",
    "Mar 11 10:02:11 n7 kernel: NVRM: b", "x" * 90,
)  # fmt: skip
WRAPS = {
    "plain": lambda n, t: t,
    "CRI": lambda n, t: f"2025-03-11T10:02:{n % 60:02}.1Z stderr {'PF'[n % 2]} {t}",
    "docker": lambda n, t: json.dumps({"log": t + "\n" * (n % 3 > 0), "stream": "stderr", "time": f"2025-03-11T10:02:{n % 60:02}Z"}),
    "json": lambda n, t: json.dumps({"ts": n, "level": "error", "msg": t, "exc": t}),
    "journal": lambda n, t: f"__CURSOR=s={n}\n__REALTIME_TIMESTAMP={n}\nMESSAGE={t}\n",
    "logfmt": lambda n, t: f"time={n} level=error msg={json.dumps(t)}",
    "GitHub": lambda n, t: f"2025-03-11T10:02:{n % 60:02}.1234567Z {t}",
    "ts": lambda n, t: f"2025-03-11 10:02:{n % 60:02} {t}",
    "rank": lambda n, t: f"[rank{n}]: {t}",
    "ray": lambda n, t: f"(Worker pid={n}, ip=10.0.0.1) {t}",
    "srun": lambda n, t: f"{n % 4}: {t}",
    "quote": lambda n, t: f"> {t}",
    "grep": lambda n, t: f"{n}:{t}",
    "pane": lambda n, t: f"{t:<40}│{n}",
    "html": lambda n, t: f'<span class="line">{t}</span>',
    "csv": lambda n, t: f'{n},"{t}"',
    "pretty": lambda n, t: json.dumps({"timestamp": n, "message": t}, indent=1) + ",",
    "notebook": lambda n, t: json.dumps({"nbformat": 4, "cells": [{"source": [t], "outputs": [{"text": [t]}]}]}, indent=1),
}  # fmt: skip
TEXTS = st.lists(st.sampled_from(MESSAGES) | st.text(max_size=30).map(lambda t: t.replace("\n", " ")), max_size=14)
FILES = st.tuples(TEXTS, st.lists(st.sampled_from(sorted(WRAPS)), min_size=1, max_size=2)).map(
    lambda drawn: "\n".join(WRAPS[drawn[1][n % len(drawn[1])]](n, text) for n, text in enumerate(drawn[0], 1))
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["message", "MESSAGE", "log", "msg", "exc", "events", "data", "result", "cells", "nbformat", "source", "outputs",
                         "text", "values", "stream", "hits", "_source", "timestamp", "time", "level"]) | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def lines_of(text: str | bytes) -> list[Line]:
    return [line for block in open_text(text).blocks() for line in block.lines(0, block.count)]


@given(FILES)
def test_lines_of_a_file_keep_their_numbers(text: str) -> None:
    source = open_text(text)
    lines = [line for block in source.blocks() for line in block.lines(0, block.count)]
    numbers = [line.number for line in lines]
    rows = text.split("\n")
    assert numbers == sorted(numbers), "numbers never go down"
    assert set(numbers) <= set(range(1, len(rows) + 1))
    assert source.lines == len(set(numbers))
    assert not [line for line in lines if "\n" in line.text or "\n" in line.raw]


@given(TEXTS, st.sampled_from(["plain", "GitHub", "ts", "rank", "ray", "quote", "grep", "html", "docker", "json", "logfmt"]))
def test_no_line_is_lost(texts: list[str], wrap: str) -> None:
    """All wrappers of single lines: each line of the file is there, and what a person sees is what the file holds."""
    texts = ["".join(char if char.isprintable() else " " for char in text) for text in texts]
    text = "\n".join(WRAPS[wrap](n, text) for n, text in enumerate(texts, 1))
    rows = text.removesuffix("\n").split("\n")
    if assembler_of(rows) is not None or wrap == "docker":
        return  # those join lines, which has a test of its own
    lines = lines_of(text)
    assert {line.number for line in lines} == (set(range(1, len(rows) + 1)) if text else set())
    assert all(line.raw == rows[line.number - 1] for line in lines)


ASSEMBLERS = {
    "json": PrettyJson, "journal": Journal, "table": lambda: Table(["a", "message"], 1, ","), "wrapped": lambda: Wrapped(30),
    "panes": lambda: Panes(40),
}  # fmt: skip


@pytest.mark.parametrize("name", ASSEMBLERS)
@given(FILES)
@settings(max_examples=50)
def test_rows_come_out_in_order_and_however_they_are_fed(name: str, text: str) -> None:
    rows = [Row(n, part, part) for n, part in enumerate(text.split("\n"), 1)]
    whole = ASSEMBLERS[name]().feed(rows, last=True)
    parts = ASSEMBLERS[name]()
    assert [out for row in rows for out in parts.feed([row])] + parts.feed((), last=True) == whole
    numbers = [row.number for row in whole]
    assert numbers == sorted(numbers)
    assert set(numbers) <= set(range(1, len(rows) + 1))
    if name == "wrapped":
        assert "".join(row.text for row in whole) == "".join(row.text for row in rows)


@given(VALUES)
def test_any_json_value_gives_texts_or_nothing(value: object) -> None:
    line = json.dumps(value)
    read_object(line)
    if isinstance(value, dict):
        assert all(isinstance(text, str) and isinstance(fields, dict) for text, fields in messages(value))
        if is_notebook(value):
            assert all(isinstance(text, str) for text, _ in cell_texts(value))
    assert all(isinstance(text, str) for _, text in inner_objects(value))
    assert [one.number for one in lines_of(line)] == [1] * len(lines_of(line))


@given(TEXTS)
def test_layouts_and_prefixes_take_off_a_beginning(texts: list[str]) -> None:
    layout = layout_of(texts)
    for text in texts:
        rest = doubtful(text, {}, layout.layers)
        assert rest is None or text.endswith(rest[0])
        assert text.endswith(peel(text, {})) or "\x1b" in text
        for taken in (unstamp(text, {}, True), untask(text, {})):
            assert taken is None or text.endswith(taken)
    assert is_stamped(texts) in (True, False)
    assert 0 <= width_of(texts) <= 400
    assert border_of(texts) >= 0


@given(st.text(max_size=60))
def test_helpers_take_any_text(text: str) -> None:
    assert "\x1b" not in strip_escapes(text) or not text.isprintable()
    assert not [char for char in clean(text) if char in "\x00\x07\x1b"]
    untag(text)
    fields = name_fields(text)
    assert set(fields) <= {"rank", "local_rank", "host"}
    assert all(value.isdigit() for key, value in fields.items() if key != "host")


@given(st.binary(max_size=300))
def test_the_kind_of_any_bytes(data: bytes) -> None:
    assert isinstance(kind_of(data), str)
    for line in lines_of(data):
        assert line.number >= 1
