"""Socket Mode, spoken by slack-bolt itself with a server of the tests' own."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("slack_bolt")
pytest.importorskip("websockets")

from slack_sdk import WebClient
from websockets.exceptions import ConnectionClosedError
from websockets.sync.server import serve

from tests.desk import XID, desk
from tests.served import live
from tests.slack_side import BOT, Counterpart, event, posts, running
from triage.serve import slack
from triage.serve.app import create
from triage.serve.settings import Settings


class Sockets:
    """Slack's end of the sockets: says hello, sends envelopes, notes what is acknowledged and when."""

    def __init__(self) -> None:
        self.acks: dict[str, float] = {}
        self.open: list[Any] = []
        self.server = serve(self._connected, "127.0.0.1", 0)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}"

    def _connected(self, connection: Any) -> None:
        connection.send(json.dumps({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}}))
        self.open.append(connection)
        with suppress(ConnectionClosedError):
            for message in connection:
                self.acks[json.loads(message)["envelope_id"]] = time.monotonic()
        self.open.remove(connection)

    def link(self, but: Any = None, seconds: float = 20.0) -> Any:
        """The newest connection; waits for one that is not `but`."""
        until = time.monotonic() + seconds
        while not self.open or self.open[-1] is but:
            assert time.monotonic() < until
            time.sleep(0.02)
        return self.open[-1]

    def send(self, envelope: str, payload: dict[str, Any], kind: str = "events_api", **fields: Any) -> None:
        told = {"envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": False} | fields
        self.link().send(json.dumps(told))

    def acknowledged(self, envelope: str, seconds: float = 10.0) -> float:
        until = time.monotonic() + seconds
        while envelope not in self.acks:
            assert time.monotonic() < until, f"{envelope} was not acknowledged"
            time.sleep(0.01)
        return self.acks[envelope]


@pytest.fixture(scope="module")
def sockets() -> Iterator[Sockets]:
    made = Sockets()
    yield made
    made.server.shutdown()


@pytest.fixture(scope="module")
def counterpart(sockets: Sockets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counterpart]:
    """Slack, with a running help desk that has connected itself."""
    with running() as server, desk(tmp_path_factory.mktemp("desk")) as made:
        server.sockets = sockets.url
        settings = Settings(url="https://triage.example")
        app = slack.create(made, settings, "xoxb-token", "", WebClient("xoxb-token", base_url=server.url + "api/"), server.url + "files/")
        with live(create(made, settings, [slack.socket(app, "xapp-token", ping=0.5)])):
            yield server
        until = time.monotonic() + 10  # the end of the service is the end of its connection
        while sockets.open:
            assert time.monotonic() < until
            time.sleep(0.02)


@pytest.fixture(autouse=True)
def fresh(counterpart: Counterpart) -> None:
    counterpart.posts.clear()


def test_a_mention_is_acknowledged_and_answered(counterpart: Counterpart, sockets: Sockets) -> None:
    sockets.send("e1", event(1))
    sockets.acknowledged("e1")
    (post,) = posts(counterpart, 1)
    assert (post["channel"], post["thread_ts"]) == ("C1", "1.0")
    assert "fallen off the bus" in post["text"]
    assert counterpart.opened[0] == "Bearer xapp-token"


def test_the_acknowledgement_does_not_wait_for_the_answer(counterpart: Counterpart, sockets: Sockets) -> None:
    counterpart.hold = threading.Event()
    began = time.monotonic()
    for number in range(2, 12):  # more than Bolt has threads of its own
        sockets.send(f"e{number}", event(number))
    shortcut = {
        "type": "message_action", "callback_id": slack.SHORTCUT, "team": {"id": "T1"}, "user": {"id": "U1"}, "token": "x",
        "channel": {"id": "C2"}, "message": {"ts": "12.0", "text": XID, "user": "U2"}, "trigger_id": "t", "action_ts": "1",
        "message_ts": "12.0",
    }  # fmt: skip
    sockets.send("e12", shortcut, "interactive", accepts_response_payload=True)
    try:
        assert max(sockets.acknowledged(f"e{number}") for number in range(2, 13)) - began < 3.0
        assert counterpart.posts == []
    finally:
        counterpart.hold.set()
        counterpart.hold = None
    assert {post["thread_ts"] for post in posts(counterpart, 11)} == {f"{number}.0" for number in range(2, 13)}


def test_a_repeated_envelope_is_acknowledged_again_and_answered_once(counterpart: Counterpart, sockets: Sockets) -> None:
    for retry in range(3):
        sockets.send(f"e20-{retry}", event(20), retry_attempt=retry, retry_reason="timeout" if retry else "")
    for retry in range(3):
        sockets.acknowledged(f"e20-{retry}")
    assert len(posts(counterpart, 1)) == 1


def test_what_nobody_asked_for_is_acknowledged_and_passed_over(counterpart: Counterpart, sockets: Sockets) -> None:
    sockets.send("e30", event(30, type="reaction_added", reaction="eyes"))
    sockets.send("e31", event(31, type="file_shared", file_id="F1"))
    sockets.send("e32", event(32, type="message", text=f"<@{BOT}> {XID}", subtype="message_changed"))
    for envelope in ("e30", "e31", "e32"):
        sockets.acknowledged(envelope)
    assert posts(counterpart, 1, 0.5) == []


def test_a_large_message_arrives_in_pieces(counterpart: Counterpart, sockets: Sockets) -> None:
    noise = "Nov 30 10:00:00 node07 kernel: usb 1-1: new high-speed USB device number 4 using xhci_hcd\n" * 400
    sockets.send("e40", event(40, text=f"<@{BOT}> {noise}Nov 30 10:00:01 node07 kernel: {XID.split('] ')[1]}"))
    (post,) = posts(counterpart, 1)
    assert "fallen off the bus" in post["text"]


def test_it_connects_anew_when_slack_refreshes(counterpart: Counterpart, sockets: Sockets) -> None:
    old, opened = sockets.link(), len(counterpart.opened)
    sockets.send("e50", event(50))
    posts(counterpart, 1)
    old.send(json.dumps({"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "x"}}))
    sockets.link(but=old)
    assert len(counterpart.opened) == opened + 1
    sockets.send("e50-again", event(50))  # what Slack believes lost, it sends through the new connection
    sockets.send("e51", event(51))
    sockets.acknowledged("e50-again")
    assert [post["thread_ts"] for post in posts(counterpart, 2)] == ["50.0", "51.0"]


def test_it_connects_anew_when_the_network_drops_the_connection(counterpart: Counterpart, sockets: Sockets) -> None:
    old = sockets.link()
    old.socket.shutdown(2)  # without a word
    sockets.link(but=old)
    sockets.send("e60", event(60))
    assert len(posts(counterpart, 1)) == 1
