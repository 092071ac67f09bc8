from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest

pytest.importorskip("slack_bolt")

from slack_sdk import WebClient
from starlette.testclient import TestClient

from tests.desk import XID, desk
from triage.serve import limits, slack
from triage.serve.app import create
from triage.serve.brief import Brief, Told
from triage.serve.settings import Settings

SECRET = "signing"
BOT = "UTRIAGE"


class Counterpart(ThreadingHTTPServer):
    """The methods of Slack's Web API that the door calls, and its file store."""

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.busy = 0  # how many calls are answered with 429
        self.tokens: list[str] = []
        super().__init__(("127.0.0.1", 0), Endpoint)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Endpoint(BaseHTTPRequestHandler):
    server: Counterpart

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.server.tokens.append(self.headers["authorization"])
        self._answer(200, XID.encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path.endswith("auth.test"):
            self._answer(200, json.dumps({"ok": True, "user_id": BOT, "bot_id": "B1", "team_id": "T1"}).encode())
            return
        if self.server.busy:
            self.server.busy -= 1
            self._answer(429, b'{"ok": false, "error": "ratelimited"}', **{"retry-after": "1"})
            return
        said = json.loads(body) if body.startswith("{") else {key: values[0] for key, values in parse_qs(body).items()}
        if isinstance(said.get("blocks"), str):
            said["blocks"] = json.loads(said["blocks"])
        self.server.posts.append(said)
        self._answer(200, b'{"ok": true, "ts": "1.0"}')

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
        settings = Settings(url="https://triage.example")
        web = WebClient("xoxb-token", base_url=counterpart.url + "api/")
        app = slack.create(made, settings, "xoxb-token", SECRET, web, counterpart.url + "files/")
        with TestClient(create(made, settings, [slack.routes(app)])) as client:
            yield client


@pytest.fixture(autouse=True)
def fresh(counterpart: Counterpart) -> None:
    counterpart.posts.clear()
    counterpart.tokens.clear()


def send(client: TestClient, payload: dict[str, Any], secret: str = SECRET, age: int = 0, form: bool = False) -> int:
    body = f"payload={json.dumps(payload)}".replace(" ", "+") if form else json.dumps(payload)
    stamp = str(int(time.time()) - age)
    signature = "v0=" + hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    headers = {"x-slack-signature": signature, "x-slack-request-timestamp": stamp, "content-type": kind}
    return client.post("/slack/events", content=body, headers=headers).status_code


def event(number: int, **fields: Any) -> dict[str, Any]:
    told = {"type": "app_mention", "user": "U1", "channel": "C1", "ts": f"{number}.0", "text": f"<@{BOT}> {XID}"} | fields
    return {"type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": f"E{number}", "event": told,
            "authorizations": [{"team_id": "T1", "user_id": BOT, "is_bot": True}]}  # fmt: skip


def posts(counterpart: Counterpart, many: int, seconds: float = 15.0) -> list[dict[str, Any]]:
    until = time.monotonic() + seconds
    while len(counterpart.posts) < many and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)  # for one too many
    return counterpart.posts


def test_a_mention_is_answered_in_its_thread(client: TestClient, counterpart: Counterpart) -> None:
    assert send(client, event(1)) == 200
    (post,) = posts(counterpart, 1)
    assert (post["channel"], post["thread_ts"]) == ("C1", "1.0")
    assert "fallen off the bus" in post["text"]
    assert "https://triage.example/r/" in json.dumps(post["blocks"])


def test_a_repeated_event_is_answered_once(client: TestClient, counterpart: Counterpart) -> None:
    for _ in range(3):
        assert send(client, event(2)) == 200
    assert len(posts(counterpart, 1)) == 1


def test_the_second_time_it_says_that_it_was_seen(client: TestClient, counterpart: Counterpart) -> None:
    said = f"<@{BOT}> Nov 30 10:00:00 node31 kernel: {XID.replace('3b', '5e')}"
    send(client, event(3, text=said))
    posts(counterpart, 1)
    send(client, event(4, text=said))
    assert "Seen once before" in json.dumps(posts(counterpart, 2)[1]["blocks"])


def test_an_uploaded_file_comes_as_a_message_and_again_on_its_own(client: TestClient, counterpart: Counterpart) -> None:
    file = {"name": "dmesg.txt", "url_private_download": counterpart.url + "files/dmesg.txt"}
    send(client, event(5, type="message", subtype="file_share", text=f"<@{BOT}> help", files=[file]))
    send(client, event(6, type="file_shared", file_id="F1"))
    (post,) = posts(counterpart, 1)
    assert "fallen off the bus" in post["text"]
    assert counterpart.tokens == ["Bearer xoxb-token"]


def test_the_token_goes_nowhere_else(client: TestClient, counterpart: Counterpart) -> None:
    file = {"name": "x", "url_private": counterpart.url + "elsewhere/x"}
    send(client, event(7, type="message", subtype="file_share", text=f"<@{BOT}>", files=[file]))
    (post,) = posts(counterpart, 1)
    assert "not kept by Slack" in post["text"]
    assert counterpart.tokens == []


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "message", "text": f"<@UOTHER> {XID}"},
        {"type": "message", "text": XID, "channel_type": "channel"},
        {"type": "message", "text": f"<@{BOT}> {XID}", "bot_id": "B9"},
        {"type": "message", "text": f"<@{BOT}> {XID}", "subtype": "message_changed"},
    ],
    ids=["another", "nobody", "bot", "changed"],
)
def test_what_is_not_for_us_is_passed_over(client: TestClient, counterpart: Counterpart, fields: dict[str, Any]) -> None:
    assert send(client, event(8, **fields)) == 200
    assert posts(counterpart, 1, 1.0) == []


def test_a_direct_message_needs_no_mention(client: TestClient, counterpart: Counterpart) -> None:
    send(client, event(9, type="message", channel_type="im", text=f"```\n{XID}\n```"))
    assert len(posts(counterpart, 1)) == 1


def test_a_shortcut_answers_the_message_that_it_stands_on(client: TestClient, counterpart: Counterpart) -> None:
    payload = {
        "type": "message_action", "callback_id": slack.SHORTCUT, "team": {"id": "T1"}, "user": {"id": "U1"},
        "channel": {"id": "C2"}, "message": {"ts": "10.0", "text": XID, "user": "U2"}, "trigger_id": "t",
        "response_url": counterpart.url, "token": "x", "action_ts": "1", "message_ts": "10.0",
    }  # fmt: skip
    assert send(client, payload, form=True) == 200
    (post,) = posts(counterpart, 1)
    assert (post["channel"], post["thread_ts"]) == ("C2", "10.0")


def test_slack_may_ask_to_wait(client: TestClient, counterpart: Counterpart) -> None:
    counterpart.busy = 2
    send(client, event(11))
    assert len(posts(counterpart, 1)) == 1


@pytest.mark.parametrize(("secret", "age"), [("guess", 0), (SECRET, 600)], ids=["forged", "replayed"])
def test_another_signature_is_refused(client: TestClient, counterpart: Counterpart, secret: str, age: int) -> None:
    assert send(client, event(12), secret, age) == 401
    assert posts(counterpart, 1, 0.5) == []


def test_blocks_fit_and_obey_nothing() -> None:
    evil = "<!channel> <@U1> *bold* ``` & " + "x" * 3000
    told = Brief("fault", evil, "xid-79", evil, [evil] * 30, [Told(evil, evil)] * 30, [Told(evil)], evil, "https://x", "i")
    made = slack.blocks(told)
    assert len(made) <= limits.SLACK_BLOCKS
    sections = [block["text"]["text"] for block in made if block["type"] == "section"]
    assert all(len(text) <= 3000 for text in sections)
    assert sum(map(len, sections)) <= limits.SLACK_MESSAGE
    assert "<!channel>" not in json.dumps(made)
    assert all(text.count("```") in (0, 2) for text in sections)
    assert made[-1]["type"] == "context"


def test_what_a_person_typed_is_undone() -> None:
    assert slack.plain(f"<@{BOT}> ```text\na &lt; b <https://x.example|x.example>\n```") == "a < b x.example"
