"""GitHub: issues and comments that carry a log get one comment, which is updated and never repeated.

The webhook checks the signature (`X-Hub-Signature-256`, HMAC-SHA256 of the raw body). It never answers bots, itself
least of all, says nothing where there is no log or no fault, and stays away where an issue has the label `triage: off`.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import httpx2
from fastapi import APIRouter, BackgroundTasks, Request
from starlette.responses import Response

from triage.render.markdown import escape, fence
from triage.serve.brief import Brief, brief, is_worth_an_answer
from triage.serve.desk import Desk
from triage.serve.guard import Refusal
from triage.serve.limits import GITHUB_COMMENT, cut_bytes
from triage.serve.settings import Settings
from triage.serve.workers import AnalysisError

MARK = "<!-- gpu-triage:report:v1"
OFF = "triage: off"
_ACTIONS = {"issues": ("opened", "edited"), "issue_comment": ("created", "edited")}
_LEAST = 40  # characters from which a text can hold a log
_REMEMBERED = 2000  # issues
_PAGES = 10  # of a hundred comments each, in which our own is looked for


def comment(told: Brief) -> str:
    """The comment: the cause open, proof and link below; Markdown in which log text is shown, never obeyed."""
    rows = [f"{MARK} id={told.id or 'none'} -->", f"**{escape(told.headline)}**", ""]
    if told.cause:
        rows += [f"{escape(told.cause)}. {escape(told.means)}".strip(), ""]
    if told.quotes:
        rows += [*fence(told.quotes), ""]
    for number, step in enumerate(told.steps, 1):
        rows.append(f"{number}. {escape(step.text)}")
        rows += fence([step.command], "sh", "   ") if step.command else []
    rows += [f"- {escape(piece.text)}" for piece in told.missing]
    rows += ["", f"_{escape(told.seen)}_"] if told.seen else []
    link = f"[Full report]({told.link}), kept for a limited time. " if told.link else ""
    rows += ["", f"<sub>{link}Made by triage from the log above; label `{OFF}` keeps it away.</sub>"]
    return cut_bytes("\n".join(rows), GITHUB_COMMENT)


class GitHub:
    """Three calls of the REST API with a token; `api` is its root, another for GitHub Enterprise."""

    def __init__(self, token: str, api: str = "https://api.github.com") -> None:
        self._client = httpx2.Client(
            base_url=api, timeout=15.0,
            headers={
                "authorization": f"Bearer {token}", "accept": "application/vnd.github+json",
                "x-github-api-version": "2022-11-28", "user-agent": "gpu-triage",
            },
        )  # fmt: skip

    def say(self, repository: str, number: int, body: str) -> None:
        """Writes the comment, or changes the one that stands there."""
        old = self._own(repository, number)
        if old is None:
            self._call("POST", f"/repos/{repository}/issues/{number}/comments", body)
        elif old["body"].replace("\r\n", "\n") != body:
            self._call("PATCH", f"/repos/{repository}/issues/comments/{old['id']}", body)

    def _own(self, repository: str, number: int) -> Mapping[str, Any] | None:
        for page in range(1, _PAGES + 1):
            answer = self._client.get(
                f"/repos/{repository}/issues/{number}/comments", params={"per_page": 100, "page": page}
            )
            answer.raise_for_status()
            found: list[Mapping[str, Any]] = answer.json()
            for one in found:
                if str(one.get("body", "")).startswith(MARK) and one["user"]["type"] == "Bot":
                    return one
            if len(found) < 100:
                return None
        return None

    def _call(self, method: str, path: str, body: str) -> None:
        self._client.request(method, path, json={"body": body}).raise_for_status()


def signed(secret: str, body: bytes, signature: str) -> bool:
    """Whether GitHub made this request: the signature of the raw body under the secret that both know."""
    own = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(own.encode(), signature.encode())


def text_of(event: str, payload: Mapping[str, Any]) -> str:
    """The text of an event that may be answered, or nothing: with the reason left to the caller's log."""
    issue = payload.get("issue") or {}
    subject = payload.get("comment") if event == "issue_comment" else issue
    author = (subject or {}).get("user") or {}
    bots = [payload.get("sender") or {}, author]
    if payload.get("action") not in _ACTIONS.get(event, ()) or any(one.get("type") == "Bot" for one in bots):
        return ""
    labels = [label.get("name") for label in issue.get("labels") or []]
    text = str((subject or {}).get("body") or "").replace("\r\n", "\n")
    return "" if OFF in labels or len(text) < _LEAST or MARK in text else text


class _Turns:
    """Which text of an issue is its newest. Two events of one issue may be answered at the same time."""

    def __init__(self) -> None:
        self.writing = threading.Lock()  # or both find no comment, and each writes one
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._count = itertools.count()

    def take(self, issue: str) -> int:
        turn = next(self._count)
        self._newest[issue] = turn
        self._newest.move_to_end(issue)
        while len(self._newest) > _REMEMBERED:
            self._newest.popitem(last=False)
        return turn

    def is_newest(self, issue: str, turn: int) -> bool:
        return self._newest.get(issue, turn) == turn


def routes(desk: Desk, settings: Settings, secret: str, github: GitHub) -> APIRouter:
    """`POST /github`: the webhook of issues and issue comments."""
    door, turns = APIRouter(), _Turns()

    @door.post("/github", include_in_schema=False)
    async def webhook(request: Request, later: BackgroundTasks) -> Response:
        raw = await request.body()
        if not signed(secret, raw, request.headers.get("x-hub-signature-256", "")):
            raise Refusal(401, "the signature is not right")
        event = request.headers.get("x-github-event", "")
        try:
            payload = json.loads(raw)
        except ValueError as error:
            raise Refusal(400, "the body is not JSON") from error
        text = text_of(event, payload) if isinstance(payload, dict) else ""
        if not text:
            return Response(status_code=204)
        repository = str(payload["repository"]["full_name"])
        number, base = int(payload["issue"]["number"]), str(request.base_url)
        issue = f"{repository}#{number}"
        turn = turns.take(issue)

        def answer() -> None:
            try:
                found = desk.text(text, scope=f"github/{repository}")
            except AnalysisError:
                return  # nobody asked: a comment that says "busy" helps no one
            if is_worth_an_answer(found.report):
                link = settings.link(base, f"/r/{found.kept.id}") if found.kept else ""
                body = comment(brief(found, link))
                with turns.writing:
                    if turns.is_newest(issue, turn):
                        github.say(repository, number, body)

        later.add_task(answer)  # GitHub waits ten seconds for an answer
        return Response(status_code=202)

    return door
