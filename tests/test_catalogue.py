"""The library knows the whole catalogue of failures: every id, by every wording that is on record for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from triage.library.library import Library
from triage.library.loader import load_library
from triage.pipeline import match_texts

CATALOGUE: dict[str, Any] = yaml.load(
    (Path(__file__).parent / "data" / "catalogue.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)


@pytest.fixture(scope="module")
def known() -> Library:
    return load_library()


@pytest.fixture(scope="module")
def missed(known: Library) -> list[tuple[str, str, list[str]]]:
    """The lines of the catalogue that yield neither their id nor one that refines or equals it, with what they yield."""
    refined = known.table().refined
    named = [(name, line) for name, lines in CATALOGUE["lines"].items() for line in lines]
    found = []
    for (name, line), matches in zip(named, match_texts([(line, "paste") for _, line in named], known), strict=True):
        ids = list(dict.fromkeys(match.id for match in matches))
        equal = {name, *CATALOGUE["equal"].get(name, ())}
        if not any(one in equal or name in refined.get(one, ()) for one in ids):
            found.append((name, line, ids))
    return found


def test_every_id_is_a_signature(known: Library) -> None:
    ids = [*CATALOGUE["lines"], *CATALOGUE["without_lines"]]
    assert [one for one in ids if one not in known.signatures and one not in CATALOGUE["missing"]] == []


def test_no_reason_is_out_of_date(known: Library) -> None:
    assert [one for one in CATALOGUE["missing"] if one in known.signatures] == []
    equal = [one for ids in CATALOGUE["equal"].values() for one in ids]
    assert [one for one in equal if one not in known.signatures] == []
    assert set(CATALOGUE["without_lines"]).isdisjoint(CATALOGUE["lines"])


def test_the_wordings_are_known(missed: list[tuple[str, str, list[str]]]) -> None:
    total = sum(map(len, CATALOGUE["lines"].values()))
    report = "\n".join(f"{name}: {line[:140]!r} gives {ids}" for name, line, ids in missed)
    assert total > 1000
    assert len(missed) <= 0.02 * total, report


def test_every_id_is_known_by_at_least_one_wording(missed: list[tuple[str, str, list[str]]]) -> None:
    wrong = [name for name, _, _ in missed]
    assert [one for one in set(wrong) if wrong.count(one) == len(CATALOGUE["lines"][one])] == []


def test_the_document_names_what_is_no_signature_and_why() -> None:
    """docs/library.md keeps the same list for readers."""
    text = (Path(__file__).parent.parent / "docs" / "library.md").read_text(encoding="utf-8")
    section = text.split("## What is no signature")[1].split("\n## ")[0]
    assert dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", section, re.M)) == CATALOGUE["missing"]
