"""Exit codes of shells, Python, Slurm and Windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import signals


@pytest.mark.parametrize(
    ("code", "name"),
    [(137, "SIGKILL"), (-9, "SIGKILL"), (139, "SIGSEGV"), (-6, "SIGABRT"), (1, None), (255, None), (128, None)],
)
def test_signals_of_codes(code: int, name: str | None) -> None:
    assert signals.signal_of(code) == name


def test_words_of_codes() -> None:
    assert signals.meaning(137).startswith("Exit code 137 stands for SIGKILL: something else ended it at once")
    assert signals.meaning(1) == ""
    assert signals.meaning(124).startswith("Exit code 124 is what timeout(1)")
    assert "STATUS_STACK_BUFFER_OVERRUN" in signals.meaning(-1073740791)


def test_slurm_pairs_and_named_signals() -> None:
    assert signals.explain(["JobState=FAILED Reason=None ExitCode=0:9"], {})[0].startswith(
        "Slurm's 0:9 is exit code and signal: SIGKILL"
    )
    assert signals.explain([""], {"signal": "SIGBUS"})[0].startswith("SIGBUS means: memory could not be provided")
    assert signals.explain([""], {"signal": 15})[0].startswith("SIGTERM means")
    assert signals.explain([""], {"exit_code": 1}) == []


@given(st.integers(1, 31))
def test_codes_come_back_whole(number: int) -> None:
    name = signals.SIGNALS[number]
    assert signals.signal_of(-number) == signals.signal_of(128 + number) == name
    code = signals.code_of(name)
    assert code is not None
    assert signals.signal_of(code) == name


@given(st.integers(), st.text())
def test_never_raises(code: int, text: str) -> None:
    signals.explain([text, f"ExitCode={text}"], {"exit_code": code, "signal": text})
