from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from tests.desk import HEALTHY, XID, desk
from triage.serve.app import create
from triage.serve.settings import Settings

EVIL = "<script>alert(1)</script> </textarea> \x1b]0;x\x07 <img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(url="https://triage.example", rate="1000/minute")
    with desk(tmp_path_factory.mktemp("desk")) as made, TestClient(create(made, settings), base_url=settings.url) as client:
        yield client


def pasted(client: TestClient, text: str) -> str:
    """The path of the report."""
    answer = client.post("/", data={"text": text}, follow_redirects=False)
    return arrived(client, answer).headers["location"]


def arrived(client: TestClient, answer: Any) -> Any:
    """The redirection to the report, after pages of progress."""
    until = time.monotonic() + 60
    while not (where := answer.headers.get("location", "")).startswith("/r/"):
        assert answer.status_code in (200, 303), answer.text
        assert time.monotonic() < until, "the report did not come"
        time.sleep(0.05)
        answer = client.get(where or str(answer.url), follow_redirects=False)
    return answer


def test_a_paste_becomes_a_report_with_a_link_that_nobody_guesses(client: TestClient) -> None:
    path = pasted(client, XID)
    page = client.get(path)
    assert page.status_code == 200
    assert "fallen off the bus" in page.text
    assert len(path.removeprefix("/r/")) >= 22
    assert re.search(r"kept until \d{4}-\d\d-\d\d", page.text)


def test_files_are_read_as_one_incident(client: TestClient) -> None:
    files = [("files", ("dmesg.txt", XID.encode())), ("files", ("b.log", HEALTHY.encode()))]
    answer = arrived(client, client.post("/", files=files, follow_redirects=False))
    assert "dmesg.txt" in client.get(answer.headers["location"]).text


def test_each_line_of_the_log_can_be_linked(client: TestClient) -> None:
    path = pasted(client, f"first\x0c\x85\u2028half\r\nsecond\n{XID}")
    page = client.get(f"{path}/log").text
    assert '<span id="L3"><a href="#L3">3</a>' in page
    assert page.count('<span id="L') == 3
    assert f'<a class="n" href="{path}/log#L3">3</a>' in client.get(path).text  # as the report counts


@pytest.mark.parametrize(("form", "says"), [("md", "## FAULT"), ("txt", "CAUSE"), ("slack", "*FAULT"), ("json", '"verdict"')])
def test_a_report_can_be_copied(client: TestClient, form: str, says: str) -> None:
    assert says in client.get(f"{pasted(client, XID)}/{form}").text


def test_log_text_is_shown_and_not_obeyed(client: TestClient) -> None:
    path = pasted(client, f"{EVIL}\n{XID} {EVIL}")
    for page in (client.get(path).text, client.get(f"{path}/log").text):
        assert not re.search(r"<script>alert|<img src", page)
        assert "\x1b" not in page


def test_an_empty_paste_is_told_so_on_the_page(client: TestClient) -> None:
    answer = client.post("/", data={"text": "  "})
    assert answer.status_code == 422
    assert "nothing was pasted" in answer.text
    assert "<textarea" in answer.text


def test_only_who_pasted_deletes(client: TestClient) -> None:
    path = pasted(client, XID)
    assert "Delete" in client.get(path).text
    jar = dict(client.cookies)
    client.cookies.clear()
    assert "Delete" not in client.get(path).text
    assert client.post(f"{path}/delete").status_code == 403
    client.cookies.update(jar)
    assert client.post(f"{path}/delete").status_code == 200
    assert client.get(path).status_code == 404


def test_what_fixed_it_is_said_the_next_time(client: TestClient) -> None:
    log = f"2026-11-01T10:00:00+00:00 node77 kernel: {XID.split('] ')[1]}"
    path = pasted(client, log)
    assert client.post(f"{path}/mark", data={"kind": "fixed", "said": "reseated <b>it</b>"}).status_code == 200
    page = client.get(pasted(client, log)).text
    assert "helped then: reseated &lt;b&gt;it&lt;/b&gt;" in page


def test_a_form_of_another_site_is_refused(client: TestClient) -> None:
    path = pasted(client, XID)
    headers = {"sec-fetch-site": "cross-site"}
    assert client.post(f"{path}/mark", data={"kind": "fixed", "said": "x"}, headers=headers).status_code == 403
    assert client.post("/", data={"text": XID}, headers=headers).status_code == 403


def test_the_page_speaks_chinese_and_remembers_it(client: TestClient) -> None:
    assert "粘贴日志" in client.get("/", params={"lang": "zh"}).text
    assert "粘贴日志" in client.get("/").text
    assert "Paste a log" in client.get("/", params={"lang": "en"}).text


def test_the_knowledge_base_is_there_and_searchable(client: TestClient) -> None:
    assert 'id="query"' in client.get("/kb/").text
    assert "fallen off the bus" in client.get("/kb/s/xid-79.html").text


@pytest.mark.parametrize("path", ["/r/nothing", "/jobs/nothing", "/r/nothing/log", "/r/..%2f..%2fetc/md"])
def test_what_is_not_there_is_404(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_nobody_gets_the_link_of_somebody_elses_report(client: TestClient) -> None:
    first = pasted(client, XID)
    page = client.get(pasted(client, XID)).text
    assert "Earlier reports like this one" in page
    assert first not in page


def test_the_token_that_deletes_is_kept_from_scripts_and_open_lines(client: TestClient) -> None:
    answer = arrived(client, client.post("/", data={"text": XID}, follow_redirects=False))
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "secure", "samesite=strict", "path=/r/", "max-age=7776000"))
