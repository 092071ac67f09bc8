from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("slack_bolt")

from slack_sdk import WebClient
from starlette.testclient import TestClient

from tests.desk import XID, desk
from tests.slack_side import BOT, Counterpart, event, posts, running
from triage.serve import limits, slack
from triage.serve.app import create
from triage.serve.brief import Brief, Told
from triage.serve.settings import Settings

SECRET = "signing"


@pytest.fixture(scope="module")
def counterpart() -> Iterator[Counterpart]:
    with running() as server:
        yield server


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


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9/"], ids=["refused", "unreachable"])
def test_a_token_that_slack_does_not_take_is_told_at_the_start(counterpart: Counterpart, address: str) -> None:
    client = WebClient("xoxb-wrong", base_url=address or counterpart.url + "api/", retry_handlers=[])
    with pytest.raises(slack.Unreachable, match="does not answer" if address else "invalid_auth"):
        slack.create(None, Settings(), "xoxb-wrong", SECRET, client)  # type: ignore[arg-type]
