"""The rows of the decode sheet for NVLink 5."""

from __future__ import annotations

from triage.decode.nvlink import SEVERITY, WORDS
from triage.decode.nvlink_table import ROWS


def test_the_table_is_whole() -> None:
    assert len(ROWS) == 63
    for row in ROWS:
        assert row.severity in SEVERITY
        assert row.now in WORDS
        assert row.later in WORDS
        assert 0 <= row.old < 32 <= 128 > row.new


def test_no_row_is_hidden_by_another() -> None:
    """Unit code, reason and status choose one row; two units of one printed name say the same."""
    seen: set[tuple[int, int | str, int, int]] = set()
    named: dict[tuple[int, str, int, int], set[tuple[str, str, str]]] = {}
    for row in ROWS:
        for reason in row.reasons or (-1,):
            for status in row.statuses or (-1,):
                key = (row.xid, row.new or row.units, reason, status)
                assert key not in seen, row
                seen.add(key)
                for unit in row.units.split("/"):
                    named.setdefault((row.xid, unit, reason, status), set()).add((row.severity, row.now, row.later))
    assert {key: said for key, said in named.items() if len(said) > 1} == {}
