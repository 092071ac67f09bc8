"""Numbers in the library against the source that ships them: Python's `signal` and `errno`, NVIDIA's NVML bindings."""

from __future__ import annotations

import errno
import os
import re
import signal
from typing import Any

import pytest

from triage.library.library import Library
from triage.library.loader import default_folder, load_library
from triage.library.proof import Example, read_examples
from triage.library.yaml_nodes import read_yaml
from triage.pipeline import match_text

ERRNO = re.compile(r"\[Errno (\d+)\] ([A-Z][\w/ ,]+?[a-z])(?=[:'\n\"]|$)")
NAMED = re.compile(r"\(errno: (\d+) - ([A-Z][\w/ ]+)\)")


@pytest.fixture(scope="module")
def known() -> Library:
    return load_library()


@pytest.fixture(scope="module")
def examples(known: Library) -> list[Example]:
    return read_examples(known)


def rows(name: str) -> dict[int, dict[str, Any]]:
    """The rows of a table of codes, by number."""
    data, _ = read_yaml((default_folder() / "signatures" / "codes" / f"{name}.yaml").read_text(encoding="utf-8"))
    return {row[data["select"]]: row for row in data["rows"]}


def ids(text: str, known: Library) -> set[str]:
    return {match.id for match in match_text(text, known)}


def test_exit_codes_name_the_signal_of_the_system() -> None:
    named = {number: re.search(r"\((SIG\w+)\)", row["title"]) for number, row in rows("exit-codes").items()}
    found = {number - 128: name[1] for number, name in named.items() if name}
    assert found == {number: signal.Signals(number).name for number in found}
    assert {1, 2, 4, 5, 6, 7, 8, 11, 13, 15, 24, 25} == set(found)


@pytest.mark.parametrize("number", [1, 2, 124, 126, 127, 129, 130, *range(132, 138), 139, 141, 143, 152, 153, 253, 255])
def test_every_exit_code_is_named(number: int, known: Library) -> None:
    name = "process-killed" if number == 137 else f"exit-code-{number}"
    assert name in ids(f"command terminated with exit code {number}", known)


@pytest.mark.parametrize("number", [1, 2, 4, 5, 6, 7, 8, 9, 11, 13, 15, 24, 25])
def test_the_signals_of_torchrun_are_those_of_the_system(number: int, known: Library) -> None:
    text = f"""\
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2025-03-11_10:02:11
  host      : node7
  rank      : 3 (local_rank: 3)
  exitcode  : -{number} (pid: 90211)
  error_file: <N/A>
  traceback : Signal {number} ({signal.Signals(number).name}) received by PID 90211
============================================================"""
    found = [match for match in match_text(text, known) if match.id == "torchrun-signal-text"]
    assert [match.entities["exit_code"] for match in found] == [-number]


@pytest.mark.parametrize("status", [0xC0000005, 0xC0000409, 0xC00000FD, 0xC000013A])
def test_windows_exit_codes_are_known_in_both_signs(status: int, known: Library) -> None:
    name = "win-exit-interrupted" if status == 0xC000013A else "win-process-crashed"
    for number in (status, status - (1 << 32)):
        assert name in ids(f"Process finished with exit code {number}", known)


def test_error_numbers_of_the_examples_are_those_of_the_system(examples: list[Example]) -> None:
    found = {(int(n), text) for one in examples for how in (ERRNO, NAMED) for n, text in how.findall(one.text)}
    assert len(found) >= 8
    wrong = {(n, text, os.strerror(n)) for n, text in found if n in errno.errorcode and os.strerror(n) != text}
    assert wrong == set()


@pytest.mark.parametrize("number", range(1, 9))
def test_every_result_of_nccl_is_named(number: int, known: Library) -> None:
    assert f"nccl-result-{number}" in ids(f"node7:4711:4802 [0] NCCL INFO bootstrap.cc:96 -> {number}", known)


def test_nvml_errors_are_those_of_the_bindings() -> None:
    import pynvml

    known = {value: name for name, value in vars(pynvml).items() if name.startswith("NVML_ERROR_")}
    table = {number: re.match(r"NVML_ERROR_\w+", row["means"]) for number, row in rows("nvml-errors").items()}
    named = {number: name[0] for number, name in table.items() if name}
    assert len(named) == len(table)
    assert {n: named[n] for n in named if n in known} == {n: known[n] for n in named if n in known}
    assert set(known) <= {*named}


def test_nvml_texts_are_those_of_the_bindings() -> None:
    import pynvml

    other = {16: "GPU requires restart", 17: "The operating system has blocked the request.",
             18: "RM has detected an NVML/RM version mismatch."}  # the library itself words these otherwise  # fmt: skip
    titles = {number: row["title"].split(": ", 1)[1] for number, row in rows("nvml-errors").items()}
    for number, text in pynvml.NVMLError._errcode_to_string.items():
        assert text == other.get(number, titles[number])


def test_the_names_of_signals_are_those_of_the_system() -> None:
    from triage.formats.torchrun import SIGNALS

    assert {number: signal.Signals(number).name for number in SIGNALS} == SIGNALS
