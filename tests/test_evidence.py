from pathlib import Path

import pytest
from small import library, signature

from triage.evidence import spelled
from triage.model import Evidence
from triage.pipeline import analyze_text

EVENT = """Log Name:      System
Source:        Display
Date:          2/6/2021 9:14:06 PM
Event ID:      4101
Task Category: None
Level:         Warning
Keywords:      Classic
User:          N/A
Computer:      DL-PC
Description:
Display driver nvlddmkm stopped responding and has successfully recovered."""

TRACEBACK = """Traceback (most recent call last):
  File "/job/train.py", line 7, in load
    fetch(name)
  File "/opt/venv/lib/python3.12/site-packages/hub/download.py", line 61, in fetch
    raise EntryNotFoundError(
hub.errors.EntryNotFoundError: cannot find the files in the cache

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/job/train.py", line 9, in main
    load("x")
OSError: cannot load x"""


def evidence(tmp_path: Path, match: str, text: str, **more: str) -> list[Evidence]:
    files = {"one.yaml": signature("one", "x", match=match, **more)}
    report = analyze_text(text, library=library(tmp_path, files))
    return report.findings[0].evidence


def marked(one: Evidence) -> str:
    return one.text[one.span[0] : one.span[1]]


def test_of_a_structured_event_the_lines_with_its_values_are_quoted(tmp_path: Path) -> None:
    found = evidence(tmp_path, "[{formats: [windows-event], where: event_id == 4101}]", EVENT)
    assert [e.text for e in found] == ["Event ID:      4101", EVENT.splitlines()[-1]]
    assert marked(found[0]) == "4101"


def test_in_a_traceback_the_exception_of_the_match_decides(tmp_path: Path) -> None:
    found = evidence(tmp_path, "[{regex: 'raise EntryNotFoundError', formats: [traceback]}]", TRACEBACK)
    assert [e.line for e in found] == [6, 5, 2]
    assert marked(found[0]) == TRACEBACK.splitlines()[5]
    assert marked(found[1]) == "raise EntryNotFoundError"


def test_a_match_across_frames_is_marked_in_the_line_of_the_exception(tmp_path: Path) -> None:
    found = evidence(
        tmp_path, r"[{regex: 'download[^\x00]*find the files', formats: [traceback], anchor: download}]", TRACEBACK
    )
    assert (found[0].line, marked(found[0])) == (6, "hub.errors.EntryNotFoundError: cannot find the files")


def test_of_a_condition_alone_the_uncaught_exception_is_quoted(tmp_path: Path) -> None:
    found = evidence(tmp_path, "[{formats: [traceback], where: frames > 0}]", TRACEBACK, fallback="true")
    assert [(e.line, e.text) for e in found] == [
        (13, "OSError: cannot load x"),
        (11, '  File "/job/train.py", line 9, in main'),
    ]


def test_of_a_long_span_the_end_is_quoted(tmp_path: Path) -> None:
    text = 'Traceback (most recent call last):\n  File "/job/a.py", line 1, in f\nValueError: first\n' + "".join(
        f"line {i}\n" for i in range(5)
    )
    found = evidence(tmp_path, "[{regex: 'ValueError: first'}]", text)
    assert found[0].text == "ValueError: first"


def test_a_message_that_matched_whole_is_marked_without_its_header(tmp_path: Path) -> None:
    (one,) = evidence(
        tmp_path, "[{regex: 'Reloading.', formats: [syslog]}]", "Mar 11 10:02:11 node7 systemd[1]: Reloading."
    )
    assert marked(one) == "Reloading."


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        ("0000:3b:00", "GPU 00000000:3B:00.0", True),
        ("0000:3b:00", "GPU 00000000:3B:01.0", False),
        ("0x133", "BUGCHECK_CODE:  133", True),
        ("0x133", "0x133_DPC_nvlddmkm", True),
        (12, "Code 12)", True),
        (12, "(0x0000000C)", True),
        (12, "Code 112", False),
        (-1073740791, "exit code 0xC0000409", True),
        ("SIGKILL", "Signal 9 (SIGKILL)", True),
    ],
)  # fmt: skip
def test_values_are_found_in_any_spelling(value: str | int, text: str, there: bool) -> None:
    assert bool(spelled(value).search(text)) is there


def test_quoted_lines_get_their_surroundings() -> None:
    log = "\n".join(f"[  {n}.000000] usb 1-{n}: new device" for n in range(100, 110)).replace(
        "usb 1-105: new device", "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
    )
    (line,) = analyze_text(log, "dmesg.txt").findings[0].evidence
    assert line.line == 6
    assert [number for number, _ in line.near] == [4, 5, 7, 8]
    assert line.near[1][1] == "[  104.000000] usb 1-104: new device"


MOVE = '  File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line {} in {}'
STACK = "\n".join([MOVE.format(1370, "convert"), MOVE.format(965, "_apply"), MOVE.format(1384, "to"), '  File "/job/t.py", line 9 in go'])
OTHER = '  File "/opt/venv/lib/python3.12/site-packages/cv2/__init__.py", line 12 in decode'


def dump(error: str, *stacks: tuple[str, str]) -> str:
    parts = [f"{head} (most recent call first):\n{stack}" for head, stack in stacks]
    return f"Fatal Python error: {error}\n\n" + "\n\n".join(parts)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (dump("Segmentation fault", ("Thread 0x01", STACK), ("Current thread 0x02", STACK)), [6, 9, 12]),
        (dump("Segmentation fault", ("Current thread 0x02", STACK), ("Thread 0x01", STACK)), [3, 6, 12]),
        (dump("Segmentation fault", ("Thread 0x03", OTHER), ("Thread 0x01", STACK), ("Current thread 0x02", STACK)), [9, 12, 15]),
    ],
)  # fmt: skip
def test_of_stacks_the_thread_that_died_and_the_same_frame_in_another(text: str, lines: list[int]) -> None:
    (found,) = (f for f in analyze_text(text).findings if f.id == "parallel-to-segfault")
    assert [line.line for line in found.evidence] == lines
    assert sum("Current thread" in line.text for line in found.evidence) == 1


@pytest.mark.parametrize(
    "text",
    [
        dump("Segmentation fault", ("Thread 0x01", STACK), ("Thread 0x02", STACK), ("Current thread 0x03", OTHER)),
        dump("Segmentation fault", ("Current thread 0x03", OTHER), ("Thread 0x01", STACK), ("Thread 0x02", STACK)),
        dump("Segmentation fault", ("Thread 0x01", OTHER), ("Current thread 0x02", STACK)),
        dump("Aborted", ("Thread 0x01", STACK), ("Current thread 0x02", STACK)),
        dump("Bus error", ("Thread 0x01", STACK), ("Current thread 0x02", STACK)),
    ],
)
def test_threads_that_move_a_model_while_another_dies_are_no_proof(text: str) -> None:
    assert "parallel-to-segfault" not in [f.id for f in analyze_text(text).findings]
