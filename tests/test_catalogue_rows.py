"""Every row of every table is known by a message of its table's form, and by no other number."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from triage.library.loader import load_library
from triage.library.proof import read_examples
from triage.pipeline import match_texts

KNOWN = load_library()
EXAMPLES = [one for one in read_examples(KNOWN) if one.table and one.wanted]
ROWS: dict[str, dict[str, int]] = defaultdict(dict)  # table -> id -> number
for _one in KNOWN.signatures.values():
    if _one.table and not _one.unknown_of and (_found := re.search(r"(\d+)$", _one.id)):
        ROWS[_one.table][_one.id] = int(_found[1])


@pytest.mark.parametrize("table", sorted(ROWS))
def test_each_row_holds_on_a_message_with_its_number(table: str) -> None:
    rows = ROWS[table]
    forms = [e for e in EXAMPLES if e.table == table and e.id in rows and re.search(rf"\b{rows[e.id]}\b", e.text)]
    assert forms, "the table has no example that holds the number of its row"
    own = rows[forms[0].id]
    texts = [(re.sub(rf"\b{own}\b", str(number), forms[0].text), "paste") for number in rows.values()]
    wrong = {
        name: [m.id for m in matches]
        for name, matches in zip(rows, match_texts(texts, KNOWN), strict=True)
        if [m.id for m in matches if KNOWN.signatures[m.id].table == table] != [name]
    }
    assert wrong == {}
