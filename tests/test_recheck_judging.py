"""From readings to outcomes, whatever a probe has printed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.recheck.judging import judge, judge_run, select
from triage.recheck.registry import probes
from triage.recheck.runner import Run

GPUS: list[dict[str, Any]] = [
    {"index": 0, "pci": "0000:3b:00", "uuid": "GPU-7135b1d3-9a7e-4526-762f-80a0bc7c0b3b"},
    {"index": 1, "pci": "00000000:5E:00.0", "uuid": "GPU-ae173600-b8dd-fe97-8c74-3ab8f4ffbf9f"},
]


@pytest.mark.parametrize(
    ("expectation", "want"),
    [
        ({}, [0, 1]), ({"gpu": 1}, [1]), ({"pci": "0000:5e:00"}, [1]), ({"pci": "0000:99:00"}, []),
        ({"gpu_uuid": "GPU-7135b1d3-9a7e-4526-762f-80a0bc7c0b3b", "gpu": 1, "pci": "0000:5e:00"}, [0]), ({"gpu": 7}, []),
    ],
)  # fmt: skip
def test_the_surest_name_of_a_gpu_decides(expectation: dict[str, Any], want: list[int]) -> None:
    assert [one["index"] for one in select(GPUS, expectation)] == want


def test_what_a_probe_says_of_itself_needs_no_judging() -> None:
    one = probes()["kernel"]
    assert judge(one, {"absent": "no GPU here"}, {}).outcome == "not-applicable"
    refused = judge(one, {"refused": "too little free"}, {})
    assert (refused.outcome, refused.detail) == ("inconclusive", "too little free")


def test_a_gpu_that_cannot_be_read_does_not_hide_the_others() -> None:
    reading = {"gpus": [{**GPUS[0], "mode": 2, "pids": [], "mig": None}, {"index": 1, "mig": None, "error": "GPU is lost"}]}
    both = judge(probes()["compute-mode"], reading, {})
    assert both.outcome == "confirmed"
    assert both.detail == "0000:3b:00: compute mode Prohibited, no program may use it; GPU 1: GPU is lost"
    lost = judge(probes()["compute-mode"], reading, {"gpu": 1})
    assert (lost.outcome, lost.detail) == ("inconclusive", "GPU 1: GPU is lost")
    other = judge(probes()["compute-mode"], reading, {"pci": "0000:99:00"})
    assert (other.outcome, other.detail) == ("inconclusive", "the GPU at 0000:99:00 is not among the GPUs that were read")


def test_a_run_without_a_reading_is_told_by_its_reason() -> None:
    one = probes()["kernel"]
    assert judge_run(one, Run(None, 1.23456, "no answer within 1 s"), {}).outcome == "inconclusive"
    assert judge_run(one, Run(None, 1.23456, "PyTorch is not in this interpreter", absent=True), {}).outcome == "not-applicable"
    assert judge_run(one, Run(None, 1.23456, "x"), {}).seconds == 1.235


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["gpus", "runs", "error", "index", "pci", "uuid", "bus", "limits", "x"]), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("name", list(probes()))
@settings(max_examples=25, deadline=None)  # the first call imports the probe
@given(reading=st.dictionaries(st.sampled_from(["gpus", "runs", "bus", "limits", "total", "error"]), _JSON, max_size=4))
def test_any_reading_has_an_outcome(name: str, reading: dict[str, Any]) -> None:
    result = judge_run(probes()[name], Run(reading, 0.1), {"id": "xid-79", "gpus": 8})
    assert result.outcome in ("confirmed", "refuted", "inconclusive", "not-applicable")
    assert result.outcome == "inconclusive" or result.detail
