"""Each code is found where one thing of a right report is broken, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from incident import LOG_LINE, RIGHT, codes, problems, subject

from triage.reports.check import apply
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
    "TRI022": (("PCI:0000:3b:00: GPU-8e6f9a52-1234-5678-9abc-def012345678", "x"), ("(PCI:0000:3b:00)", "(x)"), ("signature: xid-79", "signature: unknown"), ("log title", "yaml title"), ("## Resolution\n", "## Resolution\n\n[log](x.log)\n")),
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
    "TRI099": {"TRI040"},
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
    assert "\nsignature: xid-79\n" in apply(RIGHT.replace("signature: xid-79", "signature: fell-off"), problem.edits)
    assert "TRI003" not in [p.code for p in found]


def test_a_report_without_a_log(tmp_path: Path) -> None:
    text = RIGHT.replace("```log", "```yaml")
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


@pytest.mark.parametrize("words", [
    "We set `pci=noaer`; no errors since.", "Removed the card and set pci=noaer.", "Booted with pci=noaer and not a message came back.",
    "The riser could not be replaced, so\n`pci=noaer` was set.",
])  # fmt: skip
def test_a_forbidden_step_is_found_beside_a_negation(words: str, tmp_path: Path) -> None:
    text = RIGHT.replace("The node was powered off and on.", words)
    (problem,) = [p for p in problems(text, tmp_path) if p.code == "TRI030"]
    assert "pci=noaer" in text.split("\n")[problem.line - 1]
    assert codes(RIGHT.replace("recheck:", f"fixed_by: {words.split(chr(10))[-1]!r}\nrecheck:"), tmp_path) == ["TRI030"]


@pytest.mark.parametrize("words", [
    "`pci=noaer` was tried, and did not help.", "We set `pci=noaer` first, which made it worse.", "Setting `pci=noaer` made no difference.",
])  # fmt: skip
def test_a_step_that_did_not_help_is_not_forbidden(words: str, tmp_path: Path) -> None:
    assert codes(RIGHT.replace("The node was powered off and on.", words), tmp_path) == []


@pytest.mark.parametrize("word", ["Unknown", "TBD", "n/a", "未知"])
def test_unknown_is_known_in_other_words(word: str, tmp_path: Path) -> None:
    text = RIGHT.replace("signature: xid-79", f"signature: {word}").replace("status: reviewed", "status: draft")
    assert codes(text, tmp_path) == ["TRI001"]


def test_every_problem_tells_what_to_do(tmp_path: Path) -> None:
    for code in BROKEN:
        for problem in problems(broken(code), tmp_path):
            assert problem.edits or problem.remedy or "did you mean" in problem.text, problem


def test_unknown_is_honest_where_the_log_only_hints(tmp_path: Path) -> None:
    text = RIGHT.replace("signature: xid-79", "signature: unknown").replace("playbook: gpu-off-the-bus\n", "")
    (problem,) = [p for p in problems(text, tmp_path) if p.code == "TRI001"]
    assert problem.remedy == "state `signature: xid-79`"
    one = subject(text, tmp_path)
    for cause in one.shown.causes:
        cause.confidence = "possible"
    assert [p.code for p in BY_NAME["TRI001"].find(one)] == []


@pytest.mark.parametrize(("word", "meant"), [("XID-79", "xid-79"), ("79", "xid-79"), ("xid 79", "xid-79"), ("cuda_oom", "cuda-oom")])
def test_a_signature_in_other_letters_is_guessed(word: str, meant: str, tmp_path: Path) -> None:
    (problem,) = [p for p in problems(RIGHT.replace("signature: xid-79", f"signature: {word}"), tmp_path) if p.code == "TRI003"]
    assert f"did you mean '{meant}'?" in problem.text


def test_a_wrong_cause_is_told_alone(tmp_path: Path) -> None:
    """The playbook and severity of the true cause are no further faults."""
    text = RIGHT.replace("signature: xid-79", "signature: xid-31")
    assert codes(text, tmp_path) == ["TRI001"]


def test_a_draft_is_only_warned_of_what_is_not_written_yet(tmp_path: Path) -> None:
    text = RIGHT.replace("## Actions", "## Nothing").replace("recheck: gpu-present confirmed that it is back\n", "")
    found = {p.code: p.level for p in problems(text, tmp_path) if p.code != "TRI061"}
    assert found == {"TRI021": "error", "TRI025": "error"}
    for state in ("draft", "Investigating"):
        draft = {p.code: p.level for p in problems(text.replace("reviewed", state), tmp_path) if p.code != "TRI061"}
        assert draft == {"TRI021": "warning", "TRI025": "warning"}
    assert codes(text.replace("reviewed", "draft").replace("signature: xid-79", "signature: xid-31"), tmp_path)[-1] == "TRI001"


def test_the_zone_is_that_of_the_report_else_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / ".triage.yaml").write_text("timezone: Europe/Berlin\n")
    text = RIGHT.replace('timezone: "+01:00"\n', "").replace("T09:57:00+01:00", " 9:57").replace("T11:30:00+01:00", "T10:30")
    found = [p for p in problems(text, tmp_path) if p.code == "TRI061"]
    assert codes(text, tmp_path) == []
    assert "; times without a zone are read as `Europe/Berlin`" in found[0].edits[0].text
    assert "T08:57:01Z |" in found[0].edits[0].text
    assert codes(text.replace("T10:30", "T08:30Z"), tmp_path) == ["TRI027"], "in one zone it ended before it started"
    assert "`+02:00`" in problems(text.replace("status:", "timezone: +02:00\nstatus:"), tmp_path)[0].edits[0].text


@pytest.mark.parametrize(("old", "new"), [
    ("date: 2026-03-14", "date: last Tuesday"), ("date: 2026-03-14", "date: 2026-13-45"), ('timezone: "+01:00"', "timezone: Mars/Base"),
    ("started: 2026-03-14T09:57:00+01:00", "started: 14.03.2026"),
])  # fmt: skip
def test_what_is_no_time_or_zone_is_told(old: str, new: str, tmp_path: Path) -> None:
    (problem, *rest) = problems(RIGHT.replace(old, new), tmp_path)
    assert problem.code == "TRI027"
    assert "write e.g." in problem.remedy
    assert {p.code for p in rest} <= {"TRI061", "TRI040"}


def test_a_time_without_a_zone_is_told_at_its_line(tmp_path: Path) -> None:
    text = RIGHT.replace('timezone: "+01:00"\n', "").replace("Mar 14 09:57:01 node07 kernel: NVRM: GPU", "\n[2026-03-14 09:57:01] NVRM: GPU")
    (problem,) = [p for p in problems(text, tmp_path) if p.code == "TRI040"]
    assert text.split("\n")[problem.line - 1].startswith("[2026-03-14")
    assert problem.text == "time without a zone: 2026-03-14 09:57:01"


def test_many_silent_logs_are_told_in_few_words(tmp_path: Path) -> None:
    quiet = "".join(f"```log\nstep {n} of many\n```\n\n" for n in range(20))
    found = [p for p in problems(RIGHT.replace("## Resolution", quiet + "## Resolution"), tmp_path) if p.code == "TRI041"]
    assert [p.text[-17:] for p in found] == ["thing in this log", "thing in this log", "log, and in 17 more"[-17:]]


def test_a_secret_in_a_linked_log_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "incidents" / "logs").mkdir(parents=True)
    (tmp_path / "incidents" / "logs" / "a.log").write_text(f"x\nHF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH\n{XID}\n")
    text = RIGHT.replace("## Resolution", "[log](logs/a.log)\n\n## Resolution")
    (problem,) = [p for p in problems(text, tmp_path) if p.code == "TRI010"]
    assert "logs/a.log, line 2" in problem.text
    assert "hf_" not in problem.text
    assert not problem.edits
    folder = RIGHT.replace("recheck:", "logs: [logs]\nrecheck:")
    assert [p.code for p in problems(folder, tmp_path)] == ["TRI010", "TRI061"]


@pytest.mark.parametrize(("href", "words"), [
    ("../../outside.log", "lies outside of the repository"),
    ("logs/none.log", "does not exist"), ("logs%5Ca.log", "does not exist"), ("logs/node07", "does not exist"),
])  # fmt: skip
def test_links_to_what_others_do_not_have(href: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "incidents" / "logs").mkdir(parents=True)
    (tmp_path / "repo" / "incidents" / "logs" / "a.log").write_text("x\n")
    (tmp_path / "outside.log").write_text(XID.replace("79", "31") + "\n")
    found = problems(RIGHT.replace("## Resolution", f"[log]({href})\n\n## Resolution"), tmp_path / "repo")
    assert [(p.code, words in p.text) for p in found if p.code != "TRI061"] == [("TRI043", True)]


def test_the_state_of_an_action_is_no_placeholder(tmp_path: Path) -> None:
    row = "## Actions\n\n| what | state |\n|---|---|\n| {} | TODO |\n"
    assert codes(RIGHT.replace("## Actions\n", row.format("Alert")), tmp_path) == []
    assert codes(RIGHT.replace("## Actions\n", row.format("").replace("|  |", "| |")), tmp_path) == ["TRI026"]
    assert codes(RIGHT.replace("## Actions\n", "## Actions\n\n- [ ] TODO: an alert\n"), tmp_path) == ["TRI026"]


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
