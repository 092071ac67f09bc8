"""NVIDIA's bug report: its logs are sources of their own, and what is missing in it is said."""

from __future__ import annotations

from pathlib import Path

import bug_report
import pytest

from triage.model import Report, Source
from triage.pipeline import analyze
from triage.sources import open_inputs


def opened(path: Path) -> dict[str, Source]:
    return {source.name.partition("!")[2]: source for source in open_inputs([path])}


def rows(source: Source) -> list[tuple[int, str]]:
    return [(line.number, line.text) for block in source.blocks() for line in block.lines(0, block.count)]


def test_logs_are_sources_with_the_numbers_of_the_whole_file(tmp_path: Path) -> None:
    parts = bug_report.sections()
    sources = opened(bug_report.write(tmp_path / "nvidia-bug-report.log.gz", parts))
    assert list(sources) == [
        "/var/log/messages",
        "/var/log/kern.log",
        "journalctl -b -0",
        "journalctl -b -1",
        "dmesg",
        "",
    ]
    lines = "".join(parts).split("\n")
    for name in ("/var/log/kern.log", "dmesg", ""):
        for number, text in rows(sources[name]):
            assert lines[number - 1] == text


def test_binary_sections_and_module_lists_are_passed_over(tmp_path: Path) -> None:
    sources = opened(bug_report.write(tmp_path / "report.log.gz", bug_report.sections()))
    texts = [text for _, text in rows(sources[""])]
    assert not any("NVreg_" in text or len(text) == 76 for text in texts)
    assert "2 sections of binary data" in sources[""].note


@pytest.mark.parametrize("cut", [False, True])
def test_a_report_that_was_not_finished_says_where_it_ends(tmp_path: Path, cut: bool) -> None:
    hung = bug_report.sections(end=False, more=["/usr/bin/nvidia-smi --query"])
    path = bug_report.write(tmp_path / "report.log.gz", bug_report.sections() if cut else hung)
    if cut:
        path.write_bytes(path.read_bytes()[:-30])
    note = opened(path)[""].note if not cut else " ".join(source.note for source in opened(path).values())
    assert "truncated" in note if cut else "'/usr/bin/nvidia-smi --query'" in note


def test_safe_mode_is_told(tmp_path: Path) -> None:
    path = bug_report.write(
        tmp_path / "report.log.gz",
        bug_report.sections(flags="--safe-mode", more=["Skipping due to --safe-mode argument."]),
    )
    assert "--safe-mode" in opened(path)[""].note


def found(path: Path) -> Report:
    return analyze([path])


@pytest.mark.parametrize("zone", ["+0200", ""])
def test_one_event_out_of_four_copies_on_one_clock(tmp_path: Path, zone: str) -> None:
    """The zone stands in the report; without it, the RTC and the lines of syslog and ring tell it."""
    report = found(bug_report.write(tmp_path / "report.log.gz", bug_report.sections(zone=zone)))
    first = {f.id: (f.count, f.first.time) for f in [*report.findings, *report.earlier] if f.first}
    assert report.findings[0].id == "pcie-aer-uncorrectable-fatal"
    assert first["pcie-aer-uncorrectable-fatal"] == (1, "2031-05-02T12:01:47.811Z")
    assert first["xid-79"] == (1, "2031-05-02T12:01:58Z")
    assert first["xid-63"] == (1, "2031-04-24T01:11:09Z")
    assert [f.id for f in report.earlier] == ["xid-63"]
    assert report.stats["zone"] == 7200.0
