"""Blanks are filled with what fits, and hostile log text never gets into a command."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.advise import PATTERNS, earlier, fill, fill_command, fill_prose, fill_text, shell_line
from triage.library.playbook import parse_playbook, split_command
from triage.system import System

PAGE = """\
---
id: look
title: Look
---
Look.

## Confirm
- [read-only @host] What does the kernel say of {pci} before {time-5m}?
  `journalctl -k --since "{time-5m}" --grep {pci}`
  Expect: nothing about {gpu_uuid}.
- [read-only @windows] Look at the file.
  `Get-Content {path}`
"""
BOOK = parse_playbook(PAGE, "look.md")[0]
assert BOOK is not None
SYSTEMS = parse_playbook(
    """\
---
id: both
title: Both
---
Look.

## Confirm
- [read-only @linux] The disk.
  `df -h {path}`
- [read-only @windows] The disk.
  `Get-PSDrive -PSProvider FileSystem`
- [read-only @container] The library.
  `python3 -c "import torch" {path}`
- [read-only @code] The call.

## Do not
- Do not guess.
""",
    "both.md",
)[0]
assert SYSTEMS is not None


def test_known_blanks_are_filled_and_unknown_ones_named() -> None:
    assert BOOK is not None
    first = fill(BOOK, {"pci": "0000:3b:00", "time": "2026-01-19T16:47:09+00:00"}).steps[0]
    assert first.text == "What does the kernel say of 0000:3b:00 before 2026-01-19 16:42:09 UTC?"
    assert first.command == ["journalctl", "-k", "--since", "2026-01-19 16:42:09 UTC", "--grep", "0000:3b:00"]
    assert first.expect == "nothing about <gpu_uuid>."
    assert shell_line(first.command) == "journalctl -k --since '2026-01-19 16:42:09 UTC' --grep 0000:3b:00"


def test_of_a_list_the_first_value_is_taken() -> None:
    assert fill_text("{rank} {pid}", {"rank": [3, 4], "pid": []}) == "3 <pid>"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pci", "0000:3b:00; rm -rf /"),
        ("pci", "$(reboot)"),
        ("pci", "0000:3b:00\nreboot"),
        ("pid", "-1"),
        ("pid", "1 2"),
        ("host", "-oProxyCommand=x"),
        ("host", "a`id`"),
        ("path", "/tmp/$(id)"),
        ("path", "/a/../../etc/shadow"),
        ("path", "/tmp/a b"),
        ("path", "C:\\Windows"),
        ("unit", "x.service --now"),
        ("interface", "eth0|sh"),
        ("gpu_model", "A --yes"),
        ("gpu_uuid", "GPU-zzzz"),
        ("driver", "580.1'"),
        ("time", "now"),
        ("made_up", "harmless"),
        ("rank", True),
        ("gpu", "\u0663"),
    ],
)
def test_what_does_not_fit_its_pattern_is_not_filled_in(name: str, value: str | bool) -> None:
    assert fill_text("{" + name + "}", {name: value}) == f"<{name}>"
    assert fill_command(["run", "{" + name + "}"], {name: value}) == ["run", f"<{name}>"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pci", "0000:3b:00"), ("root_port", "0000:80:02.0"), ("gpu_uuid", "GPU-21636369-8b52-9b4a-97b7-50923ceb3ffd"),
        ("host", "node07.cluster.example"), ("pod", "train-0"), ("unit", "nvidia-persistenced.service"),
        ("path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04"), ("interface", "ens5"), ("hca", "mlx5_0"),
        ("requested", "20.00 GiB"), ("driver", "580.159.04"), ("torch", "2.11.0+cu130"), ("symbol", "_ZN3c105ErrorC2E"),
        ("gpu_model", "NVIDIA GeForce RTX 2080 Ti"), ("signal", "SIGKILL"), ("exit_code", -9), ("timeout_ms", 600000.0),
        ("ntstatus", "0xc0000094"), ("constraint", "CONSTRAINT_MEMCG"),
    ],
)  # fmt: skip
def test_values_as_logs_give_them_fit(name: str, value: str | int | float) -> None:
    assert "<" not in fill_text("{" + name + "}", {name: value})


def test_a_value_does_not_become_an_option() -> None:
    assert fill_command(["kill", "{exit_code}"], {"exit_code": -9}) == ["kill", "<exit_code>"]
    assert fill_command(["kill", "-{signal}", "{pid}"], {"signal": 9, "pid": 7}) == ["kill", "-9", "7"]


def test_windows_paths_fit_for_windows_only() -> None:
    assert BOOK is not None
    step = fill(BOOK, {"path": r"C:\Windows\Minidump\x.dmp"}).steps[1]
    assert step.command == ["Get-Content", r"C:\Windows\Minidump\x.dmp"]


@pytest.mark.parametrize(
    ("words", "want"),
    [
        (
            ["wevtutil", "qe", "System", "/q:*[System[(EventID=4101)]]"],
            'wevtutil qe System "/q:*[System[(EventID=4101)]]"',
        ),
        (["& x", "a'b"], """& "& x" "a'b\""""),
        (["echo", "a$b", "it's 5%"], "echo 'a$b' 'it''s 5%'"),
        (["dir", "C:\\Program Files\\"], "dir 'C:\\Program Files\\'"),
    ],
)
def test_windows_commands_are_quoted_for_both_shells_where_that_can_be(words: list[str], want: str) -> None:
    assert shell_line(words, "powershell") == want


def test_apostrophes_are_readable_in_posix_commands() -> None:
    words = ["python3", "-c", "import os; print(os.environ.get('A'))"]
    assert shell_line(words) == """python3 -c "import os; print(os.environ.get('A'))\""""
    assert shlex.split(shell_line(["a'$(b)"])) == ["a'$(b)"]


def test_without_a_time_its_option_goes() -> None:
    command = 'journalctl -k -b --since "{time-5m}"'
    assert fill_text(command, {}) == "journalctl -k -b"
    assert fill_text(command, {"time": "+812.3 s"}) == "journalctl -k -b"
    assert fill_text(command, {"time": "2026-01-01T00:10:00"}) == 'journalctl -k -b --since "2026-01-01 00:05:00"'
    assert fill_command(["x", "--since", "{time-5m}", "--until={time}", "-g", "Xid"], {}) == ["x", "-g", "Xid"]
    assert fill_command(["x", "{time}"], {}) == ["x", "<time>"]


def test_an_assertion_is_quoted_in_a_sentence_only() -> None:
    known = {"assertion": "t >= 0 && t < n_classes"}
    assert fill_prose("It says ({assertion}).", known) == "It says (t >= 0 && t < n_classes)."
    assert fill_prose("Run `x {assertion}`.", known) == "Run `x <assertion>`."
    assert fill_command(["x", "{assertion}"], known) == ["x", "<assertion>"]
    assert fill_prose("{assertion}", {"assertion": "a`id`"}) == "<assertion>"
    assert fill_prose("{assertion}", {"assertion": "a\nb"}) == "<assertion>"


def test_a_blank_takes_the_first_of_its_names_that_is_known() -> None:
    command = ["nvidia-smi", "--gpu-reset", "-i", "{gpu|gpu_uuid|pci}"]
    assert fill_command(command, {"pci": "0000:3b:00"})[-1] == "0000:3b:00"
    assert fill_command(command, {"pci": "0000:3b:00", "gpu": 2})[-1] == "2"
    assert fill_command(command, {"gpu": "2; reboot", "pci": "0000:3b:00"})[-1] == "0000:3b:00"
    assert fill_command(command, {})[-1] == "<gpu>"
    assert fill_text("Device {pci|gpu}.", {"gpu": 3}) == "Device 3."
    assert fill_command(["dcgmi", "diag", "-i", "{gpu}"], {"pci": "0000:3b:00"})[-1] == "<gpu>"


def test_open_blanks_are_quoted_only_where_a_shell_would_act_on_them() -> None:
    assert shell_line(["lspci", "-s", "{pci}", "--since={time-5m}"]) == "lspci -s {pci} --since={time-5m}"
    assert shell_line(["nvidia-smi", "-i", "{gpu|pci}"]) == "nvidia-smi -i '{gpu|pci}'"


@pytest.mark.parametrize(
    ("time", "seconds", "want"),
    [
        ("2026-01-19T16:47:09", 300, "2026-01-19 16:42:09"),
        ("2026-01-19T16:47:09+08:00", 0, "2026-01-19 08:47:09 UTC"),
        ("2026-01-01T00:00:30Z", 60, "2025-12-31 23:59:30 UTC"),
        ("+812.3 s", 60, None),
        ("0001-01-01T00:00:00", 60, None),
    ],
)
def test_times_before(time: str, seconds: float, want: str | None) -> None:
    assert earlier(time, seconds) == want


@given(st.sampled_from(sorted(PATTERNS)), st.text(max_size=60))
def test_whatever_a_log_says_a_filled_word_needs_no_trust(name: str, value: str) -> None:
    word = fill_command(["x", "{" + name + "}"], {name: value})[1]
    assert not word.startswith("-")
    if word != f"<{name}>":
        assert word == value
        assert not set(word) & set("'\"`$;|&<>(){}\n\r\t\\!*?#")
        assert shlex.split(shell_line(["x", word])) == ["x", word]


@pytest.mark.parametrize(
    ("system", "places", "commands"),
    [
        ("linux", ["host", "container", "code", ""], ["df -h /data/x", 'python3 -c "import torch" /data/x']),
        ("windows", ["windows", "windows", "code", ""], ["Get-PSDrive -PSProvider FileSystem", 'python -c "import torch" C:\\x']),
        ("", ["linux", "windows", "container", "code", ""], ["df -h /data/x", "Get-PSDrive -PSProvider FileSystem", 'python3 -c "import torch" /data/x']),
    ],
)  # fmt: skip
def test_steps_of_another_system_are_left_out(system: System, places: list[str], commands: list[str]) -> None:
    assert SYSTEMS is not None
    steps = fill(SYSTEMS, {"path": r"C:\x" if system == "windows" else "/data/x"}, system).steps
    assert [step.where for step in steps] == places
    assert [step.command for step in steps if step.command] == [split_command(c, system == "windows") for c in commands]


FORM = parse_playbook(
    """\
---
id: form
title: Form
---
Look.

## Confirm
- [read-only @code] Compare the request ({requested}) with the GPU ({total}).
- [read-only @host] How much would have fitted?
  `triage plan memory oom --requested {requested} --free {free} --total {total}`
""",
    "form.md",
)[0]


def test_a_value_in_brackets_goes_when_it_is_not_known() -> None:
    assert FORM is not None
    assert fill(FORM, {"requested": "2.00 GiB"}).steps[0].text == "Compare the request (2.00 GiB) with the GPU."


def test_a_command_of_unknown_values_alone_is_left_out() -> None:
    assert FORM is not None
    assert [step.command for step in fill(FORM, {"time": "2026-01-19T16:47:09"}).steps] == [None]
    (command,) = [step.command for step in fill(FORM, {"free": "1.00 GiB"}).steps if step.command]
    assert command[-3:] == ["1.00 GiB", "--total", "<total>"]
