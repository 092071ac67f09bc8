"""Lists of signatures and their numbers."""

from __future__ import annotations

import pytest

from triage.library.loader import load_library
from triage.library.proof import read_examples
from triage.render import catalogue
from triage.render.page import Row
from triage.render.text import cells

KNOWN = load_library()
NVIDIA = [one for one in KNOWN.signatures.values() if one.family == "pcie"]


def text(rows: list[Row]) -> list[str]:
    return ["".join(part for part, _ in row) for row in rows]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_list_fits_its_width_and_names_every_id(width: int) -> None:
    rows = text(catalogue.signatures(NVIDIA, width))
    assert max(map(cells, rows)) <= width
    assert [row.split()[0] for row in rows if row.startswith("  ")] == sorted(one.id for one in NVIDIA)


def test_the_numbers_add_up() -> None:
    data = catalogue.stats_dict(list(KNOWN.signatures.values()), read_examples(KNOWN), KNOWN)
    assert data["signatures"] == len(KNOWN.signatures) == sum(data["roles"].values())
    for key in ("signatures", "match", "ignore", "drafts"):
        assert sum(row[key] for row in data["families"]) == data[key]
    assert data["links"] == len(KNOWN.links)


def test_an_example_counts_for_the_family_of_its_file() -> None:
    examples = read_examples(KNOWN)
    data = catalogue.stats_dict(NVIDIA, examples, KNOWN)
    own = {one.path for one in NVIDIA}
    assert data["match"] == sum(one.wanted for one in examples if one.path in own) > 0
    assert [row["family"] for row in data["families"]] == ["pcie"]


def test_plain_data_names_what_a_program_needs() -> None:
    rows = catalogue.signatures_dict(NVIDIA)
    assert all({"id", "title", "role", "severity", "playbook"} <= row.keys() for row in rows)
    assert len(rows) == len(NVIDIA)


def test_no_signature_is_an_empty_list() -> None:
    assert text(catalogue.signatures([])) == []
