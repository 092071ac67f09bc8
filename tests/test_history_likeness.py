from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sqlalchemy")

from triage.history.likeness import device_of, kinds_of, overlap, root

WORDS = st.sets(st.text(max_size=4), max_size=6)


def test_a_uuid_names_the_device_before_host_and_address() -> None:
    entities = {"host": "node07", "pci": "0000:3b:00", "gpu_uuid": "GPU-1"}
    assert device_of({"entities": entities}) == "GPU-1"
    assert device_of({"entities": entities | {"gpu_uuid": ["GPU-1", "GPU-2"]}}) == "node07 0000:3b:00"


def test_an_address_without_its_host_names_nothing() -> None:
    assert device_of({"entities": {"pci": "0000:3b:00"}}) == ""


def test_context_is_no_kind() -> None:
    found = [{"id": "a", "role": "cause"}, {"id": "b", "role": "context"}]
    assert kinds_of({"findings": found, "unexplained": []}) == {"finding a"}


@pytest.mark.parametrize(("role", "id"), [("cause", "a"), ("unknown", "a"), ("symptom", None)])
def test_the_root_is_the_first_finding_where_it_ended_the_job(role: str, id: str | None) -> None:
    report: dict[str, Any] = {"findings": [{"id": "a", "role": role}]}
    assert root(report).get("id") == id


@given(WORDS, WORDS)
def test_overlap_is_a_share_and_symmetric(one: set[str], other: set[str]) -> None:
    assert 0.0 <= overlap(one, other) == overlap(other, one) <= 1.0
    assert overlap(one, one) == (1.0 if one else 0.0)
