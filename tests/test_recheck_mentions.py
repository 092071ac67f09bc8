"""Playbooks may speak only of re-checks that exist."""

from __future__ import annotations

import pytest

from triage import load_library
from triage.library.playbook import parse_playbook
from triage.recheck.mentions import check_rechecks

PAGE = """---
id: x
title: X
sources: [y]
---
X.

## Verify
- [read-only @host] Look again{text}
  `{command}`
"""


@pytest.mark.parametrize(
    ("text", "command", "wrong"),
    [
        (".", "triage recheck gpu-present --gpu {gpu}", []),
        (".", "triage recheck xid-79", []),
        (".", "triage recheck --list", []),
        (" with `triage recheck ecc-remap`.", "nvidia-smi -L", []),
        (".", "triage recheck gpu-presnt", ["no probe and no id 'gpu-presnt'; did you mean 'gpu-present'?"]),
        (" with `triage recheck gpu-ecc --stress`.", "nvidia-smi -L", ["no probe and no id 'gpu-ecc'"]),
    ],
)
def test_names_are_checked(text: str, command: str, wrong: list[str]) -> None:
    book, _ = parse_playbook(PAGE.format(text=text, command=command), "x.md")
    assert book is not None
    found = list(check_rechecks(book, load_library()))
    assert [problem.line for problem in found] == [9] * len(wrong)
    assert all(start in problem.message for start, problem in zip(wrong, found, strict=True))
