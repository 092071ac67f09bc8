from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from tests.desk import HEALTHY, XID, desk
from triage.history import HistoryError
from triage.serve.desk import TEXT_MOST, Desk, open_desk
from triage.serve.workers import TooLarge, Unusable

LOG = f"2026-11-01T10:00:00+00:00 node77 kernel: {XID.split('] ')[1]}"
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as one:
        yield one


def test_the_second_report_of_a_device_knows_the_first_within_its_scope(made: Desk) -> None:
    first = made.text(LOG, scope="a")
    second = made.text(LOG, scope="a")
    other = made.text(LOG, scope="b")
    assert first.seen is None
    assert second.seen is not None
    assert second.seen.count == 1
    assert second.report["notes"][0].startswith("Seen once before")
    assert [entry.id for _, entry in second.near] == [first.kept and first.kept.id]
    assert (other.seen, other.near) == (None, [])


def test_what_is_not_to_be_kept_is_known_to_nobody(made: Desk) -> None:
    assert made.text(LOG, scope="c", keep=False).kept is None
    assert made.text(LOG, scope="c").seen is None


def test_a_secret_and_a_host_reach_neither_the_report_nor_the_store(made: Desk, tmp_path: Path) -> None:
    text = f"2026-11-01T10:00:00+00:00 node-of-acme kernel: token={SECRET}\n{LOG.replace('node77', 'node-of-acme')}"
    (tmp_path / "node-of-acme.log").write_text(text)
    for answer in (made.text(text), made.files([tmp_path / "node-of-acme.log"])):
        assert answer.removed
        assert answer.kept
        found = made.history.get(answer.kept.id)
        assert found is not None
        assert SECRET not in f"{answer.report} {found}"
        assert "node-of-acme" not in f"{answer.report} {found}"


def test_files_of_one_incident_are_one_report(made: Desk, tmp_path: Path) -> None:
    (tmp_path / "dmesg.txt").write_text(XID)
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / "dmesg.txt").write_text(HEALTHY)
    answer = made.files([tmp_path / "dmesg.txt", tmp_path / "2" / "dmesg.txt"])
    assert [source["name"] for source in answer.report["sources"]] == ["dmesg.txt", "2/dmesg.txt"]


@pytest.mark.parametrize(("text", "error"), [(" \n\t", Unusable), ("x" * (TEXT_MOST + 1), TooLarge)])
def test_what_cannot_be_a_log_is_refused_before_it_is_analysed(made: Desk, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        made.text(text)


def test_a_store_that_does_not_answer_hides_no_cause(tmp_path: Path) -> None:
    with desk(tmp_path) as made:
        other = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
        other.execute("ALTER TABLE triage_reports RENAME TO moved")
        answer = made.text(LOG)
        assert answer.report["findings"][0]["id"] == "xid-79"
        assert (answer.kept, answer.seen) == (None, None)
        assert "not kept" in answer.report["notes"][0]
        with pytest.raises(HistoryError) as told:
            made.history.entries()
        assert "no such table" in str(told.value)
        assert "SELECT" not in str(told.value)
        other.close()


def test_a_desk_without_a_store_keeps_nothing_beyond_its_process() -> None:
    made = open_desk(None, workers=1)
    try:
        assert made.text(LOG).kept is not None
        assert made.text(LOG).seen is not None  # while it runs
    finally:
        made.close()
    again = open_desk(None, workers=1)
    try:
        assert again.text(LOG).seen is None
    finally:
        again.close()
