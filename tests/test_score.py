"""Scoring on labelled cases, and the rewrites that must not change a diagnosis."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from triage import rewrites
from triage.library.library import Library
from triage.model import Finding, Missing, Report
from triage.score import Case, Row, ScoreResult, cases, judge, norm, print_result, score


def finding(name: str, role: str = "cause", **entities: str | int | list[str | int | float | bool]) -> Finding:
    return Finding(name, name, role, "error", "likely", entities=dict(entities))  # type: ignore[arg-type]


def status(expect: dict[str, object], *findings: Finding, missing: bool = False) -> str:
    report = Report("fault", "", list(findings), missing=[Missing("x", "y")] if missing else [])
    return judge(Case("c", {"id": "c", **expect}, []), report).status


@pytest.mark.parametrize(
    ("root", "findings", "want"),
    [
        ("xid-79", [finding("xid-79")], "exact"),
        ("xid-79", [finding("gpu-lost")], "accepted"),
        ("xid-79", [finding("nccl-system-error"), finding("xid-79")], "symptom"),
        ("xid-79", [finding("other"), finding("xid-79")], "second"),
        ("xid-79", [finding("other"), finding("xid-79", "symptom")], "not-as-cause"),
        ("xid-79", [finding("other")], "wrong"),
        ("xid-79", [], "missed"),
        ("xid-79", [finding("x", "unknown")], "missed"),
        ("xid-79", [finding("x", "symptom")], "missed"),
        ("none", [], "quiet"),
        ("none", [finding("x", "context")], "quiet"),
        ("none", [finding("x")], "false-alarm"),
        ("none", [finding("gpu-lost")], "quiet"),
        ("unknown", [finding("x", "unknown")], "missed"),
    ],
)
def test_statuses(root: str, findings: list[Finding], want: str) -> None:
    expect: dict[str, object] = {"root_cause": root, "accepted": ["gpu-lost"], "symptoms": ["nccl-system-error"]}
    assert status(expect, *findings) == want


def test_unknown_counts_only_when_it_asks_for_evidence() -> None:
    assert status({"root_cause": "unknown"}, finding("x", "unknown"), missing=True) == "exact"


def test_entities_count_under_their_key_in_any_spelling() -> None:
    report = Report("fault", "", [finding("xid-79", pci="0000:3b:00", rank=[3, 4])])
    expect = {"id": "c", "root_cause": "xid-79", "entities": {"pci": "3B:00.0", "rank": 4, "host": "n1"}, "rank": 3}
    row = judge(Case("c", expect, []), report)
    assert (row.entities, row.entities_missed, row.rank_right) == ((2, 3), [("host", "n1")], False)
    assert norm("0x00e5") == norm("0xE5") == "e5"


def test_numbers_and_print() -> None:
    rows = [
        Row("a", "xid-79", "confirmed", "exact", "xid-79", entities=(1, 2), unstable={"pids": "unknown"}),
        Row("b", "xid-79", "possible", "symptom", "x"),
        Row("c", "none", "confirmed", "quiet"),
        Row("d", "xid-79", "likely", "crash", error="boom"),
    ]
    result = ScoreResult(rows, rewritten=4)
    numbers = result.numbers()
    assert {name: round(value, 3) for name, value in numbers.items()} == {
        "top1": 0.333, "sure": 0.5, "exact": 0.333, "symptom": 0.333, "alarm": 0.0, "entity": 0.5, "stable": 0.75,
    }  # fmt: skip
    out = io.StringIO()
    print_result(result, show=True, out=out)
    text = out.getvalue()
    assert "4 cases, 3 faults: exact 1" in text
    assert "crash        d: want xid-79, got None [] boom" in text
    assert "unstable     a: with other pids unknown instead of xid-79" in text


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_both_layouts_are_read(tmp_path: Path) -> None:
    write(tmp_path, "many/expect.yaml", "a.log: {root_cause: none}\nb: {root_cause: xid-79, inputs: [b, a.log]}\n")
    write(tmp_path, "many/a.log", "fine\n")
    write(tmp_path, "many/b/rank0.log", "x\n")
    write(tmp_path, "one/case-1/expect.yaml", "id: case-1\nroot_cause: none\n")
    write(tmp_path, "one/case-1/in.log", "fine\n")
    many = list(cases(tmp_path / "many"))
    assert [(c.id, [p.name for p in c.inputs]) for c in many] == [("a.log", ["a.log"]), ("b", ["rank0.log", "a.log"])]
    assert many[0].expect["confidence"] == "confirmed"
    assert [(c.id, [p.name for p in c.inputs]) for c in cases(tmp_path / "one")] == [("case-1", ["in.log"])]
    with pytest.raises(FileNotFoundError):
        list(cases(tmp_path / "none"))


def test_a_healthy_case_runs_through_the_tool(tmp_path: Path) -> None:
    write(tmp_path, "c/expect.yaml", "id: c\nroot_cause: none\n")
    write(tmp_path, "c/train.log", "epoch 1 loss 2.31\nepoch 2 loss 1.94\n")
    result = score([tmp_path], rewrites=True, library=Library())
    assert [row.status for row in result.rows] == ["quiet"]
    assert result.numbers()["stable"] == 1.0


DMESG = b"""\
[  100.000001] NVRM: Xid (PCI:0000:82:00): 31, pid=212779, name=python3, Ch 00000008, faulted @ 0x7fc0_12345000
[  100.000009] python3[212779]: segfault at 7f3c12345678 ip 00007f3c12349999 sp 00007ffd00001111 error 4 in libcuda.so.1[7f3c12340000+1000]
[  105.000000] pcieport 0000:00:02.0: AER: Corrected error received: 0000:02:00.0
[  105.000010] ixgbe 0000:02:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
[  105.000020] ixgbe 0000:02:00.0:   device [8086:1563] error status/mask=00001100/00002000
"""
RANK = b"""\
node-07:212779:212840 [0] NCCL INFO NET/Socket : Using [0]ens5:10.0.0.7<0>
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
RuntimeError: Process 212779 has total memory in use 212779 MiB, version 2.1.0
"""


def test_pids_change_together() -> None:
    changed = rewrites.pids({"dmesg": DMESG, "rank": RANK})
    found = re.search(rb"pid=(\d+)", changed["dmesg"])
    assert found is not None
    new = found[1]
    assert len(new) == 6
    assert new != b"212779"
    assert changed["dmesg"].count(new) == 2
    assert b"node-07:" + new + b":" in changed["rank"]
    assert b"212840" not in changed["rank"]
    assert b"105.000010" in changed["dmesg"]


def test_addresses_keep_their_library() -> None:
    changed = rewrites.addresses({"dmesg": DMESG})["dmesg"]
    assert changed != DMESG
    assert b"status/mask=00001100/00002000" in changed
    assert b"(PCI:0000:82:00)" in changed
    found = re.search(rb"at ([0-9a-f]{12}) ip 0000([0-9a-f]{12})", changed)
    assert found is not None
    assert found[1][:8] == found[2][:8] != b"7f3c1234"
    code = b"Arg1: 0xffffffffc0000005 status 0xc0000094 null 0x0000000000000010"
    assert rewrites.addresses({"x": code})["x"] == code


def test_versions_stay_equal_or_different() -> None:
    text = b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  460.56  Tue\nclient version 460.73.01\nkernel 5.15.0-94-generic took 460.56 GiB/s"
    changed = rewrites.versions({"x": text})["x"]
    assert b"Module  460.57 " in changed
    assert b"client version 460.73.02" in changed
    assert b"5.15.0-95-generic" in changed


def test_hosts_change_in_names_and_texts() -> None:
    changed = rewrites.hosts({"node-07.log": RANK, "other.log": b"host      : node-07\nnode-071 stays\n"})
    assert set(changed) == {"hx00-gpu.log", "other.log"}
    assert changed["hx00-gpu.log"].startswith(b"hx00-gpu:212779")
    assert changed["other.log"] == b"host      : hx00-gpu\nnode-071 stays\n"


def test_noise_never_stands_inside_a_block() -> None:
    lines = rewrites.noise({"dmesg": DMESG})["dmesg"].splitlines()
    assert len(lines) == 6
    assert lines[2].startswith(b"[  100.000009] ")
    assert [line for line in lines if line not in DMESG.splitlines()] == [lines[2]]
    assert rewrites.noise({"rank": RANK})["rank"].endswith(RANK)


@pytest.mark.parametrize("name", sorted(rewrites.REWRITES))
def test_what_is_not_text_is_left_alone(name: str) -> None:
    files = {
        "a.evtx": b"ElfFile\0\0pid=212779 0x7fc012345000",
        "b.txt": "pid=212779".encode("utf-16"),
        "c.gz": b"\x1f\x8b\x08pid=212779",
        "d.json": b'{"MESSAGE": "fine"}\n',
    }
    assert rewrites.REWRITES[name](files) == files
