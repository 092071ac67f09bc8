"""torchrun's summary of failed workers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from triage.formats import read
from triage.formats.torchrun import Torchrun, failures
from triage.model import Line, Record

SUMMARY = """\
============================================================
train_ddp.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_00:51:56
  host      : node07
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 2983)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 2983
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_00:51:55
  host      : node07
  rank      : 9 (local_rank: 1)
  exitcode  : -9 (pid: 2984)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 2984
============================================================"""

OLD = """\
*****************************************************
                   train.py FAILED                   
=====================================================
Root Cause:
[0]:
  time: 2021-08-09_17:23:43
  rank: 1 (local_rank: 1)
  exitcode: 1 (pid: 3142)
  error_file: <N/A>
  msg: "Process failed with exitcode 1"
=====================================================
Other Failures:
  <NO_OTHER_FAILURES>
*****************************************************"""


def take(text: str, at: int = 0) -> Record | None:
    return Torchrun().take([Line(i, t, t) for i, t in enumerate(text.split("\n"), 1)], at)


def test_summary() -> None:
    found = take(SUMMARY + "\nsrun: error: node07: task 0: Exited with exit code 1")
    assert found is not None
    assert found.text == SUMMARY
    fields = found.fields
    assert (fields["rank"], fields["local_rank"], fields["host"], fields["pid"]) == (9, 1, "node07", 2984)
    assert (fields["exit_code"], fields["signal"], fields["script"], fields["failures"]) == (
        -9,
        "SIGKILL",
        "train_ddp.py",
        2,
    )
    assert found.time is not None
    all_failures = failures(found)
    assert [entry["first"] for entry in all_failures] == [False, True]
    assert [entry["signal"] for entry in all_failures] == ["SIGTERM", "SIGKILL"]
    assert all_failures[0]["traceback"] == "Signal 15 (SIGTERM) received by PID 2983"


def test_older_layout() -> None:
    found = take(OLD + "\ndone")
    assert found is not None
    assert found.text == OLD
    assert (found.fields["rank"], found.fields["pid"], found.fields["exit_code"]) == (1, 3142, 1)
    assert "signal" not in found.fields


def test_traceback_of_the_root_cause_is_a_record_of_its_own() -> None:
    text = SUMMARY.replace(
        "  traceback : Signal 9 (SIGKILL) received by PID 2984",
        '  traceback : Traceback (most recent call last):\n    File "train.py", line 3, in main\n      run()\n'
        "  RuntimeError: CUDA error: an illegal memory access was encountered\n  ",
    )
    found, traceback, *_ = read([Line(i, t, t) for i, t in enumerate(text.split("\n"), 1)], "log")
    assert (found.format, traceback.format) == ("torchrun", "traceback")
    assert failures(found)[-1]["signal"] == "SIGKILL"  # by its exit code
    assert (traceback.fields["rank"], traceback.fields["pid"]) == ("9", "2984")
    assert traceback.fields["message"] == "CUDA error: an illegal memory access was encountered"


def test_tracebacks_of_the_others_stay_inside() -> None:
    text = SUMMARY.replace(
        "  traceback : Signal 15 (SIGTERM) received by PID 2983",
        '  traceback : Traceback (most recent call last):\n    File "train.py", line 3, in main\n      run()\n'
        "\n  RuntimeError: out of luck\n  ",
    )
    found = take(text)
    assert found is not None
    assert found.text == text
    assert str(failures(found)[0]["traceback"]).rstrip().endswith("out of luck")


def test_cut_blocks() -> None:
    lines = SUMMARY.split("\n")
    no_end = take("\n".join(lines[:9]) + "\nstep 5 loss 1.0")
    assert no_end is not None
    assert len(no_end.lines) == 9
    assert failures(no_end)[0]["exit_code"] == -15
    assert no_end.fields["rank"] == 0
    for start in (1, 3, 12, 13):
        no_head = take("\n".join(lines[start:]))
        assert no_head is not None
        assert no_head.text.endswith("=" * 60)
        assert no_head.fields["rank"] == 9


def test_other_borders() -> None:
    assert take("=" * 60 + "\nLayer (type)      Output Shape\n" + "=" * 60) is None
    assert take("*" * 60 + "\nSetting OMP_NUM_THREADS environment variable\n" + "*" * 60) is None
    assert take("test_a.py FAILED\n1 failed") is None
    assert take("=" * 60) is None


@settings(max_examples=200)
@given(st.lists(st.one_of(st.sampled_from(SUMMARY.split("\n")), st.text(max_size=20)), max_size=25))
def test_never_raises(texts: list[str]) -> None:
    own = [Line(i, t, t) for i, t in enumerate(texts, 1)]
    for at in range(len(own)):
        found = Torchrun().take(own, at)
        if found is not None:
            assert found.lines == own[at : at + len(found.lines)]
            failures(found)
