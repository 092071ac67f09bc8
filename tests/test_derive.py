from pathlib import Path

import pytest
from small import library, signature

from triage.library.library import Library
from triage.model import Report
from triage.pipeline import analyze_text

DERIVED = """
id: lagging
title: A rank lags
severity: fatal
derive:
  from: [report, gone]
  exited: [gone]
  group: [_group]
  member: rank
  universe: _size
  suspect: [{min: _last}, {exited_before: first_signal}, {missing: true, confidence: possible}]
means: It did not arrive.
playbook: find-the-cause
sources: [test]
"""


def lib(folder: Path) -> Library:
    return library(folder, {
        "lagging.yaml": DERIVED,
        "report.yaml": signature("report", "group (?P<_group>[0-9]+) last enqueued (?P<_last>[0-9]+)", role="symptom", types="{_last: int}"),
        "gone.yaml": signature("gone", "leaving without goodbye", role="context"),
        "size.yaml": signature("size", "world of (?P<_size>[0-9]+)", role="context", types="{_size: int}"),
        "causality.yaml": "- {cause: lagging, effect: report, join: [], strength: usual}\n",
    })  # fmt: skip


def report(tmp_path: Path, *lines: str) -> Report:
    return analyze_text("\n".join(lines), library=lib(tmp_path))


def suspects(found: Report) -> list[object]:
    return [f.entities["rank"] for f in found.findings if f.id == "lagging"]


def test_the_smallest_first_report_is_the_suspect(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "[rank0]: 2025-03-11 10:00:00 group 0 last enqueued 6",
        "[rank1]: 2025-03-11 10:00:05 group 0 last enqueued 5",
        "[rank1]: 2025-03-11 10:01:00 group 0 last enqueued 8",
    )
    assert suspects(found) == [1]
    assert found.findings[0].id == "lagging"
    assert [f.role for f in found.findings if f.id == "report"] == ["symptom", "symptom"]


def test_nobody_is_suspected_when_all_are_equal(tmp_path: Path) -> None:
    assert suspects(report(tmp_path, "[rank0]: group 0 last enqueued 6", "[rank1]: group 0 last enqueued 6")) == []


def test_process_groups_are_judged_apart(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "[rank0]: group 0 last enqueued 600",
        "[rank1]: group 0 last enqueued 600",
        "[rank0]: group 1 last enqueued 3",
        "[rank1]: group 1 last enqueued 4",
    )
    assert suspects(found) == [0]


def test_who_left_before_is_the_suspect(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "[rank0]: 2025-03-11 10:00:00 leaving without goodbye",
        "[rank1]: 2025-03-11 10:00:30 group 0 last enqueued 13",
    )
    assert suspects(found) == [0]


def test_who_leaves_afterwards_is_not(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "[rank1]: 2025-03-11 10:00:30 group 0 last enqueued 13",
        "[rank0]: 2025-03-11 10:05:00 leaving without goodbye",
    )
    assert suspects(found) == []


def test_a_silent_rank_is_only_possible(tmp_path: Path) -> None:
    found = report(tmp_path, *(f"[rank{r}]: world of 4\n[rank{r}]: group 0 last enqueued 6" for r in (0, 1, 3)))
    assert suspects(found) == [2]
    assert found.findings[0].confidence == "possible"


def test_a_rank_that_fell_silent_after_it_had_joined(tmp_path: Path) -> None:
    joined = [f"[rank{r}]: world of 4" for r in range(4)]
    assert suspects(report(tmp_path, *joined, *(f"[rank{r}]: group 0 last enqueued 6" for r in (0, 1, 3)))) == [2]
    cut = report(tmp_path, *joined, *(f"[rank{r}]: group 0 last enqueued 6" for r in (0, 1)))
    assert suspects(cut) == []  # half of them: the log is more likely not whole


def test_matches_are_completed_by_the_rest_of_the_job(tmp_path: Path) -> None:
    known = library(tmp_path, {
        "refused.yaml": signature("refused", r"Connect to (?P<_peer>\S+) failed"),
        "ended.yaml": signature("ended", r"exit code (?P<exit_code>-?\d+)", types="{exit_code: int}"),
        "version.yaml": signature("version", r"NCCL version (?P<nccl>[\d.]+)", role="context"),
        "net.yaml": signature("net", "NET/Socket : Using", role="context"),
    })  # fmt: skip
    text = "\n".join((
        "NCCL version 2.19.3", "n1:10:60 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.3<0> [1]docker0:172.17.0.1<0>",
        "n2:10:60 [0] misc/socket.cc:4 NCCL WARN Connect to 172.17.0.1<41> failed", "worker ended, exit code -7",
    ))  # fmt: skip
    found = {f.id: f.entities for f in analyze_text(text, library=known).findings}
    assert (found["refused"]["interface"], found["refused"]["nccl"]) == ("docker0", "2.19.3")
    assert found["ended"]["signal"] == "SIGBUS"


APART = """
id: apart
title: Ranks wait in different collectives
severity: fatal
match: [{regex: 'says that ranks differ'}]
derive:
  from: [wait]
  group: [_group]
  member: rank
  suspect: [{differ: [seq, op], unless_min: _last}]
key: [job]
means: They are in different collectives.
playbook: find-the-cause
sources: [test]
"""


def apart(tmp_path: Path, *lines: str) -> list[dict[str, object]]:
    regex = r"waits in (?P<op>\w+) (?P<seq>[0-9]+)(?: of group (?P<_group>[0-9]+))?(?: last (?P<_last>[0-9]+))?"
    lib = library(tmp_path, {
        "apart.yaml": APART,
        "wait.yaml": signature("wait", regex, role="symptom", types="{seq: int, _last: int}"),
        "causality.yaml": "- {cause: apart, effect: wait, join: [], strength: usual}\n",
    })  # fmt: skip
    assert lib.problems == []
    found = analyze_text("\n".join(lines), library=lib)
    return [dict(f.entities) for f in found.findings if f.id == "apart"]


def test_reports_that_differ_are_one_finding_that_names_the_odd_rank(tmp_path: Path) -> None:
    found = apart(tmp_path, "[rank0]: waits in GATHER 41", "[rank1]: waits in BROADCAST 39", "[rank2]: waits in BROADCAST 39")
    assert found == [{"rank": 0, "op": ["GATHER", "BROADCAST"], "seq": [41, 39]}]
    late = apart(tmp_path, *(f"[rank{rank}]: waits in REDUCE {40 if rank == 2 else 41} of group 0" for rank in range(4)))
    assert late == [{"rank": 2, "op": "REDUCE", "seq": [40, 41]}]


def test_of_two_ranks_that_differ_nobody_is_the_odd_one(tmp_path: Path) -> None:
    found = apart(tmp_path, "[rank0]: waits in GATHER 41", "[rank1]: waits in BROADCAST 39")
    assert found == [{"rank": [1, 0], "op": ["BROADCAST", "GATHER"], "seq": [39, 41]}]


def test_equal_reports_differ_in_nothing(tmp_path: Path) -> None:
    assert apart(tmp_path, "[rank0]: waits in GATHER 41", "[rank1]: waits in GATHER 41") == []


def test_a_line_may_also_say_it(tmp_path: Path) -> None:
    assert apart(tmp_path, "[rank0]: says that ranks differ") == [{"rank": 0}]


def test_reports_of_several_groups_are_not_compared(tmp_path: Path) -> None:
    assert apart(tmp_path, "[rank0]: waits in GATHER 41", "[rank0]: waits in REDUCE 7", "[rank1]: waits in REDUCE 7") == []
    assert apart(tmp_path, "[rank0]: waits in GATHER 4100", "[rank1]: waits in REDUCE 7") == []


def test_where_only_the_number_differs_the_counters_tell_who_is_behind(tmp_path: Path) -> None:
    assert apart(tmp_path, "[rank0]: waits in GATHER 41 last 41", "[rank1]: waits in GATHER 40 last 40") == []
    assert len(apart(tmp_path, "[rank0]: waits in GATHER 41 last 41", "[rank1]: waits in GATHER 40 last 41")) == 1

@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("CUDA error: an illegal memory access was encountered\nrun with exit code: 75", 75),
        ("CUDA error: an illegal memory access was encountered\ncommand terminated with exit code 1", None),
        ("command terminated with exit code 75\nCUDA error: an illegal memory access was encountered", None),
        ("CUDA error: an illegal memory access was encountered\na exited with code 75\nb exited with code 76", None),
    ],
)
def test_a_fault_knows_how_its_program_ended(text: str, code: int | None) -> None:
    (found,) = analyze_text(text).findings
    assert found.entities.get("exit_code") == code
