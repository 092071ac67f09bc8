from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from triage import analyze_text
from triage.history import Seen
from triage.history.recurrence import changed_by, noted, sentence
from triage.render.json import as_dict

WHEN = 1_793_606_400.0  # 2026-11-02


def report() -> dict[str, Any]:
    text = "2026-11-01T10:00:00+00:00 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off the bus."
    return as_dict(analyze_text(text))


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (Seen("xid-79", "node07 0000:3b:00", 1, WHEN, WHEN), "Seen once before on node07 0000:3b:00, last on 2026-11-02."),
        (Seen("xid-79", "", 12, WHEN, WHEN), "Seen 12 times before on other machines, last on 2026-11-02."),
        (
            Seen("xid-79", "node07", 2, WHEN, WHEN, ["new riser", "firmware", "power lead", "a fourth"]),
            "Seen 2 times before on node07, last on 2026-11-02; helped then: new riser; firmware; power lead.",
        ),
    ],
)
def test_what_was_seen_is_a_sentence_that_is_found_again(seen: Seen, said: str) -> None:
    assert sentence(seen) == said
    assert changed_by(report(), seen)["notes"][0] == said
    assert noted(["Something else.", said]) == said


@pytest.mark.parametrize("notes", [[], ["Seen in the log: nothing"], ["It was Seen once before on x"]])
def test_other_notes_are_not_taken_for_it(notes: list[str]) -> None:
    assert noted(notes) == ""


def test_on_the_same_device_the_steps_for_a_fault_that_returns_come_before_the_fix() -> None:
    def order(told: dict[str, Any]) -> list[str]:
        return list(dict.fromkeys(step["section"] for step in told["findings"][0]["playbook"]["steps"]))

    first = report()
    here = changed_by(first, Seen("xid-79", "node07", 1, WHEN, WHEN))
    elsewhere = changed_by(first, Seen("xid-79", "", 1, WHEN, WHEN))
    assert order(first).index("If it returns") > order(first).index("Fix")
    assert order(here).index("Confirm") < order(here).index("If it returns") < order(here).index("Fix")
    assert order(elsewhere) == order(first)
    assert changed_by(first, None) == first == report() | {"stats": first["stats"]}  # what was given is not changed
