from pathlib import Path

import pytest
from small import library, signature

from triage.pipeline import analyze_text

RECOVERY = "caught: ['will retry']\nprogress: ['step [0-9]+ loss']\nsuccess: ['finished with exit code 0']\n"
TRACE = 'Traceback (most recent call last):\n  File "/app/t.py", line 3, in f\n    g()\nRuntimeError: out of memory'
OK = "step 8 loss 0.2\nstep 9 loss 0.1\nfinished with exit code 0"


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (TRACE, ["cause"]),
        (f"WARNING trainer: caught it, will retry\n{TRACE}\n{OK}", []),
        (f"step 1 loss 1\n{TRACE}\nstep 2 loss 1\n{OK}", []),
        (f"step 1 loss 1\nstep 2 loss 1\n{TRACE}", ["cause"]),
        (f"{OK}\n{TRACE}", ["cause"]),
        (f"{TRACE}\nstep 2 loss 1", ["cause"]),
        (f"{TRACE}\nstep 2 loss 1\nfatal crash\nfinished with exit code 0", ["cause"]),
        (f"[rank0]: {TRACE}\n[rank1]: step 2 loss 1\n[rank1]: finished with exit code 0".replace("\n  ", "\n[rank0]:   ").replace("\nRun", "\n[rank0]: Run"), ["cause"]),
        (f"Exception ignored in: <function D.__del__ at 0x7f>\n{TRACE}", []),
    ],
)  # fmt: skip
def test_handled_errors_are_context(tmp_path: Path, text: str, roles: list[str]) -> None:
    lib = library(tmp_path, {
        "recovery.yaml": RECOVERY, "oom.yaml": signature("oom", "out of memory"), "crash.yaml": signature("crash", "fatal crash"),
    })  # fmt: skip
    assert [f.role for f in analyze_text(text, library=lib).findings] == roles
