"""The library as plain dataclasses survives its cache."""

from __future__ import annotations

import json

from triage.library.library import Problem, freeze_signature, thaw_signature
from triage.library.loader import load_library

KNOWN = load_library(cached=False)


def test_every_signature_comes_back_from_its_stored_form() -> None:
    for one in KNOWN.signatures.values():
        assert thaw_signature(json.loads(json.dumps(freeze_signature(one)))) == one


def test_what_is_empty_is_not_stored() -> None:
    data = freeze_signature(KNOWN.signatures["nccl-version"])
    assert "playbook" not in data
    assert all(data.values())


def test_the_table_is_made_once_and_holds_every_pattern() -> None:
    table = KNOWN.table()
    assert table is KNOWN.table()
    used = {name for users in table.users for name, _ in users}
    for keyed in table.keyed:
        for rows in keyed.values():
            used |= {name for users in rows.values() for name, _ in users}
    used |= {name for users in table.structured.values() for name, _ in users}
    assert {one.id for one in KNOWN.signatures.values() if one.match} == used


def test_a_problem_reads_as_editors_want_it() -> None:
    assert str(Problem("signatures/a.yaml", 3, "is wrong")) == "signatures/a.yaml:3: is wrong"
