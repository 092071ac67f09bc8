from pathlib import Path

import pytest
from small import library, signature

from triage.pipeline import analyze, analyze_text


@pytest.mark.parametrize(
    ("line", "unexplained"),
    [
        ("gizmo failed to start", True),
        ("fatal: no such gizmo", True),
        ("0 errors, 12 passed", False),
        ("failed=0", False),
        ("no error was found", False),
        ("all fine", False),
        ("boom happened", False),  # the signature explains it
    ],
)
def test_lines_that_look_bad_and_nobody_knows(tmp_path: Path, line: str, unexplained: bool) -> None:
    lib = library(tmp_path, {"boom.yaml": signature("boom", "boom")})
    assert bool(analyze_text(line, library=lib).unexplained) == unexplained


def test_repeated_lines_are_one_kind(tmp_path: Path) -> None:
    lib = library(tmp_path, {"boom.yaml": signature("boom", "boom")})
    text = "\n".join(f"gizmo {i} failed" for i in range(50))
    assert [(u.count, u.first.line) for u in analyze_text(text, library=lib).unexplained] == [(50, 1)]


def test_large_sources_are_counted_whole(tmp_path: Path) -> None:
    lib = library(tmp_path / "lib", {"boom.yaml": signature("boom", "boom")})
    text = "gizmo failed to start\n" * 30_000 + "boom\n"
    (tmp_path / "big.log").write_text(text)
    found = analyze([tmp_path / "big.log"], library=lib)
    assert [u.count for u in found.unexplained] == [30_000]
    assert found.stats["lines"] == 30_001
