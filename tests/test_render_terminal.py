"""The terminal report fits the screen, marks the match and lets nothing of a log act on the terminal."""

from __future__ import annotations

import io
import re

import pytest
from reports import XID, fault, healthy, hostile, many, unknown

from triage.model import Evidence, Report, Source, no_blocks
from triage.render import markdown
from triage.render.excerpt import marked, word_marks
from triage.render.page import paint, plain
from triage.render.terminal import SCREEN, render
from triage.render.text import cells

WIDTHS = (40, 80, 120)
REPORTS = (fault, healthy, unknown, hostile, many)


def text(report: Report, width: int = 80, **options: bool) -> str:
    return plain(render(report, width, **options))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", REPORTS)
@pytest.mark.parametrize("everything", [False, True])
def test_no_line_is_wider_than_the_terminal(make, width, everything):
    for line in text(make(), width, everything=everything).splitlines():
        # A single word of a command is never cut.
        assert cells(line) <= width or "--query-gpu" in line or (width == 40 and "NodeName" in line), line


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("make", REPORTS)
@pytest.mark.parametrize("colour", [False, True])
def test_it_fits_the_screen(make, width, colour):
    assert len(render(make(), width, colour=colour)) <= SCREEN


def test_it_says_cause_place_proof_chain_steps_and_sources():
    shown = text(fault(), 120)
    for part in (
        "FAULT  GPU 2", "GPU has fallen off the bus [xid-79: fatal, confirmed]", "PCI 0000:3b:00 · GPU 2 · rank 3 · host node07",
        "2024-03-14T10:02:11, 4 times, last 10:03:10", "three seconds before", "dmesg.txt:17  ", "2:11 2024] NVRM: Xid (PCI:0000:3b:00): 79", "xid 79",
        "reboot the node (reboot-node; vendor: RESTART_BM)", "ranks 0,2,4-7", "×12", "lspci -s 0000:3b:00 -vv", "[reboot]",
        "'Reason=xid 79'", "pci=noaer", "(2 more steps: --all)", "pcie-aer-corrected ×1200", "ipmitool sel elist", "foo error [bold]12[/bold]",
        "xid-13", "2 files, 5,200 lines, 29 kinds of message (kernel, traceback) in 0.4 s", "core.4711: a core dump", "no device at 0000:3b:00",
    ):  # fmt: skip
        assert part in shown, part
    assert "_helper" not in shown
    assert "driver-load" not in shown


def test_the_chain_is_a_tree():
    assert [line.split()[:3] for line in text(fault(), everything=True).split("CHAIN")[1].splitlines()[0:4]] == [
        ["xid-79", "×4", "rank"],
        ["└─", "cuda-launch-failure", "A"],
        ["├─", "pg-watchdog-timeout", "A"],
        ["└─", "torchrun-childfailed", "A"],
    ]


def test_a_circle_of_explanations_ends():
    report = fault()
    report.findings[1].explains.append("xid-79")
    report.findings[-3].explains.append("cuda-launch-failure")
    assert text(report).count("torchrun-childfailed") == 1


def test_the_match_is_marked_without_colour_by_carets():
    lines = text(fault(), everything=True).splitlines()
    at = next(i for i, line in enumerate(lines) if "dmesg.txt:17" in line)
    assert lines[at + 1].strip("^ ") == ""
    start, end = lines[at + 1].index("^"), lines[at + 1].rindex("^")
    assert XID[27:59].startswith(lines[at][start : end + 1])


def test_the_match_is_marked_with_colour_in_reverse():
    out = io.StringIO()
    paint(render(fault(), 80, colour=True), out)
    assert "\x1b[1;7mNVRM: Xid" in out.getvalue()
    assert "^^^" not in out.getvalue()
    assert "\x1b" not in text(fault())


def test_healthy_is_short():
    shown = text(healthy())
    assert shown.startswith("HEALTHY  No fault")
    assert len(shown.splitlines()) <= 4
    assert "1 file, 1,200 lines" in shown
    assert "driver-load" in text(healthy(), everything=True)


def test_unknown_says_what_is_known_and_what_to_collect():
    shown = text(unknown())
    assert "UNKNOWN A worker was killed by signal 9" in shown
    assert "not in these logs" in shown
    assert "exit code -9" in shown
    assert shown.index("COLLECT") < shown.index("PROOF")
    assert 'journalctl -k -b --since "2024-03-14 09:57"' in shown


@pytest.mark.parametrize("colour", [False, True])
def test_nothing_in_a_log_acts_on_the_terminal(colour):
    out = io.StringIO()
    rows = render(hostile(), 80, colour=colour, everything=True)
    paint(rows, out) if colour else out.write(plain(rows))
    # Only the styles that we write ourselves may be there.
    shown = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()) if colour else out.getvalue()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert "[bold red]not markup[/]" in shown
    assert "owned" not in shown
    assert not colour or "\x1b[31mred" not in out.getvalue()


def test_ascii_only_when_asked():
    assert text(fault(), fancy=False).isascii()
    assert text(hostile(), fancy=False).replace("显", "").count("…") == 0


def test_everything_shows_context_earlier_and_timeline():
    shown = text(fault(), everything=True)
    assert "driver-load" in shown
    assert "EARLIER" in shown
    assert "TIMELINE" in shown
    assert "more: --all" not in shown


def test_times_are_told_in_the_zone_that_was_asked_for():
    report = fault()
    assert report.findings[0].first
    report.findings[0].first.time = report.findings[0].last.time = "2024-03-14T22:02:11Z"
    assert "2024-03-14T22:02:11Z" in text(report)
    report.stats["zone"] = 8 * 3600.0
    assert "2024-03-15T06:02:11+08:00" in text(report)


def test_another_finding_tells_its_time_and_process():
    report = fault()
    other = report.findings[-2]
    assert other.first
    other.first.time, other.entities = "2024-03-14T10:32:11.250", {"pci": "0000:3b:00", "pid": 77}
    rows = text(report).splitlines()
    at = next(i for i, row in enumerate(rows) if "pcie-aer-corrected" in row)
    assert rows[at].endswith("Corrected PCIe errors")
    assert rows[at + 1].strip() == "10:32:11 · pid 77 · dmesg.txt:3"
    assert "10:32:11 · pid 77 · dmesg.txt:3" in next(row for row in text(report, 120).splitlines() if "pcie-aer" in row)
    other.first.time = "2024-03-14T10:02:16"
    assert "10:02:16" not in text(report)


def test_inputs_that_cannot_be_read_are_named_once():
    sources = [Source("-", no_blocks, readable=False, note="- is empty"), Source("x", no_blocks, readable=False, note="x is cut")]
    shown = text(Report("nothing-understood", "Nothing could be read.", sources=sources))
    assert "SKIPPED standard input: is empty" in shown
    assert "SKIPPED x: is cut" in shown


def test_what_came_before_the_root_is_told_in_the_chain():
    report = fault()
    fact = report.findings[-1]
    report.findings[0].explained_by = [fact.id]
    assert text(report).split("CHAIN")[1].splitlines()[1].startswith("  with: driver-load  Driver loaded")
    assert text(report, everything=True).count("driver-load") == 1
    report.findings[0].why = "no other fault in the input explains it; it came 51 s after driver-load"
    rows = text(report).split("CHAIN")[1].splitlines()
    assert rows[1].startswith("  after: driver-load  Driver loaded")
    assert rows[0].strip() == "xid-79  ×4  rank 3"
    assert rows[2].startswith("  └─ cuda-launch-failure")
    assert "driver-load" in markdown.render(report).split("### Chain")[1].splitlines()[2]


def test_each_finding_hangs_below_the_first_of_its_causes():
    report = fault()
    child = next(f for f in report.findings if f.id == "torchrun-childfailed")
    child.explained_by = ["xid-79", "cuda-launch-failure"]
    rows = text(report, everything=True).split("CHAIN")[1].splitlines()
    assert next(row for row in rows if "torchrun-childfailed" in row).startswith("  └─ torchrun-childfailed")


def test_of_a_line_that_matched_whole_the_values_are_marked():
    assert word_marks("Code 12 (0x0C), 312", ["12", "C", "0x0C"]) == [(5, 7), (9, 13)]
    assert marked("Code 12 is", 0, [(5, 7)]) == [("Code ", False), ("12", True), (" is", False)]
    assert marked("12 is", 5, [(4, 7)]) == [("12", True), (" is", False)]
    report = fault()
    line = "Problem: 79 of 100"
    report.findings[0].evidence = [Evidence("dmesg.txt", 1, line, (0, len(line)))]
    shown = text(report, everything=True).splitlines()
    at = next(i for i, row in enumerate(shown) if row.endswith(line))
    assert shown[at + 1].strip() == "^^"
    assert shown[at + 1].index("^") == shown[at].index("79")
