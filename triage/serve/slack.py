"""Slack: a mention, a direct message, a shortcut on a message, an uploaded file or snippet; answered in its thread.

Events come over HTTP (slack-bolt checks the signature) or Socket Mode. Slack repeats an event that is not acknowledged
in three seconds, and tells of a file twice; each message is answered once.
"""

from __future__ import annotations

import html
import logging
import re
import tempfile
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from fastapi import APIRouter, Request
from slack_bolt import App
from slack_bolt.adapter.fastapi import SlackRequestHandler
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from triage.serve import limits
from triage.serve.brief import Brief, brief
from triage.serve.desk import FILES_MOST, Answer, Desk
from triage.serve.settings import Settings
from triage.serve.workers import AnalysisError, TooLarge, Unusable

SHORTCUT = "triage_message"
_LOG = logging.getLogger("triage.slack")
FILES = "https://files.slack.com/"  # the token is sent nowhere else
_REMEMBERED = 2000
_ANSWERING = 32  # messages at once
_HEADLINE, _MEANS = 400, 1200  # characters, so that steps have room
_MENTION = re.compile(r"<@[A-Z0-9]+>")
_LINK = re.compile(r"<(?:https?://|mailto:)[^|>]*\|([^>]*)>|<((?:https?://|mailto:)[^>]*)>")
_TICKS = re.compile(r"```(?:[a-z]*\n)?")


class Unreachable(Exception):
    """Slack does not answer, or not to us; the message says why."""


def blocks(told: Brief) -> list[dict[str, Any]]:
    """The answer as blocks within Slack's limits; log text stands in code, where nothing is obeyed."""
    made = [_section(f"*{_escape(limits.cut(told.headline, _HEADLINE))}*")]
    if told.cause:
        made.append(_section(f"{_escape(told.cause)}. {_escape(limits.cut(told.means, _MEANS))}"))
    if told.quotes:
        made.append(_code(told.quotes))
    for number, step in enumerate(told.steps, 1):
        made.append(_section(f"{number}. {_escape(step.text)}"))
        if step.command:
            made.append(_code([step.command]))
    made += [_section(f"_Still to collect:_ {_escape(piece.text)}") for piece in told.missing]
    foot = [part for part in (_escape(told.seen), f"<{told.link}|Full report>" if told.link else "") if part]
    room = limits.SLACK_MESSAGE - sum(map(len, foot))
    kept: list[dict[str, Any]] = []
    for block in made[: limits.SLACK_BLOCKS - 1]:
        room -= len(block["text"]["text"])
        if room < 0:
            break
        kept.append(block)
    if foot:
        kept.append({"type": "context", "elements": [{"type": "mrkdwn", "text": "  ".join(foot)}]})
    return kept


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": limits.cut(text, limits.SLACK_SECTION)}}


def _code(rows: list[str]) -> dict[str, Any]:
    return _section("\n".join(["```", *map(_escape, rows), "```"]))


def _escape(text: str) -> str:
    """As Slack wants it: without these three no mention, channel or link can be made; and no fence of the log's own."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("```", "\N{MODIFIER LETTER GRAVE ACCENT}" * 3)


def plain(text: str) -> str:
    """What a person typed: mentions off, Slack's links and escapes undone, fences off."""
    text = _LINK.sub(lambda found: found[1] or found[2], _MENTION.sub("", text))
    return _TICKS.sub("", html.unescape(text)).strip()


class Door:
    """Answers messages. `bot` is our own user id: mentions of others are not ours."""

    def __init__(self, desk: Desk, settings: Settings, client: WebClient, bot: str, files: str = FILES) -> None:
        self._desk, self._settings, self._client, self.bot, self._files = desk, settings, client, bot, files
        self._answered: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def message(self, event: Mapping[str, Any], team: str = "") -> None:
        """An event of the kind `message` or `app_mention`."""
        mine = f"<@{self.bot}>" in str(event.get("text", "")) or event.get("channel_type") == "im"
        if not mine or event.get("bot_id") or event.get("subtype") not in (None, "file_share"):
            _LOG.info("not for us: subtype %s", event.get("subtype"))
            return
        self.answer(event, team)

    def answer(self, event: Mapping[str, Any], team: str = "") -> None:
        """Answers a message in its thread, once however often it is told."""
        channel, stamp = str(event["channel"]), str(event["ts"])
        if not self._first((channel, stamp)):
            _LOG.info("answered already")
            return
        thread = str(event.get("thread_ts") or stamp)
        try:
            found = self._analysed(event, f"slack/{team}/{channel}")
        except AnalysisError as error:
            self._client.chat_postMessage(channel=channel, thread_ts=thread, text=_escape(str(error)))
            return
        told = brief(found, self._settings.link("", f"/r/{found.kept.id}") if found.kept and self._settings.url else "")
        self._client.chat_postMessage(
            channel=channel, thread_ts=thread, text=_escape(told.headline), blocks=blocks(told),
            unfurl_links=False, unfurl_media=False,
        )  # fmt: skip

    def _first(self, message: tuple[str, str]) -> bool:
        with self._lock:
            if message in self._answered:
                return False
            self._answered[message] = None
            while len(self._answered) > _REMEMBERED:
                self._answered.popitem(last=False)
            return True

    def _analysed(self, event: Mapping[str, Any], scope: str) -> Answer:
        text, files = plain(str(event.get("text", ""))), list(event.get("files") or [])
        if not files:
            return self._desk.text(text, scope=scope)
        with tempfile.TemporaryDirectory(prefix="triage-") as folder:
            paths = [self._fetched(one, Path(folder) / str(at)) for at, one in enumerate(files)]
            if text:
                paths.append(Path(folder) / "message")
                paths[-1].write_text(text, encoding="utf-8")
            return self._desk.files(paths, scope=scope)

    def _fetched(self, file: Mapping[str, Any], folder: Path) -> Path:
        url = str(file.get("url_private_download") or file.get("url_private") or "")
        if not url.startswith(self._files):
            raise Unusable("this file is not kept by Slack: paste its text, or upload it")
        folder.mkdir()
        path = folder / (re.sub(r"[^\w.+-]+", "_", str(file.get("name") or "file"))[-100:] or "file")
        left = FILES_MOST
        headers = {"authorization": f"Bearer {self._client.token}"}
        try:
            with httpx2.stream("GET", url, headers=headers, timeout=30.0) as answer, path.open("wb") as out:
                answer.raise_for_status()
                for chunk in answer.iter_bytes():
                    left -= len(chunk)
                    if left < 0:
                        raise TooLarge(f"the file is larger than {FILES_MOST >> 20} MiB: send the part of the failure")
                    out.write(chunk)
        except httpx2.HTTPError as error:
            raise Unusable("the file could not be fetched (has the bot the scope files:read?)") from error
        return path


def create(
    desk: Desk, settings: Settings, token: str, secret: str, client: WebClient | None = None, files: str = FILES
) -> App:  # fmt: skip
    """The Bolt application; `secret` signs the requests over HTTP. Asks Slack who we are; raises `Unreachable`."""
    client = client or WebClient(token)
    client.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=3))
    # A shortcut must be acknowledged in three seconds, also while many logs are being analysed.
    threads = ThreadPoolExecutor(_ANSWERING, thread_name_prefix="slack")
    app = App(
        client=client, token=token, signing_secret=secret, token_verification_enabled=False, listener_executor=threads
    )  # fmt: skip
    try:
        bot = str(client.auth_test()["user_id"])
    except SlackApiError as error:
        raise Unreachable(f"Slack does not accept it: {error.response.get('error')}") from error
    except OSError as error:
        raise Unreachable(f"Slack does not answer: {error}") from error
    door = Door(desk, settings, client, bot, files)

    @app.event("app_mention")
    def mentioned(event: dict[str, Any], body: dict[str, Any]) -> None:
        door.message(event, str(body.get("team_id", "")))

    @app.event("message")
    def message(event: dict[str, Any], body: dict[str, Any]) -> None:
        door.message(event, str(body.get("team_id", "")))

    @app.event("file_shared")
    def file_shared() -> None:
        """The file comes with its message, too."""

    @app.shortcut(SHORTCUT)
    def shortcut(ack: Any, body: dict[str, Any]) -> None:
        ack()
        team = str((body.get("team") or {}).get("id", ""))
        door.answer(body["message"] | {"channel": body["channel"]["id"]}, team)

    @app.event(re.compile(""))
    def other() -> None:
        """An event that nobody asked for is acknowledged, or Slack repeats it."""

    return app


def socket(app: App, token: str, ping: float = 10.0) -> APIRouter:
    """Socket Mode: connected while the service runs, again after Slack or the network ends a connection.

    `token` is that of the app (`xapp-`); `ping` is how often the connection is looked after, in seconds.
    """

    @asynccontextmanager
    async def life(_app: Any) -> AsyncIterator[None]:
        handler = SocketModeHandler(app, token, ping_interval=ping)
        await run_in_threadpool(handler.connect)
        yield
        await run_in_threadpool(handler.close)

    return APIRouter(lifespan=life)


def routes(app: App) -> APIRouter:
    """`POST /slack/events`: the address of events and shortcuts."""
    door, handler = APIRouter(), SlackRequestHandler(app)

    @door.post("/slack/events", include_in_schema=False)
    async def events(request: Request) -> Response:
        return await handler.handle(request)

    return door
