"""Each code is found where one thing of a right report is broken, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from incident import LOG_LINE, RIGHT, codes, problems, subject

from triage.reports.checks import BY_NAME, CHECKS
from triage.reports.checks.base import HEADINGS, line_at, offsets
from triage.reports.checks.cause import fits

XID = RIGHT.split("\n")[LOG_LINE - 1]
BROKEN: dict[str, tuple[tuple[str, str], ...]] = {
    "TRI001": (("signature: xid-79", "signature: xid-31"), ("playbook: gpu-off-the-bus\n", "")),
    "TRI002": (
        ("signature: xid-79", "signature: xid-154"), ("playbook: gpu-off-the-bus\n", ""), ("severity: fatal", "severity: SEV2"),
        (XID, XID + "\nMar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"),
    ),
    "TRI003": (("signature: xid-79", "signature: xid79"),),
    "TRI005": (("## Resolution\n", "## Resolution\n\nSee [it](../playbooks/gpu-of-the-bus.md).\n"),),
    "TRI006": (("playbook: gpu-off-the-bus", "playbook: find-the-cause"),),
    "TRI007": (("severity: fatal", "severity: warning"),),
    "TRI008": (("severity: fatal", "severity: fatal\nrole: symptom"),),
    "TRI010": (("One job.", "One job. HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),),
    "TRI011": (("One job.", "One job, /home/jsmith/train.py."),),
    "TRI012": (("One job.", "One job, on 10.1.2.3."),),
    "TRI020": (("id: 2026-03-14-xid-79\n", ""),),
    "TRI021": (("## Impact", "## Nothing"),),
    "TRI022": (("PCI:0000:3b:00: GPU-8e6f9a52-1234-5678-9abc-def012345678", "x"), ("(PCI:0000:3b:00)", "(x)"), ("signature: xid-79", "signature: unknown"), ("log title", "bash title"), ("## Resolution\n", "## Resolution\n\n[log](x.log)\n")),
    "TRI023": (("versions: {driver: 580.159.04}\n", ""),),
    "TRI024": (("The first error was an Xid 79", "An Xid"), ("first error", "it")),
    "TRI025": (("recheck: gpu-present confirmed that it is back\n", ""),),
    "TRI026": (("One job.", "TODO"),),
    "TRI027": (("ended: 2026-03-14T11", "ended: 2026-03-14T08"),),
    "TRI030": (("powered off and on", "booted with `pci=noaer`"),),
    "TRI040": (('timezone: "+01:00"\n', ""),),
    "TRI041": (("## Resolution\n", "## Resolution\n\n```log\nnothing to see here\n```\n"),),
    "TRI043": (("## Resolution\n", "## Resolution\n\n[dmesg](logs/dmesg.txt)\n"),),
    "TRI060": (("The card left the bus.", "<!-- triage: analysis -->\nall is well\n<!-- triage: end -->"),),
    "TRI090": (("One job.", "<!-- triage: ignore TRI012 -->\n\nOne job."),),
    "TRI091": (("One job.", "<!-- triage: ignore TRI012 a mirror -->\n\nOne job."),),
    "TRI092": (("One job.", "<!-- triage: ignore TRI999 a mirror -->\n\nOne job."),),
    "TRI099": (("hosts: [node07]", "hosts: [node07"),),
}  # fmt: skip
ALSO = {
    "TRI022": {"TRI042", "TRI043"}, "TRI092": {"TRI091"}, "TRI090": {"TRI091"},
    "TRI099": {"TRI023", "TRI025", "TRI027", "TRI040"},
}  # fmt: skip


def broken(code: str) -> str:
    text = RIGHT
    for old, new in BROKEN[code]:
        assert old in text, (code, old)
        text = text.replace(old, new)
    return text


def test_a_right_report_has_no_problem(tmp_path: Path) -> None:
    assert codes(RIGHT, tmp_path) == []
    assert codes(RIGHT.replace("\n", "\r\n"), tmp_path) == []


@pytest.mark.parametrize("code", BROKEN)
def test_what_is_broken_is_found(code: str, tmp_path: Path) -> None:
    found = set(codes(broken(code), tmp_path))
    assert code in found
    assert found - {code} <= ALSO.get(code, set())


def test_every_code_is_tested() -> None:
    elsewhere = {"TRI004", "TRI042", "TRI061"}  # below
    assert {check.code for check in CHECKS} == set(BROKEN) | elsewhere


def test_every_check_explains_itself() -> None:
    assert len(BY_NAME) == 2 * len(CHECKS)
    for check in CHECKS:
        assert check.title.endswith(".")
        assert "\nWhy: " in check.explanation
        assert "\nInstead: " in check.explanation
        assert check.level in ("error", "warning")


def test_problems_stand_where_they_are(tmp_path: Path) -> None:
    (problem,) = [p for p in problems(broken("TRI012"), tmp_path) if p.code == "TRI012"]
    line = broken("TRI012").split("\n")[problem.line - 1]
    assert line[problem.column - 1 :].startswith("10.1.2.3")
    (problem,) = [p for p in problems(broken("TRI001"), tmp_path) if p.code == "TRI001"]
    assert f"line {LOG_LINE - 1}: " in problem.because
    assert "xid-79" in problem.remedy


def test_a_replaced_signature_is_mended(tmp_path: Path) -> None:
    (tmp_path / "signatures").mkdir()
    (tmp_path / "signatures" / "replaced.yaml").write_text("fell-off: older\nolder: xid-79\n")
    (tmp_path / ".triage.yaml").write_text("signatures: [.]\n")
    found = problems(RIGHT.replace("signature: xid-79", "signature: fell-off"), tmp_path)
    (problem,) = [p for p in found if p.code == "TRI004"]
    assert problem.edits[0].text == " xid-79"
    assert "TRI003" not in [p.code for p in found]


def test_a_report_without_a_log(tmp_path: Path) -> None:
    text = RIGHT.replace("```log", "```bash")
    assert codes(text, tmp_path) == ["TRI042"]
    linked = text.replace("## Resolution", "[the log](dmesg.txt)\n\n## Resolution")
    (tmp_path / "incidents").mkdir(exist_ok=True)
    (tmp_path / "incidents" / "dmesg.txt").write_text(XID + "\n")
    assert codes(linked, tmp_path) == []
    assert codes(linked.replace("signature: xid-79", "signature: xid-31").replace("playbook: gpu-off-the-bus\n", ""), tmp_path) == ["TRI001"]


def test_a_missing_analysis_block_is_a_warning(tmp_path: Path) -> None:
    (problem,) = problems(RIGHT, tmp_path)
    assert (problem.code, problem.level) == ("TRI061", "warning")
    assert "| `xid-79`" in problem.edits[0].text


def test_unknown_is_an_honest_cause_only_where_the_log_does_not_tell(tmp_path: Path) -> None:
    text = RIGHT.replace("signature: xid-79", "signature: unknown").replace("playbook: gpu-off-the-bus\n", "")
    assert codes(text, tmp_path) == ["TRI001"]
    silent = text.replace(XID, "Mar 14 09:57:01 node07 kernel: usb 1-1: new device").replace("GPU at PCI", "GPU at pci")
    assert "TRI001" not in codes(silent, tmp_path)


def test_a_less_exact_or_other_view_of_the_cause_fits(tmp_path: Path) -> None:
    library = subject(RIGHT, tmp_path).library
    assert fits("cuda-oom", "cuda-oom-fragmented", library)
    assert fits("xid-31", "cuda-illegal-address", library)
    assert not fits("xid-79", "xid-31", library)


@pytest.mark.parametrize("words", [
    "We did not set `pci=noaer`.", "`pci=noaer` was removed again.", "Instead of `pci=noaer` the card was reseated.",
    "The riser was replaced.", "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` was set.",
])  # fmt: skip
def test_a_step_that_was_not_taken_is_not_forbidden(words: str, tmp_path: Path) -> None:
    assert "TRI030" not in codes(RIGHT.replace("The node was powered off and on.", words), tmp_path)


def test_ignores_silence_what_follows(tmp_path: Path) -> None:
    text = broken("TRI012").replace("One job,", "<!-- triage: ignore TRI012 of a public mirror -->\nOne job,")
    assert codes(text, tmp_path) == []
    assert codes(text.replace("TRI012", "address-quoted"), tmp_path) == []
    assert codes(text.replace("ignore TRI012", "ignore-file TRI012"), tmp_path) == []
    front = broken("TRI007").replace("---\n\n# node07", "---\n<!-- triage: ignore TRI007 our own judgement -->\n\n# node07")
    assert codes(front, tmp_path) == []


def test_places_and_offsets_agree(tmp_path: Path) -> None:
    for text in (RIGHT, RIGHT.replace("\n", "\r\n"), "\ufeff" + RIGHT):
        document = subject(text, tmp_path).document
        for line in range(1, len(document.lines) + 1):
            start, stop = offsets(document, line)
            assert text[start:stop] == document.lines[line - 1]
            assert line_at(document, start) == (line, 1)


def test_headings_have_one_meaning() -> None:
    names = [name for many in HEADINGS.values() for name in many]
    assert len(names) == len(set(names))
