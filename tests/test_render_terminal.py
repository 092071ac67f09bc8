"""The terminal report fits the screen, marks the match and lets nothing of a log act on the terminal."""

from __future__ import annotations

import ast
import io
import re
import shlex

import pytest
from reports import XID, fault, healthy, hostile, unknown

from triage.model import Evidence, Report, Source, Step, no_blocks
from triage.render import markdown, words
from triage.render.page import paint, plain
from triage.render.terminal import SCREEN, render
from triage.render.text import (
    break_command,
    cells,
    clean,
    compact,
    cut,
    marked,
    marked_rows,
    message,
    sentences,
    word_marks,
    wrap,
)

WIDTHS = (40, 80, 120)
REPORTS = (fault, healthy, unknown, hostile)


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
        "'Reason=xid 79'", "pci=noaer", "triage explain xid-79", "pcie-aer-corrected ×1200", "ipmitool sel elist", "foo error [bold]12[/bold]",
        "xid-13", "2 files, 5,200 lines, 29 kinds of message (kernel, traceback) in 0.4 s", "core.4711: a core dump", "no device at 0000:3b:00",
    ):  # fmt: skip
        assert part in shown, part
    assert "_helper" not in shown
    assert "driver-load" not in shown


def test_the_chain_is_a_tree():
    assert [line.split()[:3] for line in text(fault(), everything=True).split("CHAIN")[1].splitlines()[1:5]] == [
        ["xid-79", "GPU", "has"],
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
    lines = text(fault()).splitlines()
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


@pytest.mark.parametrize(
    ("line", "span", "width", "want"),
    [
        ("short", (0, 5), 20, ("", "short", "")),
        ("a" * 50 + "MATCH" + "b" * 50, (50, 55), 25, ("…aaaaaa", "MATCH", "bbbbbbbbbbbb…")),
        ("MATCH" + "b" * 50, (0, 5), 20, ("", "MATCH", "bbbbbbbbbbbbb…")),
        ("x" * 100, (0, 100), 10, ("", "xxxxxxxx", "…")),
        ("中文" * 10 + "E", (20, 21), 11, ("…中文中文"[:5], "E", "")),
    ],
)  # fmt: skip
def test_long_lines_are_cut_around_the_match(line, span, width, want):
    got = cut(line, span, width)
    assert sum(map(cells, got)) <= width
    assert got[1] == want[1]
    assert got[0].startswith("…") == want[0].startswith("…")
    assert got[2].endswith("…") == want[2].endswith("…")


def test_a_long_line_of_evidence_is_wrapped_whole_when_there_is_room():
    line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 139.29 GiB is free."
    rows = marked_rows(cut(line, (24, 43), 300), 40)
    assert "".join("".join(row) for row in rows) == line
    assert all(sum(map(cells, row)) <= 40 for row in rows)
    assert "".join(row[1] for row in rows) == "CUDA out of memory."


def test_commands_break_where_they_still_paste():
    command = "nvidia-smi --query-gpu=index,name --format=csv 'one argument with spaces' -i 0"
    rows = break_command(command, 40)
    assert all(len(row) <= 40 for row in rows)
    assert all(row.endswith(" \\") for row in rows[:-1])
    assert "".join(row.removesuffix("\\").strip() + " " for row in rows).strip() == command
    assert any("'one argument with spaces'" in row for row in rows)


def test_python_code_breaks_between_arguments_and_stays_the_same_program():
    code = "import os, torch; print(os.environ.get('A, B'), torch.cuda.device_count(), [1, 2], 'x, (y')"
    rows = break_command(f'python3 -c "{code}" --more', 60)
    assert all(len(row) <= 60 for row in rows)
    found = shlex.split("\n".join(rows).replace(" \\\n", " "))
    assert found[:2] == ["python3", "-c"]
    assert found[3] == "--more"
    assert ast.dump(ast.parse(found[2])) == ast.dump(ast.parse(code))


def test_the_decisive_part_of_a_long_match_stays():
    line = "/pytorch/aten/src/THCUNN/SpatialClassNLLCriterion.cu:106: cunn_SpatialClassNLLCriterion_updateOutput_kernel: block: [3,0,0], thread: [911,0,0] Assertion `t >= 0 && t < n_classes` failed."
    parts = cut(line, (0, len(line) - 1), 100)
    assert sum(map(cells, parts)) <= 100
    assert "".join(parts).startswith("/pytorch/aten")
    assert "".join(parts).endswith("Assertion `t >= 0 && t < n_classes` failed.")
    long = "Watchdog caught " + "a" * 90 + " SeqNum=5323, " + "b" * 200
    assert "SeqNum=5323" in "".join(cut(long, (0, len(long)), 90, terms=["5323"]))


def test_of_a_journal_in_json_the_message_is_quoted():
    line = '{"_HOSTNAME": "dgx-c3", "MESSAGE": "NVRM: Xid (PCI:0000:1f:00): 64, pid=5", "PRIORITY": "4"}'
    at = line.index("NVRM")
    assert message(line, (at, at + 9)) == ("NVRM: Xid (PCI:0000:1f:00): 64, pid=5", (0, 9))
    assert message('{"MESSAGE": [88, 105, 100], "x": 1}', (0, 5)) == ("Xid", (0, 3))
    assert message("{not json", (0, 4)) == ("{not json", (0, 4))


@pytest.mark.parametrize(
    ("most", "want"),
    [
        (9, ["One two three.", "Four e.g. five.", "Six."]),
        (1, ["One two three. …"]),
        (2, ["One two three.", "Four e.g. five.", "Six."]),
    ],
)
def test_prose_is_cut_at_the_end_of_a_sentence(most, want):
    assert sentences("One two three. Four e.g. five. Six.", 16, most) == want


def test_prose_without_an_end_is_cut_at_a_word():
    assert sentences("one two three four five six seven eight nine", 14, 2) == ["one two three", "four five six…"]


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
    row = next(line for line in text(report).splitlines() if "pcie-aer-corrected" in line)
    assert "10:32:11 · pid 77 · dmesg.txt:3" in row
    assert "PCI" not in row
    other.first.time = "2024-03-14T10:02:16"
    assert "10:02:16" not in text(report)


def test_the_step_of_the_action_is_never_hidden():
    shown = text(fault())
    assert "Drain the node, then power it off and on" in shown
    cause = fault().findings[0]
    assert cause.playbook
    cause.action = "check-hardware"
    assert "hardware" in [step.risk for step in words.steps(cause, 3)[0]]


def test_where_a_step_runs_is_told_when_it_is_elsewhere():
    report = fault()
    assert report.findings[0].playbook
    report.findings[0].playbook.steps[0].where = "login-node"
    try:
        assert "[read-only @login-node] Is the card" in text(report)
        assert "`read-only @login-node`" in markdown.render(report)
    finally:
        report.findings[0].playbook.steps[0].where = "host"


def test_inputs_that_cannot_be_read_are_named_once():
    sources = [Source("-", no_blocks, readable=False, note="- is empty"), Source("x", no_blocks, readable=False, note="x is cut")]
    shown = text(Report("nothing-understood", "Nothing could be read.", sources=sources))
    assert "SKIPPED standard input: is empty" in shown
    assert "SKIPPED x: is cut" in shown


def test_small_words():
    assert compact([3, 0, 1, 2, 7, 9, 10]) == "0-3,7,9,10"
    assert clean("a\x1b[1mb\x07\u202ec\td\n") == "abc d "
    assert cells("中e\u0301") == 3
    assert wrap("中" * 10, 6) == ["中中中", "中中中", "中中中", "中"]


def test_what_came_before_the_root_is_told_in_the_chain():
    report = fault()
    fact = report.findings[-1]
    report.findings[0].explained_by = [fact.id]
    rows = text(report).split("CHAIN")[1].splitlines()
    assert rows[1].startswith("  after: driver-load  Driver loaded")
    assert rows[2].startswith("  xid-79")
    assert "driver-load" in markdown.render(report).split("### Chain")[1].splitlines()[2]
    assert text(report, everything=True).count("driver-load") == 1


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
    shown = text(report).splitlines()
    at = next(i for i, row in enumerate(shown) if row.endswith(line))
    assert shown[at + 1].strip() == "^^"
    assert shown[at + 1].index("^") == shown[at].index("79")


def test_a_step_that_checks_the_repair_says_so() -> None:
    assert words.told(Step("Three steps pass.", "Verify")) == "Verify: Three steps pass."
    assert words.told(Step("Restart it.", "Fix")) == "Restart it."
