from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

import httpx2
from fastapi import APIRouter

from tests.desk import XID, desk
from tests.served import live
from triage.serve.app import create
from triage.serve.settings import Settings

PAGE = {"accept": "text/html"}


def broken() -> APIRouter:
    door = APIRouter()

    @door.get("/broken", include_in_schema=False)
    def one() -> None:
        raise RuntimeError("of the log")

    return door


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx2.Client]:
    settings = Settings(text=1 << 20, upload=2 << 20, rate="1000/minute")
    with desk(folder) as made, live(create(made, settings, [broken()])) as url, httpx2.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/v1/reports/x", "DELETE, GET"), ("POST", "/api/v1/limits", "GET"), ("DELETE", "/", "GET, POST"),
    ],
)  # fmt: skip
def test_another_method_is_told_which_there_are(client: httpx2.Client, method: str, path: str, allowed: str) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json() == {"error": "Method Not Allowed"}


@pytest.mark.parametrize(
    ("path", "status"), [("/nothing", 404), ("/r/nothing", 404), ("/r/" + "x" * 50, 422), ("/r/x/pdf", 422), ("/kb/none", 404)]
)
def test_a_person_gets_a_page_and_a_program_json(client: httpx2.Client, path: str, status: int) -> None:
    page = client.get(path, headers=PAGE)
    assert (page.status_code, page.headers["content-type"].split(";")[0]) == (status, "text/html")
    assert 'role="alert"' in page.text
    data = client.get(path)
    assert (data.status_code, list(data.json())) == (status, ["error"])


def test_the_api_speaks_json_to_browsers_too(client: httpx2.Client) -> None:
    answer = client.get("/api/v1/reports/nothing", headers=PAGE)
    assert answer.json() == {"error": "no such report, or it has expired"}


def test_a_page_of_refusal_speaks_chinese(client: httpx2.Client) -> None:
    page = client.get("/r/nothing", headers=PAGE | {"accept-language": "zh-CN"})
    assert "没有这份报告，或已过期" in page.text


def test_an_upload_that_is_too_large_is_told_so_on_the_page(client: httpx2.Client) -> None:
    body = b"x" * (3 << 20)
    page = client.post("/", files={"files": ("big.log", body)}, headers=PAGE)
    assert (page.status_code, "<textarea" in page.text, "more than 2 MiB" in page.text) == (413, True, True)


def test_an_error_of_ours_stays_one(client: httpx2.Client) -> None:
    answer = client.get("/broken")
    assert (answer.status_code, answer.json()) == (500, {"error": "internal error (RuntimeError); please report it"})


def test_a_store_that_does_not_answer_is_503_until_it_does(folder: Path, client: httpx2.Client) -> None:
    id = client.post("/api/v1/analyze", content=XID).json()["id"]
    other = sqlite3.connect(folder / "history.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    other.execute("ALTER TABLE triage_reports RENAME TO moved")
    other.execute("COMMIT")
    try:
        for path in ("/healthz", f"/api/v1/reports/{id}", f"/r/{id}"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "60"), path
        told = client.post("/api/v1/analyze", content=XID).json()  # the cause is told all the same
        assert (told["id"], told["report"]["findings"][0]["id"]) == ("", "xid-79")
        assert "not kept" in told["report"]["notes"][0]
        page = client.post("/", data={"text": XID}, headers=PAGE, follow_redirects=True)
        until = time.monotonic() + 60
        while 'http-equiv="refresh"' in page.text:  # it is still read
            assert time.monotonic() < until
            time.sleep(0.1)
            page = client.get(page.url)
        assert (page.status_code, "fallen off the bus" in page.text, "not kept" in page.text) == (200, True, True)
    finally:
        other.execute("ALTER TABLE moved RENAME TO triage_reports")
        other.close()
    assert client.get("/healthz").status_code == 200
    assert client.get(f"/api/v1/reports/{id}").json()["id"] == id


def test_who_goes_away_before_the_end_of_a_body_is_no_error(client: httpx2.Client) -> None:
    with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
        gone.sendall(b"POST /api/v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nx")
        time.sleep(0.2)
    until = time.monotonic() + 20
    while 'route="/api/v1/analyze",status="499"} 1.0' not in client.get("/metrics").text:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_has_expired_is_deleted_while_it_runs(tmp_path: Path) -> None:
    with desk(tmp_path) as made:
        made.history.keep = 0.0
        made.text(XID)
        made.history.keep = 1000.0
        made.text(XID)
        with live(create(made)):
            count = sqlite3.connect(tmp_path / "history.db")
            until = time.monotonic() + 20
            while (left := count.execute("SELECT count(*) FROM triage_reports").fetchone()[0]) > 1:
                assert time.monotonic() < until
                time.sleep(0.05)
            count.close()
    assert left == 1


def test_the_end_of_the_service_ends_its_processes_and_folders(tmp_path: Path) -> None:
    with desk(tmp_path) as made:
        before = threading.active_count()
        with live(create(made)) as url:
            httpx2.post(f"{url}/api/v1/analyze", content=XID, timeout=60).raise_for_status()
            process = made.workers._all[0]._process
            assert process.is_alive()
        assert not process.is_alive()
        assert threading.active_count() <= before + 1
