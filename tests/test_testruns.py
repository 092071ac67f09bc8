from pathlib import Path

import pytest
from small import library, signature

from triage.pipeline import analyze_text

ERROR = "CUDA error: bad thing"
WORDS = (Path(__file__).resolve().parent.parent / "signatures" / "recovery.yaml").read_text(encoding="utf-8")
PASSED = {
    "googletest": "[ RUN      ] A.B\n{}\n[       OK ] A.B (1 ms)\n",
    "go": "=== RUN   TestA\n{}\n--- PASS: TestA (0.00s)\nPASS\n",
    "pytest -v": "tests/test_a.py::test_b \n---- live log call ----\n{}\nPASSED        [ 50%]\n",
    "pytest -rA": "==== PASSES ====\n____ test_b ____\n{}\n==== short test summary info ====\nPASSED tests/test_a.py::test_b\n",
    "unittest": "test_b (tests.A.test_b) ... {}\nok\n",
    "cargo": "{}\ntest run::illegal ... ok\n",
    "ctest": "    Start 1: a\n1: {}\n1/1 Test #1: a ......   Passed    0.61 sec\n",
    "TAP": "# Subtest: a\n{}\nok 1 - fails with a clear message\n",
    "jest": "PASS src/a.test.ts\n  console.error\n    {}\n",
}
FAILED = {
    "googletest": "[ RUN      ] A.B\n{}\n[  FAILED  ] A.B (1 ms)\n",
    "googletest, the next one passes": "[ RUN      ] A.B\n[  FAILED  ] A.B (1 ms)\n{}\n[ RUN      ] A.C\n[       OK ] A.C (1 ms)\n",
    "googletest, it died": "[ RUN      ] A.A\n[       OK ] A.A (1 ms)\n[ RUN      ] A.B\n{}\n",
    "go": "=== RUN   TestA\n{}\n--- FAIL: TestA (0.00s)\nFAIL\n",
    "pytest": "==== FAILURES ====\n____ test_b ____\n{}\n==== short test summary info ====\nFAILED tests/test_a.py::test_b\n",
    "unittest": "test_b (tests.A.test_b) ... {}\nERROR\n",
    "ctest": "    Start 1: a\n1: {}\n1/1 Test #1: a ......***Failed    0.61 sec\n",
    "TAP": "# Subtest: a\n{}\nnot ok 1 - runs\n",
    "jest": "FAIL src/a.test.ts\n  console.error\n    {}\n",
    "no test": "{}\n",
    "the kernel": "[ RUN      ] A.B\n[   12.345678] {}\n[       OK ] A.B (1 ms)\n",
}


@pytest.mark.parametrize("name", PASSED)
def test_what_a_passing_test_prints_is_no_fault(tmp_path: Path, name: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR), "recovery.yaml": WORDS})
    report = analyze_text(PASSED[name].format(ERROR), library=lib)
    assert (report.findings, report.notes) == ([], report.notes[:1])
    assert "printed by a test that passed" in report.notes[0]


@pytest.mark.parametrize("name", FAILED)
def test_what_a_failing_test_prints_stays(tmp_path: Path, name: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR), "recovery.yaml": WORDS})
    assert [f.id for f in analyze_text(FAILED[name].format(ERROR), library=lib).findings] == ["bad"]


def test_each_test_answers_for_itself(tmp_path: Path) -> None:
    lib = library(tmp_path, {
        "bad.yaml": signature("bad", ERROR), "worse.yaml": signature("worse", "worse thing"), "recovery.yaml": WORDS,
    })  # fmt: skip
    text = PASSED["googletest"].format(ERROR) + FAILED["googletest"].format("worse thing").replace("A.B", "A.C")
    assert [f.id for f in analyze_text(text, library=lib).findings] == ["worse"]
