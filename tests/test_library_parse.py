from pathlib import Path

import pytest
from small import library, signature, write

from triage.library.loader import load_library
from triage.library.playbook import did_you_mean


def problems(folder: Path, text: str, name: str = "one.yaml") -> list[tuple[int, str]]:
    return [(p.line, p.message) for p in library(folder, {name: text}).problems]


def test_a_typing_error_is_named_with_its_line(tmp_path: Path) -> None:
    assert did_you_mean("titel", ["title", "id"]) == "; did you mean 'title'?"
    assert did_you_mean("zzz", ["title"]) == ""
    text = signature("one", "boom").replace("title:", "titel:")
    found = problems(tmp_path, text)
    assert (2, "unknown field 'titel'; did you mean 'title'?") in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id: [", "not valid YAML"), ("just words", "neither a signature"), (signature("one", "(?=x)y"), "look-around"),
        (signature("one", "(unclosed"), ""), (signature("one", "boom", role="culprit"), "role"),
        (signature("one", "boom", where="['a +']"), ""), (signature("other", "boom"), ""),
    ],
)  # fmt: skip
def test_broken_files_are_problems_and_no_exceptions(tmp_path: Path, text: str, words: str) -> None:
    found = problems(tmp_path, text)
    assert found
    assert any(words in message for _, message in found)


def test_one_broken_file_does_not_take_the_others_along(tmp_path: Path) -> None:
    folder = write(tmp_path, {"bad.yaml": "id: [", "good.yaml": signature("good", "boom")})
    made = load_library([folder], builtin=False, cached=False)
    assert list(made.signatures) == ["good"]
    assert [Path(p.path).name for p in made.problems] == ["bad.yaml"]


def test_a_table_makes_a_signature_of_each_row(tmp_path: Path) -> None:
    files = {
        "headers.yaml": "headers:\n  code: {regex: 'Code (?P<code>[0-9]+)', types: {code: int}}\n",
        "codes.yaml": """\
            table: codes
            use: code
            select: code
            id: 'code-{code}'
            defaults: {severity: error, role: cause, playbook: find-the-cause, sources: ['test']}
            unknown: {id: code-unknown, title: A code of no table, means: It is not known.}
            rows:
              - {code: 1, title: One, means: It is one.}
              - {code: 2, title: Two, means: It is two., severity: fatal}
            """,
    }
    made = library(tmp_path, files)
    assert not made.problems
    assert sorted(made.signatures) == ["code-1", "code-2", "code-unknown"]
    assert (made.signatures["code-2"].severity, made.signatures["code-1"].severity) == ("fatal", "error")
    assert made.signatures["code-1"].table == "codes"


def test_ids_that_were_replaced(tmp_path: Path) -> None:
    good = {"one.yaml": signature("one", "boom"), "replaced.yaml": "old: one\nolder: old\n"}
    assert library(tmp_path / "good", good).replaced == {"old": "one", "older": "old"}
    bad = {"one.yaml": signature("one", "boom"), "replaced.yaml": "one: one\nold: onne\nx: [1]\n"}
    found = [(p.line, p.message) for p in library(tmp_path / "bad", bad).problems]
    assert (1, "'one' is replaced, but exists") in found
    assert (2, "no signature or playbook 'onne'; did you mean 'one'?") in found
    assert (3, "'x' must name the id that took its place") in found
