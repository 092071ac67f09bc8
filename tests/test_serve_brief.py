from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from triage import analyze, analyze_text
from triage.history import Seen
from triage.render.json import as_dict
from triage.render.lang import using
from triage.serve.brief import PROOF, STEPS, Brief, brief, is_worth_an_answer
from triage.serve.desk import Answer

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def of(case: str, seen: Seen | None = None) -> Brief:
    return brief(Answer(as_dict(analyze([FIXTURES / case])), None, seen), "https://x/r/1")


def test_a_fault_has_cause_proof_and_steps_the_safe_one_first() -> None:
    told = of("x4-illegal")
    assert told.headline.startswith("FAULT: A kernel accessed memory")
    assert told.cause.startswith("cuda-illegal-address, fatal")
    assert 1 <= len(told.quotes) <= PROOF
    assert "illegal memory access" in told.quotes[0]
    assert 1 <= len(told.steps) <= STEPS
    assert all("\n" not in row for row in (told.headline, told.means, *told.quotes))


def test_what_was_seen_is_told() -> None:
    told = of("dist-oom", Seen("cuda-oom-too-large", "host-a", 2, 0.0, 86_400.0, ["smaller batch"]))
    assert told.seen == "Seen 2 times before on host-a, last on 1970-01-02; helped then: smaller batch."


def test_a_healthy_log_and_no_log_get_a_headline_alone() -> None:
    for text in ("Linux version 6.8.0-45-generic\n", "hello, is anybody there?"):
        report = as_dict(analyze_text(text))
        told = brief(Answer(report, None, None))
        assert (told.quotes, told.steps) == ([], [])
        assert not is_worth_an_answer(report)


def test_it_speaks_the_language_that_is_set() -> None:
    with using("zh"):
        assert of("dist-oom").headline.startswith("故障")
