"""The examples of the library, where they stand, and what the pipeline makes of them in one batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from linted import FILES
from small import library, signature

from triage.library.loader import load_library
from triage.library.proof import Proof, place_of, read_examples, regexes_of
from triage.pipeline import match_text, match_texts


@pytest.fixture
def small(tmp_path: Path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_library([tmp_path], builtin=False, cached=False)


def test_examples_carry_their_line(small) -> None:
    found = {(Path(one.path).name, one.line): one for one in read_examples(small)}
    one = found["xid-79.yaml", 16]
    assert (one.id, one.wanted, one.entities) == ("xid-79", True, {"pci": "0000:82:00", "xid": 79})
    lines = Path(one.path).read_text().split("\n")
    assert one.text in lines[one.line - 1]
    assert sorted(one.wanted for one in found.values()) == [False, False, True, True]


def test_a_pattern_of_a_header_is_placed_there(small) -> None:
    (regex,) = regexes_of(small.signatures["xid-79"])
    path, line = place_of(small.signatures["xid-79"], regex)
    assert (Path(path).name, line) == ("headers.yaml", 4)
    (own,) = regexes_of(small.signatures["cuda-oom"])
    assert Path(place_of(small.signatures["cuda-oom"], own)[0]).name == "cuda-oom.yaml"


def test_a_batch_gives_what_each_text_gives_by_itself(small) -> None:
    texts = [one.text for one in read_examples(small)]
    apart = [[(m.id, m.entities) for m in match_text(text, small)] for text in texts]
    batch = match_texts([(text, "paste") for text in texts], small)
    assert [[(m.id, m.entities) for m in one] for one in batch] == apart
    assert any(apart)


def test_texts_of_a_batch_do_not_see_each_other(tmp_path: Path) -> None:
    lib = library(tmp_path, {
        "a.yaml": signature("a", "boom", unless="[{regex: 'quiet', in: source}]"),
        "b.yaml": signature("b", "bang", unless="[{regex: 'SET_QUIET=1', in: environment}]"),
    })  # fmt: skip
    batch = match_texts([("boom", "x"), ("quiet\nboom", "y"), ("export SET_QUIET=1\nbang", "z"), ("bang", "w")], lib)
    assert [[m.id for m in one] for one in batch] == [["a"], [], [], ["b"]]


def test_a_signature_with_a_broken_pattern_is_left_out(tmp_path: Path) -> None:
    lib = library(tmp_path, {"a.yaml": signature("a", "boom"), "b.yaml": signature("b", "ok")})
    lib.signatures["a"].match[0].regex = "bo(om"
    proof = Proof(lib, [])
    assert "bo(om" in proof.broken
    assert list(proof.sound.signatures) == ["b"]
