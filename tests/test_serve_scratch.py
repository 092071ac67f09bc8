from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.desk import XID
from tests.served import served
from triage.serve.scratch import scratch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders of dead services are swept on POSIX alone")


def held(parent: Path) -> list[str]:
    """The files in the folders of services, without locks."""
    return [path.name for path in parent.rglob("*") if path.is_file() and path.name != "in-use"]


def test_temporary_files_lie_in_one_folder_that_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with scratch() as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o077 == 0
        assert Path(tempfile.mkdtemp()).parent == folder
        child = [sys.executable, "-c", "import tempfile; print(tempfile.gettempdir())"]
        assert subprocess.run(child, capture_output=True, text=True, check=True).stdout.strip() == str(folder)
        with scratch() as other:  # a second service does not take it for that of a dead one
            assert other.parent == folder
        with scratch():
            assert folder.exists()
    assert list(tmp_path.iterdir()) == []
    assert os.environ["TMPDIR"] == str(tmp_path)


def test_the_folder_of_a_dead_service_is_swept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ("triage-serve-dead", "triage-serve-strange", "triage-other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "upload.log").write_text("secret")
    (tmp_path / "triage-serve-dead" / "in-use").touch()
    (tmp_path / "triage-serve-link").symlink_to(tmp_path / "triage-other")
    with scratch():
        left = sorted(path.name for path in tmp_path.iterdir() if "new" not in path.name)
    assert "triage-serve-dead" not in left
    assert {"triage-serve-strange", "triage-other", "triage-serve-link"} <= set(left)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_an_upload_does_not_outlive_the_service_that_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    places = tmp_path / "tmp"
    places.mkdir()
    monkeypatch.setenv("TMPDIR", str(places))
    body = "".join(f"[{at}.0] usb 1-1: new device number {at}\n" for at in range(600_000)) + XID

    told: list[int] = []

    with served(tmp_path / "history.db") as (url, process):

        def send() -> None:
            with suppress(httpx2.HTTPError):
                files = {"files": ("customer.log", body.encode())}
                told.append(httpx2.post(f"{url}/api/v1/analyze", files=files, timeout=60).status_code)

        sender = threading.Thread(target=send)
        sender.start()
        until = time.monotonic() + 60
        while "customer.log" not in held(places):
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(how)
        process.wait(60)
        sender.join()
        if how is signal.SIGKILL:
            assert "customer.log" in held(places)
            with served(tmp_path / "history.db"):
                assert held(places) == []
        else:
            assert told == [200]  # what has begun is ended first
            assert held(places) == []
