from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from tests.desk import XID
from triage import analyze_text
from triage.history import History
from triage.redact import Redactor
from triage.redact.report import redact_report
from triage.render.json import as_dict

LOG = f"2026-11-01T10:00:00+00:00 node07 kernel: {XID.split('] ')[1]}\n"


def run(store: Path, *words: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"TRIAGE_HISTORY": str(store), "COLUMNS": "100", "NO_COLOR": "1"} | variables
    return subprocess.run(
        [sys.executable, "-m", "triage", "history", *words], env=env, input=stdin, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def kept(store: Path) -> str:
    history = History(store)
    report = redact_report(analyze_text(LOG), Redactor(bytes.fromhex(history.salt)))
    return history.add(as_dict(report)).id


def test_a_fault_on_the_same_gpu_was_seen_and_what_helped_is_told(store: Path) -> None:
    id = kept(store)
    assert run(store, "mark", id, "--fixed", "reseated the riser").returncode == 0
    told = run(store, "seen", "-", stdin=LOG)
    assert told.returncode == 0
    assert "Seen once before" in told.stdout
    assert "reseated the riser" in told.stdout
    assert f"100% alike  {id}" in told.stdout


def test_what_was_never_seen_exits_with_1(store: Path) -> None:
    told = run(store, "seen", "-", stdin=LOG)
    assert (told.returncode, told.stdout) == (1, "Not seen before.\n")


def test_logs_that_cannot_be_read_were_not_looked_for(store: Path) -> None:
    told = run(store, "seen", "/no/such")
    assert (told.returncode, told.stdout) == (2, "")
    assert "/no/such: does not exist; check the path" in told.stderr


def test_a_missing_package_is_named(store: Path) -> None:
    code = "import sys; sys.modules['sqlalchemy'] = None\nfrom triage.cli import main\nmain(sys.argv[1:])"
    for words in (("list",), ("seen", "-")):
        told = subprocess.run([sys.executable, "-c", code, "history", *words], capture_output=True, text=True, timeout=60, input=LOG)
        assert told.returncode == 2
        assert "gpu-triage[serve]" in " ".join(told.stderr.split())


def test_no_row_is_wider_than_the_screen_and_none_is_cut(store: Path) -> None:
    kept(store)
    for words in (("list",), ("seen", "-")):
        told = run(store, *words, stdin=LOG, COLUMNS="70")
        assert max(map(len, told.stdout.splitlines())) <= 70
        assert "GPU has fallen off the bus" in " ".join(told.stdout.split())
        assert "…" not in told.stdout


def test_list_show_and_forget(store: Path) -> None:
    id = kept(store)
    assert id in run(store, "list", "--cause", "xid-79").stdout
    assert json.loads(run(store, "list", "--format", "json").stdout)[0]["id"] == id
    assert "fallen off the bus" in run(store, "show", id).stdout
    assert "1 deleted" in run(store, "forget", id).stderr
    assert "no such report" in run(store, "list").stderr
    assert run(store, "forget", id).returncode == 1


@pytest.mark.parametrize("words", [("show", "nothing"), ("mark", "nothing", "--fixed", "x"), ("mark", "x")])
def test_mistakes_say_what_is_wrong(store: Path, words: tuple[str, ...]) -> None:
    told = run(store, *words)
    assert told.returncode == 2
    assert "Traceback" not in told.stderr
    assert "no report" in told.stderr or "give either" in told.stderr


def test_a_store_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database, however long it may be")
    told = run(tmp_path / "x.db", "list")
    assert told.returncode == 2
    assert "cannot be opened" in " ".join(told.stderr.split())
