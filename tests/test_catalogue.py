"""The library knows the whole catalogue of failures: every id, by every wording that is on record for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from triage.library.library import Library
from triage.library.loader import load_library
from triage.pipeline import match_text

CATALOGUE: dict[str, Any] = yaml.load(
    (Path(__file__).parent / "data" / "catalogue.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)


@pytest.fixture(scope="module")
def known() -> Library:
    return load_library()


def missed(known: Library) -> list[tuple[str, str, list[str]]]:
    """The lines of the catalogue that yield neither their id nor one that refines or equals it."""
    refined = known.table().refined
    found = []
    for name, lines in CATALOGUE["lines"].items():
        equal = {name, *CATALOGUE["equal"].get(name, ())}
        for line in lines:
            ids = list(dict.fromkeys(match.id for match in match_text(line, known)))
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


def test_the_wordings_are_known(known: Library) -> None:
    total = sum(map(len, CATALOGUE["lines"].values()))
    wrong = missed(known)
    report = "\n".join(f"{name}: {line[:140]!r} gives {ids}" for name, line, ids in wrong)
    assert total > 1000
    assert len(wrong) <= 0.02 * total, report


def test_every_id_is_known_by_at_least_one_wording(known: Library) -> None:
    wrong = [name for name, _, _ in missed(known)]
    assert [one for one in set(wrong) if wrong.count(one) == len(CATALOGUE["lines"][one])] == []
