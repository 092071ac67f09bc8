"""Standard streams on real pipes and terminals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from triage.cli import streams
from triage.cli.streams import Colour

ROOT = Path(__file__).resolve().parent.parent
CLEAN = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")}


@pytest.mark.parametrize(
    ("variables", "colour", "on"),
    [
        ({}, Colour.auto, False), ({}, Colour.always, True), ({"FORCE_COLOR": "1"}, Colour.auto, True), ({"FORCE_COLOR": "1"}, Colour.never, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, Colour.auto, False), ({"NO_COLOR": "1"}, Colour.always, True), ({"FORCE_COLOR": "1", "TERM": "dumb"}, Colour.auto, False),
    ],
)  # fmt: skip
def test_colour_is_asked_for_by_option_or_variable(monkeypatch, variables, colour, on):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert streams.screen(colour).colour is on


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("80", 80), ("300", 120)])
def test_the_width_has_bounds(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert streams.screen(Colour.never).width == width


def in_python(code: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-c", f"from triage.cli import streams\n{code}"]
    return subprocess.run(words, capture_output=True, cwd=ROOT, check=False, **more)


@pytest.mark.parametrize(("encoding", "fancy"), [("utf-8", b"True"), ("ascii", b"False"), ("gbk", b"False")])
def test_characters_follow_the_encoding(encoding, fancy):
    code = "streams.prepare(); print(streams.screen(streams.Colour.never).fancy); streams.write('\\u2026\\U0001f642')"
    done = in_python(code, env={**CLEAN, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == fancy


@pytest.mark.parametrize(("kind", "want"), [("html", b"&#23631;&#128578;"), ("json", b"\\u5c4f\\ud83d\\ude42"), ("", b"??")])
def test_markup_and_json_lose_no_character(kind, want):
    code = f"streams.prepare(); streams.write('\u5c4f\U0001f642', {kind!r})"
    assert in_python(code, env={**CLEAN, "PYTHONIOENCODING": "ascii"}).stdout == want
    assert in_python(code, env={**CLEAN, "PYTHONIOENCODING": "utf-8"}).stdout.decode() == "\u5c4f\U0001f642"


@pytest.mark.parametrize(("lines", "height"), [("24", 23), ("80", 79)])
def test_the_height_leaves_a_row_for_the_prompt(monkeypatch, lines, height):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", lines)
    assert streams.screen(Colour.never).height == height


def test_a_reader_that_left_is_no_error():
    code = f"{sys.executable} -c \"from triage.cli import streams; streams.write('x' * 1000000); streams.write('y')\" | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {code}"], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x", b"")


def test_notes_go_to_standard_error_without_control_characters():
    done = in_python("streams.note('a\\x1b[31mb\\nc')")
    assert done.stdout == b""
    assert done.stderr == b"triage: ab c\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("term", "quiet", "shown"), [("xterm", False, True), ("dumb", False, False), ("xterm", True, False)])
def test_progress_is_for_terminals_and_large_inputs(term, quiet, shown):
    import pty

    ours, theirs = pty.openpty()
    code = (
        f"from triage.cli import streams\nbar = streams.Progress({quiet})\n"
        "bar('small.log', 1, 1000)\nassert bar._bar is None\n"
        "for done in (1 << 20, 8 << 20): bar('folder/large[1].log', done, 8 << 20)\nbar.close()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=theirs, stdout=subprocess.PIPE, cwd=ROOT, env={**CLEAN, "TERM": term}) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            told += part
        assert process.wait(60) == 0
    os.close(ours)
    assert (b"large[1].log" in told) is shown


def test_a_list_is_cut_for_a_screen_but_not_for_a_pipe():
    command = [sys.executable, "-m", "triage", "list", "--family", "nccl"]
    whole = subprocess.run(command, cwd=ROOT, env=CLEAN, capture_output=True, text=True, timeout=60, check=True).stdout
    narrow = subprocess.run(command, cwd=ROOT, env=CLEAN | {"COLUMNS": "60"}, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "NCCL cannot create its shared memory, /dev/shm is too small" in whole
    assert "…" not in whole
    assert max(map(len, narrow.splitlines())) == 60
