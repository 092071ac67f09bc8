"""`triage lint` on examples: what must be seen is seen by every engine, what must not is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from linted import OOM, TABLE, XID, Lint, linter, replaced, said


@pytest.fixture
def lint_with(tmp_path: Path) -> Lint:
    return linter(tmp_path)


@pytest.mark.parametrize(
    ("regex", "words"),
    [
        ("CUDA (?=out)out of memory", "look-around"),
        ("CUDA out(?!x) of memory", "look-around"),
        ("(?<=CUDA )out of memory", "look-around"),
        ("CUDA (?>out) of memory", "atomic"),
        ("CUDA o++ut of memory", "possessive"),
        ("(CUDA) out of memory|\\1x", "back-reference"),
        ("\\pL out of memory", "engines"),
        ("CUDA out of memory)", "does not compile"),
        ("CUDA (out of memory", "does not compile"),
    ],
)
def test_patterns_outside_the_subset(lint_with: Lint, regex: str, words: str) -> None:
    old = "CUDA out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)"
    problems = lint_with(cuda_oom=replaced(OOM, old, regex))
    found = said(problems, words)
    assert [Path(p.path).name for p in found] == ["cuda-oom.yaml"]
    assert found[0].line == 7


def test_a_pattern_over_several_lines_needs_an_anchor(lint_with: Lint) -> None:
    old = "regex: 'CUDA out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)'"
    new = "regex: 'in main\\n[^\\n]+\\n[^\\n]*out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)', formats: [traceback]"
    trace = 'Traceback (most recent call last):\\n  File "a.py", line 1, in main\\n    f()\\ntorch.OutOfMemoryError: '
    text = replaced(OOM, old, new)
    text = text.replace(
        "'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 0 has a total capacity of 139.80 GiB'",
        '"' + trace.replace('"', '\\"') + 'CUDA out of memory. Tried to allocate 300.00 GiB."',
    )
    problems = lint_with(cuda_oom=text)
    assert said(problems, "no single line of the example holds its pattern")
    assert said(problems, "hyperscan and re2 find other lines")
    anchored = text.replace("formats: [traceback]", "formats: [traceback], anchor: 'out of memory'")
    assert lint_with(cuda_oom=anchored) == []


def test_a_signature_needs_an_example(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=OOM[: OOM.index("examples:")])
    assert {p.message for p in problems} == {
        "cuda-oom: no example under `examples: match:`", "cuda-oom: no near miss under `examples: ignore:`",
    }  # fmt: skip


def test_a_signature_needs_a_near_miss(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=OOM[: OOM.index("  ignore:")])
    assert [p.message for p in problems] == ["cuda-oom: no near miss under `examples: ignore:`"]


def test_an_example_that_another_signature_takes(lint_with: Lint) -> None:
    other = XID.replace("id: xid-79", "id: bus-gone").replace("xid == 79", "xid > 70")
    problems = lint_with(bus_gone=other)
    assert sorted(p.message.split(" (")[0] for p in problems) == [
        "the example of bus-gone also gives xid-79",
        "the example of xid-79 also gives bus-gone",
    ]
    refined = other.replace("role: cause", "role: cause\nrefines: xid-79")
    assert not said(lint_with(bus_gone=refined), "the example of bus-gone also")
    assert not lint_with(bus_gone=other.replace("role: cause", "role: context"))[1:]


def test_a_table_is_checked_row_by_row(lint_with: Lint) -> None:
    assert lint_with(xid=TABLE) == []
    problems = lint_with(xid=TABLE.replace("{id: xid-62, ", "{"))
    assert said(problems, "names the `id` of its row")
    shown = (
        TABLE.replace("without a number", ": 62, pid=2")
        .replace("{text: 'NVRM", "{text: '[2.0] NVRM")
        .replace(") : 62", "): 62")
    )
    assert [p.line for p in said(lint_with(xid=shown), "ignore example gives xid-62")] == [12]
    unknown = TABLE.replace("{id: xid-62,", "{id: xid-63,")
    assert said(lint_with(xid=unknown), "example of unknown id 'xid-63'; did you mean")
