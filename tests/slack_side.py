"""Slack's side of the door: the methods of its Web API that we call, its file store, and its sockets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from tests.desk import XID

BOT = "UTRIAGE"


class Counterpart(ThreadingHTTPServer):
    """The methods of Slack's Web API that the door calls, and its file store."""

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.busy = 0  # how many calls are answered with 429
        self.tokens: list[str] = []
        self.sockets = ""  # where apps.connections.open sends to
        self.opened: list[str] = []  # the tokens with which it was called
        self.hold: threading.Event | None = None  # no message is posted before it is set, for five seconds at most
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
            if "wrong" in self.headers["authorization"]:
                self._answer(200, b'{"ok": false, "error": "invalid_auth"}')
                return
            self._answer(200, json.dumps({"ok": True, "user_id": BOT, "bot_id": "B1", "team_id": "T1"}).encode())
            return
        if self.path.endswith("apps.connections.open"):
            self.server.opened.append(self.headers["authorization"])
            url = f"{self.server.sockets}/link?ticket={len(self.server.opened)}"
            self._answer(200, json.dumps({"ok": True, "url": url}).encode())
            return
        if self.server.hold is not None:
            self.server.hold.wait(5.0)
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


@contextmanager
def running() -> Iterator[Counterpart]:
    with Counterpart() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


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
