"""Made incidents over ranks and hosts, with noise, skewed clocks, zones and lost files: the cause comes first.

`TRIAGE_CHAINS=1000 python -m pytest tests/test_chains.py` is the nightly run.
"""

from __future__ import annotations

import os
from pathlib import Path

import chains

from triage import analyze
from triage.library.loader import load_library
from triage.render.page import plain
from triage.render.terminal import render

COUNT = int(os.environ.get("TRIAGE_CHAINS", "50"))
NEEDED = 0.98


def judged(seed: int, folder: Path) -> tuple[str, bool]:
    made = chains.make(seed)
    report = analyze([chains.write(made, folder / str(seed))], library=load_library())
    top = report.findings[0] if report.findings else None
    right = top is not None and top.role == "cause" and top.id in made.causes and (
        made.rank is None or top.entities.get("rank") == made.rank
    )
    return (
        f"{seed} {made.kind}: {top.id if top else None} rank {top.entities.get('rank') if top else None}, want {made.causes} {made.rank}",
        right,
    )


def test_the_cause_and_its_rank_come_first(tmp_path: Path) -> None:
    wrong = [text for text, right in (judged(seed, tmp_path) for seed in range(COUNT)) if not right]
    assert len(wrong) <= (1 - NEEDED) * COUNT, wrong


def test_the_same_number_makes_the_same_incident() -> None:
    assert chains.make(7) == chains.make(7)
    assert {chains.make(seed).kind for seed in range(60)} == {kind.__name__.strip("_") for kind in chains.KINDS}


def test_the_report_of_512_ranks_fits_a_screen(tmp_path: Path) -> None:
    made = chains.make(0, hosts=128, kind=chains._bus_lost)
    report = analyze([chains.write(made, tmp_path)], library=load_library())
    assert report.findings[0].id in made.causes
    assert report.findings[0].entities["rank"] == made.rank
    rows = plain(render(report, 80, colour=False, fancy=False, everything=False)).split("\n")
    assert len(rows) <= 50
    assert max(map(len, rows)) <= 80
