from pathlib import Path

import pytest
from small import library, signature

from triage.library.library import Library
from triage.model import Match
from triage.pipeline import analyze, match_text


def ids(text: str, lib: Library) -> list[str]:
    return [m.id for m in match_text(text, lib)]


def only(text: str, lib: Library) -> Match:
    (match,) = match_text(text, lib)
    return match


OOM = r"asked (?P<requested>[0-9.]+ [GM]iB) of (?P<total>[0-9.]+ GiB)(?:, (?P<free>[0-9.]+ GiB) free)?"
SIZES = "{requested: bytes, total: bytes, free: bytes}"


def test_entities_are_typed_and_helpers_kept_apart(tmp_path: Path) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", r"GPU (?P<pci>[0-9a-fA-F:.]+) after (?P<_n>[0-9]+) tries", types="{pci: pci, _n: int}", where="['_n > 2']")})
    assert only("GPU 00000000:3B:00.0 after 3 tries", lib).entities["pci"] == "0000:3b:00"
    assert ids("GPU 00000000:3B:00.0 after 2 tries", lib) == []


def test_arithmetic_decides_and_the_unknown_does_not_hold(tmp_path: Path) -> None:
    lib = library(tmp_path, {
        "oom.yaml": signature("oom", OOM, types=SIZES),
        "big.yaml": signature("big", OOM, types=SIZES, refines="oom", where="['requested > total']"),
        "pieces.yaml": signature("pieces", OOM, types=SIZES, refines="oom", where="['free >= requested']"),
    })  # fmt: skip
    assert ids("asked 300.0 GiB of 80.0 GiB", lib) == ["big"]
    assert ids("asked 20.0 GiB of 80.0 GiB, 30.0 GiB free", lib) == ["pieces"]
    assert ids("asked 20.0 GiB of 80.0 GiB", lib) == ["oom"]
    assert only("asked 300.0 GiB of 80.0 GiB", lib).entities["requested"] == "300.0 GiB"


def test_let_values_use_each_other(tmp_path: Path) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", "x=(?P<_x>[0-9]+)", types="{_x: int}", let="{twice: '_x * 2', more: 'twice + 1'}", where="['more == 9']")})
    assert ids("x=4", lib) == ["a"]
    assert ids("x=5", lib) == []


def test_a_fallback_is_silent_beside_others(tmp_path: Path) -> None:
    lib = library(tmp_path, {
        "any.yaml": signature("any", "[A-Za-z]+Error", fallback="true"),
        "own.yaml": signature("own", "KeyError"),
    })  # fmt: skip
    assert ids("KeyError: 'x'", lib) == ["own"]
    assert ids("TypeError: y", lib) == ["any"]


@pytest.mark.parametrize(
    ("scope", "text", "wanted"),
    [
        ("record", "boom quiet", []),
        ("record", "boom\nquiet", ["a"]),
        ("before", "quiet\nboom", []),
        ("before", "boom\nquiet", ["a"]),
        ("after", "boom\nquiet", []),
        ("source", "quiet\n" + "x\n" * 50 + "boom", []),
        ("environment", "export MODE=quiet\nboom", []),
        ("environment", "it is quiet\nboom", ["a"]),
    ],
)
def test_scoped_negation(tmp_path: Path, scope: str, text: str, wanted: list[str]) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", "boom", unless=f"[{{regex: quiet, in: {scope}}}]")})
    assert ids(text, lib) == wanted


def test_formats_limit_a_pattern(tmp_path: Path) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", "x", match="[{regex: 'NVRM: boom', formats: [kernel]}]")})
    assert ids("[   12.345678] NVRM: boom", lib) == ["a"]
    assert ids('{"rule": "NVRM: boom"}', lib) == []


def test_a_number_without_a_row_is_named(tmp_path: Path) -> None:
    table = """
    table: code
    use: code
    select: code
    id: 'code-{code}'
    defaults: {severity: error, playbook: find-the-cause, means: It failed., sources: [test]}
    unknown: {id: code-unknown, title: 'Unknown code {code}'}
    rows: [{code: 1, title: One}]
    """
    headers = "headers: {code: {regex: 'code (?P<code>[0-9]+)', types: {code: int}}}\n"
    own = signature("code-7", "x", match="[{use: code, where: 'code == 7'}]")
    lib = library(tmp_path, {"t.yaml": table, "headers.yaml": headers, "code-7.yaml": own})
    assert ids("code 1", lib) == ["code-1"]
    assert ids("code 7", lib) == ["code-7"]
    assert only("code 99", lib).entities["code"] == 99
    assert ids("code 99", lib) == ["code-unknown"]


def test_the_header_tells_who(tmp_path: Path) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", "boom")})
    assert only("[rank3]: boom", lib).entities["rank"] == 3


def test_a_launcher_in_the_log_of_a_rank_speaks_of_another(tmp_path: Path) -> None:
    text = "torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: -9) local_rank: 3 (pid: 4711) of binary: /usr/bin/python3\n"
    (tmp_path / "rank0.log").write_text("E0502 14:01:58.000000 4000 " + text)
    found = [f.entities for f in analyze([tmp_path]).findings if f.id == "torchrun-failed-exitcode"]
    assert [(entities["local_rank"], entities.get("rank")) for entities in found] == [(3, None)]
