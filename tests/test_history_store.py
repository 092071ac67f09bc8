from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from triage import analyze_text
from triage.render.json import as_dict

pytest.importorskip("sqlalchemy")

from triage.history import DAY, History, HistoryError

XID = "kernel: NVRM: Xid (PCI:0000:{bus}:00): 79, pid=1234, name=python, GPU has fallen off the bus."


def report(bus: str = "3b", host: str = "node07") -> dict[str, Any]:
    return as_dict(analyze_text(f"2026-11-01T10:00:00+00:00 {host} " + XID.format(bus=bus)))


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[History]:
    url = request.getfixturevalue("database") if request.param == "postgresql" else str(tmp_path / "new" / "history.db")
    store = History(url)
    for entry in store.entries():
        store.forget(entry.id)
    yield store
    store.close()


def test_what_is_added_comes_back_whole(history: History) -> None:
    kept = history.add(report(), "the\0text \U0001f525", scope="T1/C1")
    found = history.get(kept.id)
    assert found is not None
    entry, body, text = found
    assert body == report() | {"stats": body["stats"]}
    assert text == "the\N{REPLACEMENT CHARACTER}text \U0001f525"
    assert (entry.cause, entry.host, entry.device, entry.scope) == ("xid-79", "node07", "node07 0000:3b:00", "T1/C1")
    assert len(kept.id) >= 22


def test_the_same_gpu_again_is_seen_before_and_tells_what_helped(history: History) -> None:
    first, other = history.add(report()), history.add(report(bus="86"))
    history.mark(first.id, "fixed", "reseated the riser")
    history.mark(other.id, "fixed", "new power supply")
    again = history.add(report())
    seen = history.seen(report(), but=again.id)
    assert seen is not None
    assert (seen.where, seen.count, seen.helped) == ("node07 0000:3b:00", 1, ["reseated the riser"])


def test_another_gpu_of_the_host_is_looked_for_next_then_any_host(history: History) -> None:
    history.add(report(bus="86"))
    history.add(report(host="node09"))
    near = history.seen(report())
    assert near is not None
    assert (near.where, near.count) == ("node07", 1)
    far = history.seen(report(host="node11"))
    assert far is not None
    assert (far.where, far.count) == ("", 2)


def test_a_scope_sees_only_its_own(history: History) -> None:
    kept = history.add(report(), scope="T1/C1")
    assert history.seen(report(), scope="T2/C9") is None
    assert history.nearest(report(), scope="T2/C9") == []
    assert [entry.id for entry in history.entries(scope="T1/C1")] == [kept.id]


def test_what_a_person_called_not_the_same_never_counts_again(history: History) -> None:
    kept = history.add(report())
    history.mark(kept.id, "not-same")
    assert history.seen(report()) is None


def test_an_unknown_cause_is_not_compared(history: History) -> None:
    healthy = as_dict(analyze_text("all is well"))
    history.add(healthy)
    assert history.seen(healthy) is None


def test_only_the_token_deletes(history: History) -> None:
    kept = history.add(report())
    history.mark(kept.id, "helpful")
    assert not history.forget(kept.id, "guess")
    assert history.forget(kept.id, kept.token)
    assert history.get(kept.id) is None
    assert not history.forget(kept.id, kept.token)


def test_nearest_are_those_with_the_same_findings(history: History) -> None:
    same = history.add(report())
    history.add(as_dict(analyze_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")))
    (share, entry), *rest = history.nearest(report())
    assert (share, entry.id, rest) == (1.0, same.id, [])


def test_expired_reports_are_gone_at_once_and_purged(tmp_path: Path) -> None:
    history = History(tmp_path / "history.db", keep=-DAY)
    kept = history.add(report())
    assert history.get(kept.id) is None
    assert history.seen(report()) is None
    assert (history.purge(), history.purge()) == (1, 0)


def test_marks_are_checked(history: History) -> None:
    kept = history.add(report())
    with pytest.raises(HistoryError, match="no mark 'great': one of fixed"):
        history.mark(kept.id, "great")  # type: ignore[arg-type]
    with pytest.raises(HistoryError, match="no report"):
        history.mark("nothing", "fixed")


def test_the_salt_stays(tmp_path: Path) -> None:
    assert History(tmp_path / "h.db").salt == History(tmp_path / "h.db").salt
    assert History(tmp_path / "h.db").salt != History(tmp_path / "other.db").salt


def test_a_store_that_cannot_be_opened_says_why_without_the_password(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_bytes(b"this is no database, however long it may be")
    with pytest.raises(HistoryError, match=r"no\.db cannot be opened: .*not a database"):
        History(tmp_path / "no.db")
    with pytest.raises(HistoryError) as told:
        History("postgresql+psycopg://me:secret@127.0.0.1:1/x")
    assert "secret" not in str(told.value).split("cannot be opened")[0]


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    import sqlite3

    History(tmp_path / "h.db").close()
    with sqlite3.connect(tmp_path / "h.db") as db:
        db.execute("UPDATE triage_meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(HistoryError, match="newer triage"):
        History(tmp_path / "h.db")


def test_a_killed_writer_loses_no_finished_report(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    code = (
        "import os, sys; from triage.history import History\n"
        "h = History(sys.argv[1]); empty = {'findings': [], 'unexplained': [], 'verdict': 'healthy', 'summary': ''}\n"
        "while True: print(h.add(empty).id, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        ids = [writer.stdout.readline().strip() for _ in range(20)]
        writer.kill()
        ids += [line.strip() for line in writer.stdout if line.endswith("\n")]
    stored = {entry.id for entry in History(path).entries(limit=100_000)}
    assert set(ids) <= stored


def test_a_clock_that_goes_back_loses_nothing(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + DAY)
    ahead = history.add(report())
    monkeypatch.setattr(time, "time", lambda: now)
    here = history.add(report())
    assert history.get(ahead.id) is not None
    assert history.get(here.id) is not None
    seen = history.seen(report())
    assert seen is not None
    assert (seen.count, seen.first, seen.last) == (2, now, now + DAY)
    assert history.purge() == 0


def test_a_database_that_goes_away_is_told_and_found_again() -> None:
    with postgres.server() as url:
        store = History(url)
        kept = store.add(report(), "text")
        with postgres.stopped(url):
            began = time.monotonic()
            with pytest.raises(HistoryError, match="does not answer") as told:
                store.get(kept.id)
            assert time.monotonic() - began < 15
            assert "SELECT" not in str(told.value)
        assert store.get(kept.id) is not None
        assert store.add(report()).id
        store.close()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_a_new_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = History(tmp_path / "new" / "history.db")
    store.add(report())
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "new", *(tmp_path / "new").iterdir())} == {0}
    store.close()


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    store = History(tmp_path / "history.db")
    mark = "a line that only this log has"
    kept = store.add(report(), f"{mark}\n" * 3)
    store.close()  # the last connection folds the write-ahead log into the file
    assert mark.encode() in (tmp_path / "history.db").read_bytes()
    assert store.forget(kept.id, kept.token)
    store.close()
    assert mark.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
