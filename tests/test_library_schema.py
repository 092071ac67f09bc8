"""What a signature file may hold."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from triage.library import schema

WHOLE: dict[str, Any] = {
    "id": "boom", "title": "Boom", "match": [{"regex": "boom"}], "means": "It failed.", "playbook": "find-the-cause",
    "sources": ["a test"],
}  # fmt: skip


def test_defaults() -> None:
    one = schema.SignatureFile(**WHOLE)
    assert (one.role, one.status, one.confidence, one.action) == ("cause", "stable", "likely", "none")
    assert one.key == ["host", "pci", "rank"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"match": []}, "needs `match` or `derive`"),
        ({"means": " "}, "`means` is empty"),
        ({"sources": []}, "`sources` is empty"),
        ({"playbook": None}, "`playbook` is missing"),
        ({"match": [{"regex": "a", "use": "xid"}]}, "either `use` or `regex`"),
        ({"match": [{"formats": ["kernel"]}]}, "needs `regex`, `use`, or `formats` with `where`"),
        ({"types": {"pci": "adress"}}, "type 'adress' of 'pci' is unknown"),
        ({"id": "Boom"}, "String should match pattern"),
        ({"severty": "fatal"}, "Extra inputs are not permitted"),
        ({"unless": [{"regex": "a", "in": "somewhere"}]}, "Input should be"),
    ],
)
def test_what_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said.replace("[", r"\[")):
        schema.SignatureFile(**{**WHOLE, **change})


def test_facts_need_no_playbook_and_one_condition_may_stand_alone() -> None:
    one = schema.SignatureFile(**{**WHOLE, "role": "context", "playbook": None, "where": "xid == 1"})
    assert one.where == ["xid == 1"]


def test_a_link_has_a_known_strength() -> None:
    assert schema.LinkFile(cause="a", effect="b").strength == "usual"
    with pytest.raises(ValidationError):
        schema.LinkFile(cause="a", effect="b", strength="certain")
