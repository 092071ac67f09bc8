import json
from dataclasses import asdict
from pathlib import Path

import pytest
from small import library, signature, write

from triage.library.loader import load_library


def test_the_own_library_has_no_problems() -> None:
    found = load_library(cached=False)
    assert [str(p) for p in found.problems] == []
    assert len(found.signatures) > 300


def test_the_cached_library_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = load_library()
    second = load_library()
    assert list((tmp_path / "gpu-triage").glob("library-*.json"))
    assert dict(second.signatures) == dict(first.signatures)
    assert second.links == first.links
    assert dict(second.playbooks) == dict(first.playbooks)
    assert json.dumps(asdict(second.table())) == json.dumps(asdict(first.table()))


def test_a_tampered_cache_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_library()
    for file in (tmp_path / "gpu-triage").glob("library-*.json"):
        file.write_text('{"signatures": {"x": {}}}')
    assert len(load_library().signatures) > 300


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("id: a\ntitel: x\n", 2, "unknown field 'titel'; did you mean 'title'"),
        ("id: a\ntitle: x\nmatch: [{regex: b}]\nmeans: m\nsources: [s]\nseverity: bad\nplaybook: find-the-cause\n", 6, "severity"),
        ("id: a\ntitle: x\n  oops: [\n", 3, "not valid YAML"),
        (signature("b", "x"), 1, "is not the file's name"),
        (signature("a", "x", playbook="find-the-cuase"), 1, "did you mean 'find-the-cause'"),
        (signature("a", "x", where="['1 +']"), 1, "unexpected"),
        (signature("a", "x", types="{pci: pcie}"), 9, "type 'pcie'"),
        (signature("a", "x", match="[{use: nowhere}]"), 1, "unknown header 'nowhere'"),
        (signature("a", "x") + "title: again\n", 9, "'title' stands twice"),
        (signature("a", "x", sources="[]"), 1, "`sources` is empty"),
        (signature("a", "x(?=y)"), 5, "look-around"),
        (signature("a", "x["), 5, "'x[' does not compile: missing ]"),
    ],
)
def test_each_fault_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    found = library(tmp_path, {"a.yaml": text, "good.yaml": signature("good", "fine")})
    assert any(words in p.message and p.line == line for p in found.problems), found.problems
    assert "good" in found.signatures


def test_a_later_folder_overrides_and_says_so(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"a.yaml": signature("a", "x")})
    two = write(tmp_path / "two", {"a.yaml": signature("a", "y", title="mine")})
    found = load_library([one, two], builtin=False, cached=False)
    assert found.signatures["a"].title == "mine"
    assert any("signature a" in note and "replaces" in note for note in found.notes)


def test_a_table_makes_one_signature_for_each_row(tmp_path: Path) -> None:
    table = """
    table: code
    use: code
    select: code
    id: 'code-{code}'
    defaults: {severity: error, playbook: find-the-cause, means: It failed., sources: [test]}
    unknown: {id: code-unknown, title: An unknown code}
    rows:
      - {code: 1, title: One}
      - {code: 2, title: Two, role: symptom}
    """
    headers = "headers: {code: {regex: 'code (?P<code>[0-9]+)', types: {code: int}}}\n"
    found = library(tmp_path, {"t.yaml": table, "headers.yaml": headers})
    assert found.problems == []
    assert sorted(found.signatures) == ["code-1", "code-2", "code-unknown"]
    assert found.signatures["code-2"].role == "symptom"


def test_a_missing_folder_is_a_problem(tmp_path: Path) -> None:
    found = load_library([tmp_path / "nowhere"], builtin=False, cached=False)
    assert "does not exist" in found.problems[0].message


def test_a_folder_without_signatures_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    assert [p.message for p in load_library([tmp_path]).problems] == [
        "this folder holds no signature (*.yaml) and no playbook (*.md)"
    ]
