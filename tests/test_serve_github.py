from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("fastapi")

from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from tests.desk import HEALTHY, XID, desk
from triage.serve import github
from triage.serve.app import create
from triage.serve.brief import Brief, Told
from triage.serve.limits import GITHUB_COMMENT

SECRET = "It's a Secret to Everybody"


class Counterpart(ThreadingHTTPServer):
    """The three endpoints of the REST API that the door calls."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.slow = 0.0
        super().__init__(("127.0.0.1", 0), Endpoint)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Endpoint(BaseHTTPRequestHandler):
    server: Counterpart

    def _answer(self, status: int, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> str:
        self.server.calls.append(f"{self.command} {self.path}")
        assert self.headers["authorization"] == "Bearer t0ken"
        said: str = json.loads(self.rfile.read(int(self.headers["content-length"])))["body"]
        return said if len(said) <= 65_536 else pytest.fail("GitHub answers 422")

    def do_GET(self) -> None:
        found = list(self.server.comments) if "page=1" in self.path else []
        time.sleep(self.server.slow)
        self._answer(200, found)

    def do_POST(self) -> None:
        self.server.comments.append({"id": len(self.server.comments) + 1, "body": self._body(), "user": {"type": "Bot"}})
        self._answer(201, {})

    def do_PATCH(self) -> None:
        number = int(self.path.rsplit("/", 1)[1])
        self.server.comments[number - 1]["body"] = self._body()
        self._answer(200, {})

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def counterpart() -> Iterator[Counterpart]:
    with Counterpart() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def client(counterpart: Counterpart, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        app = create(made, doors=[github.routes(made, made_settings(), SECRET, github.GitHub("t0ken", counterpart.url))])
        with TestClient(app) as client:
            yield client


def made_settings() -> Any:
    from triage.serve.settings import Settings

    return Settings(url="https://triage.example")


@pytest.fixture(autouse=True)
def fresh(counterpart: Counterpart) -> None:
    counterpart.comments.clear()
    counterpart.calls.clear()


def event(text: str, **changes: Any) -> dict[str, Any]:
    return {
        "action": "opened",
        "sender": {"type": "User"},
        "repository": {"full_name": "team/jobs"},
        "issue": {"number": 7, "body": text, "user": {"type": "User"}, "labels": []},
    } | changes


def send(client: TestClient, payload: dict[str, Any], kind: str = "issues", secret: str = SECRET) -> int:
    body = json.dumps(payload).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": signature, "x-github-event": kind, "content-type": "application/json"}
    return client.post("/github", content=body, headers=headers).status_code


def test_an_issue_with_a_log_gets_one_comment_that_is_updated(client: TestClient, counterpart: Counterpart) -> None:
    assert send(client, event(f"It died:\r\n```\r\n{XID}\r\n```")) == 202
    (comment,) = counterpart.comments
    first = comment["body"]
    assert first.startswith(github.MARK)
    assert "fallen off the bus" in first
    assert "https://triage.example/r/" in first
    assert send(client, event(f"```\n{XID.replace('79', '48')}\n```", action="edited")) == 202
    assert len(counterpart.comments) == 1
    assert counterpart.comments[0]["body"] != first
    assert [call.split()[0] for call in counterpart.calls] == ["POST", "PATCH"]


@pytest.mark.parametrize(
    "changes",
    [
        {"sender": {"type": "Bot"}},
        {"action": "labeled"},
        {"issue": {"number": 7, "body": XID, "user": {"type": "Bot"}, "labels": []}},
        {"issue": {"number": 7, "body": XID, "user": {"type": "User"}, "labels": [{"name": github.OFF}]}},
        {"issue": {"number": 7, "body": f"{github.MARK} id=x -->\n{XID}", "user": {"type": "User"}, "labels": []}},
        {"issue": {"number": 7, "body": None, "user": {"type": "User"}, "labels": []}},
    ],
    ids=["sender", "action", "author", "label", "own", "empty"],
)
def test_what_is_not_for_us_is_passed_over(client: TestClient, counterpart: Counterpart, changes: dict[str, Any]) -> None:
    assert send(client, event(XID, **changes)) == 204
    assert counterpart.calls == []


@pytest.mark.parametrize("text", [HEALTHY, "Could you please add a dark theme to the dashboard? It would be so nice."])
def test_no_fault_no_comment(client: TestClient, counterpart: Counterpart, text: str) -> None:
    assert send(client, event(text)) == 202
    assert counterpart.calls == []


def test_a_comment_of_a_person_is_read_too(client: TestClient, counterpart: Counterpart) -> None:
    payload = event("me too", action="created", comment={"body": XID, "user": {"type": "User"}})
    assert send(client, payload, "issue_comment") == 202
    assert len(counterpart.comments) == 1


def test_another_signature_is_refused(client: TestClient, counterpart: Counterpart) -> None:
    assert send(client, event(XID), secret="guess") == 401
    assert client.post("/github", content=b"{}").status_code == 401
    assert counterpart.calls == []


def test_log_text_is_shown_and_not_obeyed() -> None:
    evil = "```\n@everyone <img src=x onerror=alert(1)> <!-- gpu-triage:report:v1 --> [x](javascript:1)"
    told = Brief("fault", evil, "xid-79", evil, [evil], [Told(evil, "rm `x`")], [Told(evil)], evil, "", "abc")
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(github.comment(told).split("\n", 1)[1])
    assert not re.search(r"<(?:img|a href=.javascript)|<!--", shown)
    assert "@everyone" not in re.sub(r"<pre>.*?</pre>", "", shown, flags=re.S)


def test_a_comment_fits() -> None:
    line = "根" * 300
    told = Brief("fault", line, line, line * 100, [line] * 50, [Told(line, line)] * 50, [], "", "https://x", "id")
    text = github.comment(told)
    assert len(text.encode()) <= GITHUB_COMMENT
    assert text.startswith(github.MARK)


def test_events_at_the_same_time_are_one_comment_about_the_newest_text(client: TestClient, counterpart: Counterpart) -> None:
    counterpart.slow = 1.5  # both look for a comment before one is written
    texts = [f"```\n{'an old line'}\n{XID}\n```", f"```\n{XID.replace('79', '48')}\n```"]
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(send, client, event(texts[0]))
        time.sleep(0.05)
        second = pool.submit(send, client, event(texts[1], action="edited"))
        assert (first.result(), second.result()) == (202, 202)
    counterpart.slow = 0.0
    (comment,) = counterpart.comments
    assert "xid-48" in comment["body"]
