import itertools
from pathlib import Path

import pytest
from small import library, signature

from triage import pipeline
from triage.library.loader import load_library
from triage.model import Report
from triage.pipeline import Options, analyze, analyze_text, match_text, templates

UUID = "GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52"
KERNEL = f"""\
[Tue Mar 11 12:02:08 2025] NVRM: GPU at PCI:0000:3b:00: {UUID}
[Tue Mar 11 12:02:10 2025] pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error message received from 0000:3b:00.0
[Tue Mar 11 12:02:11 2025] NVRM: Xid (PCI:0000:3b:00): 79, pid=41877, name=python3, GPU has fallen off the bus.
"""
OLD = "[Mon Mar  3 01:00:00 2025] NVRM: Xid (PCI:0000:5e:00): 79, pid=77, name=python3, GPU has fallen off the bus.\n"
RANK = """\
2025-03-11 10:02:00 step 400 loss 2.1
Traceback (most recent call last):
  File "/work/train.py", line 212, in <module>
    loss.backward()
torch.AcceleratorError: CUDA error: unspecified launch failure
"""
WAITER = (
    "[rank0]:[E311 10:12:11.123456789 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1277, OpType=ALLREDUCE, NumelIn=256, NumelOut=256, Timeout(ms)=600000) ran for 600029 milliseconds "
    "before timing out.\n"
)
NOISE = "".join(
    f"[Tue Mar 11 12:0{i}:00 2025] pcieport 0000:00:1d.0: AER: Corrected error received: 0000:04:00.0\n" for i in range(9)
)
BUNDLE = {"dmesg-T.txt": OLD + NOISE[:300].rsplit("\n", 1)[0] + "\n" + KERNEL, "rank3.log": RANK, "rank0.log": WAITER}


def files(folder: Path, texts: dict[str, str]) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def shape(found: Report) -> tuple[list[tuple[str, str]], list[str], str]:
    rows = sorted((f.id, f.role) for f in found.findings[1:])
    return [(found.findings[0].id, found.findings[0].role), *rows], sorted(f.id for f in found.earlier), found.summary


def test_one_incident_out_of_many_files_in_any_order(tmp_path: Path) -> None:
    paths = files(tmp_path, BUNDLE)
    lib = load_library()
    shapes = [shape(analyze(order, library=lib)) for order in itertools.permutations(paths)]
    assert all(one == shapes[0] for one in shapes)
    findings, earlier, summary = shapes[0]
    assert findings[0] == ("pcie-aer-uncorrectable-fatal", "cause")
    assert {("xid-79", "symptom"), ("cuda-launch-failure", "symptom"), ("pg-watchdog-timeout", "symptom")} <= set(findings)
    assert "xid-79" in earlier
    assert "0000:3b:00" in summary


@pytest.mark.parametrize(
    ("absent", "top"),
    [("rank3.log", "pcie-aer-uncorrectable-fatal"), ("rank0.log", "pcie-aer-uncorrectable-fatal"), ("dmesg-T.txt", "cuda-launch-failure")],
)
def test_one_file_may_be_missing(tmp_path: Path, absent: str, top: str) -> None:
    found = analyze(files(tmp_path, {name: text for name, text in BUNDLE.items() if name != absent}))
    assert (found.findings[0].id, found.findings[0].role) == (top, "cause")


def test_what_is_unknown_asks_for_evidence_with_a_command(tmp_path: Path) -> None:
    text = "E0311 10:02:11.000000 9001 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 1 (pid: 9102) of binary: /opt/venv/bin/python\n"
    found = analyze(files(tmp_path, {"torchrun.log": text}))
    assert (found.verdict, found.findings[0].role, found.findings[0].confidence) == ("suspect", "unknown", "possible")
    assert found.summary.startswith("Root cause unknown: ")
    command = found.missing[0].command
    assert command.startswith('journalctl _TRANSPORT=kernel --since "')
    assert command.endswith('-03-11 09:57:11"')


def test_a_zone_makes_naive_stamps_zoned(tmp_path: Path) -> None:
    lib = library(tmp_path, {"boom.yaml": signature("boom", "boom")})
    found = analyze_text("2025-03-11 10:02:11 boom", library=lib, options=Options(zone=3600))
    assert found.findings[0].first is not None
    assert found.findings[0].first.time == "2025-03-11T09:02:11Z"


def test_ignored_ids_are_left_out(tmp_path: Path) -> None:
    lib = library(tmp_path, {"boom.yaml": signature("boom", "boom")})
    assert analyze_text("boom", library=lib, options=Options(ignore=frozenset({"boom"}))).findings == []


def test_facts_are_shown_when_asked(tmp_path: Path) -> None:
    lib = library(tmp_path, {"note.yaml": signature("note", "hello", role="context")})
    assert analyze_text("hello", library=lib).findings == []
    assert [f.id for f in analyze_text("hello", library=lib, options=Options(show_all=True)).findings] == ["note"]


def test_what_cannot_be_read_is_a_source_with_a_note(tmp_path: Path) -> None:
    lib = library(tmp_path / "lib", {"boom.yaml": signature("boom", "boom")})
    found = analyze([tmp_path / "absent.log", *files(tmp_path, {"job.log": "boom\n"})], library=lib)
    assert [f.id for f in found.findings] == ["boom"]
    assert [bool(s.note) for s in found.sources] == [True, False]


def test_matches_and_templates_are_open_to_lint(tmp_path: Path) -> None:
    lib = library(tmp_path / "lib", {"boom.yaml": signature("boom", "boom")})
    assert [m.id for m in match_text("all fine\nboom", lib)] == ["boom"]
    assert {t.text for t in templates(files(tmp_path, {"job.log": "all fine\nboom\n"}), lib)} >= {"all fine"}


def test_nothing_read_is_said() -> None:
    found = analyze([])
    assert (found.verdict, found.summary) == ("nothing-understood", "Nothing was read.")


def test_one_analysis_after_the_other_loads_the_library_once_and_keeps_few_indexes() -> None:
    before = pipeline._own()
    analyze_text(KERNEL)
    assert pipeline._own() is before
    for _ in range(6):
        pipeline.index_of(load_library())
    assert len(pipeline._INDEXES) <= 4
