"""Escapes and control characters of real terminals and pastes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.escapes import clean, harmless, separate, strip_escapes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[2m\x1b[36m(RayTrainWorker pid=8127)\x1b[0m text", "(RayTrainWorker pid=8127) text"),
        ("\x1b]8;;https://a.b/c\x1b\\link\x1b]8;;\x1b\\ end", "link end"),
        ("\x1b]0;title\x07prompt", "prompt"),
        ("\x1b_bk;t=1700000000000\x07line of Buildkite", "line of Buildkite"),
        ("^[[31mError^[[0m", "Error"),
        ("\\x1b[31mError\\x1b[0m", "Error"),
        ("\\u001b[1;31mError\\u001b[0m", "Error"),
        ("\\033[1mError\\033[0m", "Error"),
        ("[36m(WorkerDict pid=33518)[0m Model config", "(WorkerDict pid=33518) Model config"),
        ("\x9b31mError\x9b0m", "Error"),
    ],
)
def test_escapes_go(text: str, plain: str) -> None:
    assert clean(strip_escapes(text)) == plain


@pytest.mark.parametrize("text", ["rate(errors[5m])", "GPU [0] NCCL", "a[1]m", "C:\\x\\e\\file", "array[3m"])
def test_text_that_only_looks_like_an_escape_stays(text: str) -> None:
    assert clean(strip_escapes(text)) == text


def test_an_unfinished_string_sequence_loses_no_text() -> None:
    assert "RuntimeError" in clean(strip_escapes("\x1b]0;RuntimeError: CUDA error"))


def test_every_part_of_a_progress_line_is_kept() -> None:
    assert separate("  0%|  | 0/5\rERROR: bus error\r 10%|") == ["  0%|  | 0/5", "ERROR: bus error", " 10%|"]
    assert separate("\r\r") == [""]
    assert separate("page one\x0cpage two") == ["page one", "page two"]


@given(st.text())
def test_shown_text_drives_no_terminal(text: str) -> None:
    shown = harmless(text)
    assert not [c for c in shown if unicodedata.category(c) == "Cc" and c != "\t"]
    cleaned = clean(strip_escapes(text).replace("\n", " "))
    assert not [c for c in cleaned if unicodedata.category(c) == "Cc" and c != "\t"]
