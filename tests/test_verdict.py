from pathlib import Path

import pytest
from small import library, signature

from triage.model import Report
from triage.pipeline import Options, analyze, analyze_text

FILES = {
    "host/port.yaml": signature("port", r"port (?P<pci>[0-9a-f:.]+) down", types="{pci: pci}"),
    "nvidia/lost.yaml": signature("lost", r"GPU (?P<pci>[0-9a-f:.]+) lost", types="{pci: pci}", severity="fatal"),
    "job/slow.yaml": signature("slow", "slow", severity="warning"),
    "job/died.yaml": signature("died", r"rank (?P<rank>[0-9]+) died", types="{rank: int}", role="carrier"),
    "job/killed.yaml": signature("killed", r"rank (?P<rank>[0-9]+) killed", types="{rank: int}", role="carrier"),
    "causality.yaml": """
- cause: lost
  effect: killed
  join: [host]
  window: [-5, 30]
  strength: usual
  otherwise:
    covered: {by: kernel, say: 'not the kernel: a scheduler or a person'}
    uncovered: {missing: kernel log of the host, command: 'journalctl -k --since "{time-5m}"'}
""",
}  # fmt: skip


def report(tmp_path: Path, text: str) -> Report:
    lib = library(tmp_path, FILES)
    assert lib.problems == []
    return analyze_text(text, library=lib)


@pytest.mark.parametrize(
    ("text", "verdict", "summary"),
    [
        ("GPU 0000:3b:00.0 lost", "fault", "lost (GPU 0000:3b:00)"),
        ("port 0000:5e:00.0 down", "fault", "port (device 0000:5e:00)"),
        ("slow", "suspect", "slow"),
        ("rank 3 died", "suspect", "Root cause unknown: died (rank 3)"),
        ("hello", "nothing-understood", "Nothing in the input is known to triage."),
        ("[    1.000000] usb 1-9: new device", "healthy", "No known fault in what was read."),
    ],
)
def test_verdict_and_summary(tmp_path: Path, text: str, verdict: str, summary: str) -> None:
    found = report(tmp_path, text)
    assert (found.verdict, found.summary) == (verdict, summary)


def test_a_carrier_without_a_link_asks_for_the_whole_story(tmp_path: Path) -> None:
    found = report(tmp_path, "rank 3 died")
    assert found.missing[0].what == "the complete log of rank 3, and the kernel log of its host"
    assert found.missing[0].command == "journalctl _TRANSPORT=kernel"
    found = report(tmp_path, "[    1.000000] usb 1-9: new device\nrank 3 died")
    assert found.missing[0].what == "the complete log of rank 3"


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ("[Tue Mar 11 10:01:00 2025] usb 1-9: new device", "not the kernel: a scheduler or a person"),
        ("[   12.000000] usb 1-9: new device", "not the kernel: a scheduler or a person"),
        ("[Mon Mar  3 10:01:00 2025] usb 1-9: new device", "it reports that something failed, and nothing in the input says what"),
        ("", "it reports that something failed, and nothing in the input says what"),
    ],
)
def test_absence_is_evidence_only_where_a_log_covers_the_time(tmp_path: Path, kernel: str, why: str) -> None:
    lib = library(tmp_path / "lib", FILES)
    (tmp_path / "dmesg.txt").write_text(kernel + "\n")
    (tmp_path / "job.log").write_text("2025-03-11 10:02:00 rank 3 killed\n")
    found = analyze([tmp_path / "dmesg.txt", tmp_path / "job.log"], library=lib)
    assert (found.findings[0].role, found.findings[0].why) == ("unknown", why)
    asked = [m.what for m in found.missing]
    assert ("kernel log of the host" in asked) == (why[:3] != "not")
    assert found.missing


def test_sources_are_described(tmp_path: Path) -> None:
    found = report(tmp_path, "[    1.000000] usb 1-9: new device\nhello\nslow")
    assert (found.sources[0].format, found.sources[0].lines, found.sources[0].understood) == ("kernel", 3, 2)


def test_the_timeline_is_in_order(tmp_path: Path) -> None:
    found = report(tmp_path, "2025-03-11 10:02:00 rank 3 died\n2025-03-11 10:01:00 GPU 0000:3b:00.0 lost")
    assert [(row["finding"], row["lane"]) for row in found.timeline] == [("lost", "GPU 0000:3b:00"), ("died", "rank 3")]


def test_a_warning_that_ends_a_job_is_a_fault(tmp_path: Path) -> None:
    files = {**FILES, "causality.yaml": "- {cause: slow, effect: killed, join: [job], strength: usual}"}
    lib = library(tmp_path, files)
    assert analyze_text("slow\nrank 3 killed", library=lib).verdict == "fault"
    assert analyze_text("slow", library=lib).verdict == "suspect"


def test_what_is_ignored_makes_nothing_healthy(tmp_path: Path) -> None:
    lib, options = library(tmp_path, FILES), Options(ignore=frozenset({"lost"}))
    kernel = "[    1.000000] usb 1-9: new device\n"
    found = analyze_text(kernel + "GPU 0000:3b:00.0 lost", library=lib, options=options)
    assert (found.verdict, found.summary) == ("suspect", "No known fault beside what was left out as asked.")
    assert found.notes == ["left out as asked, so what is here is not the whole: lost"]
    assert found.findings == []
    assert analyze_text(kernel, library=lib, options=options).verdict == "healthy"


def test_inputs_of_which_none_can_be_read(tmp_path: Path) -> None:
    found = analyze([tmp_path / "gone.log"], library=library(tmp_path, FILES))
    assert (found.verdict, found.summary) == ("nothing-understood", "Nothing could be read.")


def test_several_places_are_named(tmp_path: Path) -> None:
    lib = library(tmp_path, FILES)
    kernel = "".join(f"[  100.00000{n}] GPU 0000:{n}b:00.0 lost\n" for n in range(1, 6))
    assert analyze_text(kernel, library=lib).summary == "lost (5 GPUs)"
    assert analyze_text("\n".join(kernel.splitlines()[:2]), library=lib).summary == "lost (GPUs 0000:1b:00,0000:2b:00)"


def test_an_assumed_format_is_said(tmp_path: Path) -> None:
    lib = library(tmp_path, FILES)
    assert analyze_text("hello\nworld", library=lib).sources[0].note == "no known format: read as plain text"
    assert analyze_text("rank 3 killed", library=lib).sources[0].note == ""


AER = """[100.000000] pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error received: id=3a01
[100.100000] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.
"""


def test_the_gpu_behind_a_port_is_named() -> None:
    found = analyze_text(AER)
    assert found.findings[0].id == "pcie-aer-uncorrectable-fatal"
    assert found.findings[0].entities["pci"] == "0000:3b:00"
    assert found.summary.endswith("(GPU 0000:3b:00, port 0000:3a:01.0)")
    alone = analyze_text(AER.splitlines()[0])
    assert "pci" not in alone.findings[0].entities
    assert alone.summary.endswith("(port 0000:3a:01.0)")
    assert alone.timeline[0]["lane"] == "port 0000:3a:01.0"


def test_the_same_port_at_another_time_is_the_same_fault() -> None:
    again = AER.splitlines()[0].replace("100.", "9000.")
    last = "[90000.000000] NVRM: Xid (PCI:0000:5e:00): 48, pid=1, DBE"
    found = analyze_text(f"{AER}{again}\n{last}\n")
    assert found.findings[0].id == "xid-48"
    assert [(f.id, f.count) for f in found.earlier if f.id.startswith("pcie")] == [("pcie-aer-uncorrectable-fatal", 2)]


def test_the_address_of_a_switch_is_not_called_a_gpu() -> None:
    text = "[1.0] nvidia-nvswitch3: SXid (PCI:0000:b0:00.0): 12028, Fatal, Link 32 egress non-posted PRIV error"
    assert "(NVSwitch 0000:b0:00" in analyze_text(text).summary


def test_of_an_unknown_end_the_signal_is_told() -> None:
    text = "[rank0]: failed (exitcode: -11) local_rank: 1 (pid: 2917) of binary: /opt/venv/bin/python"
    found = analyze_text(text)
    assert found.findings[0].role == "unknown"
    assert "(SIGSEGV, " in found.summary


def test_what_somebody_did_on_purpose_is_told_in_a_note(tmp_path: Path) -> None:
    lib = library(tmp_path, {
        "launcher/stop.yaml": signature("stop", "kill [0-9]+", role="symptom", severity="info", action="none"),
        "job/gone.yaml": signature("gone", "worker gone", role="carrier"),
        "job/late.yaml": signature("late", "worker late"),
        "causality.yaml": "- {cause: stop, effect: gone, join: [source], strength: usual}\n",
    })  # fmt: skip
    found = analyze_text("$ kill 7\nworker gone", library=lib)
    assert (found.verdict, found.notes) == ("healthy", ["line 1: stop; what follows needs nothing: gone"])
    found = analyze_text("$ kill 7\nworker gone\nworker late", library=lib)
    assert (found.verdict, found.findings[0].id) == ("fault", "late")
    assert analyze_text("worker gone", library=lib).verdict == "suspect"
