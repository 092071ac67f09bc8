"""Mattermost: an outgoing webhook or a slash command with a log behind it, answered in its thread.

Mattermost proves itself with the token that it made for the integration.
"""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from triage.render.markdown import escape, fence
from triage.serve.brief import Brief, brief
from triage.serve.desk import Desk
from triage.serve.guard import Refusal
from triage.serve.limits import cut
from triage.serve.settings import Settings
from triage.serve.workers import AnalysisError

_POST = 16_000  # of the 16,383 characters of a post


def post(told: Brief) -> str:
    """The answer as Markdown; log text stands in code."""
    rows = [f"**{escape(told.headline)}**"]
    rows += [f"{escape(told.cause)}. {escape(told.means)}"] if told.cause else []
    rows += fence(told.quotes) if told.quotes else []
    for number, step in enumerate(told.steps, 1):
        rows.append(f"{number}. {escape(step.text)}")
        rows += fence([step.command], "sh", "   ") if step.command else []
    rows += [f"- {escape(piece.text)}" for piece in told.missing]
    rows += [f"_{escape(told.seen)}_"] if told.seen else []
    rows += [f"[Full report]({told.link})"] if told.link else []
    return cut("\n".join(rows), _POST)


def routes(desk: Desk, settings: Settings, token: str) -> APIRouter:
    """`POST /mattermost`: the address of the integration."""
    door = APIRouter()

    @door.post("/mattermost", include_in_schema=False)
    async def asked(request: Request) -> dict[str, str]:
        async with request.form(max_fields=50, max_part_size=settings.text) as form:
            said = {key: value for key, value in form.items() if isinstance(value, str)}
        if not secrets.compare_digest(said.get("token", "").encode(), token.encode()):
            raise Refusal(401, "the token is not right")
        text = said.get("text", "")
        trigger = said.get("trigger_word", "")
        text = text.removeprefix(trigger).strip() if trigger else text
        scope = f"mattermost/{said.get('team_id', '')}/{said.get('channel_id', '')}"
        try:
            answer = await run_in_threadpool(desk.text, text, scope=scope)
        except AnalysisError as error:
            return {"text": escape(str(error)), "response_type": "comment"}
        link = settings.link(str(request.base_url), f"/r/{answer.kept.id}") if answer.kept else ""
        # A slash command is answered in the channel, an outgoing webhook in the thread.
        return {"text": post(brief(answer, link)), "response_type": "in_channel" if "command" in said else "comment"}

    return door
