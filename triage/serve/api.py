"""The API, version 1: what the page and other programs use. Each refusal is `{"error": "a sentence"}`."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from triage.history.recurrence import sentence
from triage.library.loader import load_library
from triage.render import explain
from triage.serve.desk import Answer, Desk
from triage.serve.guard import Numbers, Rate, Refusal
from triage.serve.intake import NO, YES, Intake, taken
from triage.serve.settings import Settings
from triage.serve.workers import AnalysisError

Id = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,40}$")]
Part = Literal["report", "text"]


class Error(BaseModel):
    """Why it was not done, and what to do."""

    error: str


class Analysed(BaseModel):
    """A report (the contract of `triage analyze --format json`, redacted) and where it is kept."""

    report: dict[str, Any]
    id: str = Field("", description="of the kept report; empty if it was not kept")
    token: str = Field("", description="deletes the report; told only here")
    expires: float = Field(0, description="seconds since 1970, UTC")
    link: str = Field("", description="the page of the report")
    seen: str = Field("", description="what the history knows of this fault on this device")
    removed: dict[str, int] = Field({}, description="how much was redacted, by kind; never the values")


class Kept(BaseModel):
    """A kept report."""

    id: str
    created: float
    expires: float
    report: dict[str, Any] | None = None
    text: str | None = None


class Limits(BaseModel):
    """What is accepted: bytes, files, and analyses of one address."""

    text_bytes: int
    upload_bytes: int
    files: int
    rate: str
    seconds: float
    keep_seconds: float


class Entry(BaseModel):
    """A signature or playbook."""

    id: str
    title: str
    severity: str = ""
    role: str = ""
    playbook: str = ""


class Health(BaseModel):
    """The service works; `waiting` logs are being analysed or wait for it."""

    status: Literal["ok"] = "ok"
    waiting: int


def _errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Error} for code in codes}


_ERRORS = _errors(400, 413, 415, 422, 429, 500, 503)
_MISSING = _errors(404, 422, 503)
_TEXT = {"type": "string", "pattern": r"\S"}
_ZONE = {
    "type": "string", "anyOf": [{"format": "time-zone"}, {"const": ""}], "examples": ["+08:00", "Europe/Berlin"],
    "description": "of times that name none",
}  # fmt: skip
_KEEP = {"type": "string", "enum": [*YES, *NO], "default": "true"}
_NAMED: dict[str, Any] = {"keep": _KEEP, "zone": _ZONE}
_FILES = {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}
_BODY = {
    "parameters": [
        {"name": name, "in": "query", "schema": schema, "description": "as in a form"}
        for name, schema in (("zone", _ZONE), ("keep", _KEEP))
    ],
    "requestBody": {
        "required": True,
        "content": {
            "text/plain": {"schema": _TEXT},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}},
            "application/json": {"schema": {
                "type": "object", "required": ["text"],
                "properties": {"text": _TEXT, "keep": {"type": "boolean", "default": True}, "zone": _ZONE},
            }},
            "application/x-www-form-urlencoded": {"schema": {
                "type": "object", "required": ["text"], "properties": _NAMED | {"text": _TEXT},
            }},
            "multipart/form-data": {"schema": {
                "type": "object", "properties": _NAMED | {"text": {"type": "string"}, "files": _FILES},
                "anyOf": [{"required": ["text"], "properties": {"text": _TEXT}}, {"required": ["files"]}],
            }},
        },
    },
}  # fmt: skip


def routes(desk: Desk, settings: Settings, rate: Rate, numbers: Numbers) -> APIRouter:
    """The routes below `/api/v1`, and `/healthz` and `/metrics`."""
    api = APIRouter()

    @api.post("/api/v1/analyze", openapi_extra=_BODY, responses=_ERRORS, status_code=200)
    async def analyze(request: Request) -> Analysed:
        """The root cause of a text or of files of one incident."""
        rate.check(request)
        began = time.perf_counter()
        async with taken(request, settings) as intake:
            answer = await run_in_threadpool(answered, desk, intake)
        numbers.report(answer.report, "api", time.perf_counter() - began)
        told = Analysed.model_validate({"report": answer.report, "removed": answer.removed})
        told.seen = sentence(answer.seen) if answer.seen else ""
        if answer.kept is not None:
            told.id, told.token, told.expires = answer.kept.id, answer.kept.token, answer.kept.expires
            told.link = settings.link(str(request.base_url), f"/r/{told.id}")
        return told

    @api.get("/api/v1/reports/{id}", responses=_MISSING)
    def report(id: Id, include: Annotated[list[Part] | None, Query()] = None) -> Kept:
        """A kept report; `include=text` adds the redacted text of a paste."""
        found = desk.history.get(id)
        if found is None:
            raise Refusal(404, "no such report, or it has expired")
        entry, body, text = found
        parts = include or ["report"]
        return Kept(
            id=entry.id, created=entry.created, expires=entry.expires,
            report=body if "report" in parts else None, text=text if "text" in parts else None,
        )  # fmt: skip

    @api.delete("/api/v1/reports/{id}", status_code=204, responses=_MISSING | _errors(401))
    def forget(id: Id, authorization: Annotated[str, Header()] = "") -> Response:
        """Deletes a report; `Authorization: Bearer TOKEN`, with the token that the analysis gave."""
        kind, _, token = authorization.partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise Refusal(401, "send `Authorization: Bearer TOKEN`", {"www-authenticate": "Bearer"})
        if not desk.history.forget(id, token.strip()):
            raise Refusal(404, "no such report with this token")
        return Response(status_code=204)

    @api.get("/api/v1/limits")
    def limits() -> Limits:
        """What is accepted."""
        return Limits(
            text_bytes=settings.text, upload_bytes=settings.upload, files=settings.files, rate=settings.rate,
            seconds=settings.bounds.seconds, keep_seconds=settings.keep,
        )  # fmt: skip

    @api.get("/api/v1/signatures")
    def signatures() -> list[Entry]:
        """All signatures."""
        return [
            Entry(id=s.id, title=s.title, severity=s.severity, role=s.role, playbook=s.playbook)
            for s in load_library().signatures.values()
        ]

    @api.get("/api/v1/signatures/{id}", responses=_errors(404, 422))
    def signature(id: Id) -> dict[str, Any]:
        """One signature, as `triage explain --format json` gives it."""
        library = load_library()
        if id not in library.signatures:
            raise Refusal(404, f"no signature {id}")
        return explain.as_dict(library, library.signatures[id])

    @api.get("/api/v1/playbooks")
    def playbooks() -> list[Entry]:
        """All playbooks."""
        return [Entry(id=p.id, title=p.title) for p in load_library().playbooks.values()]

    @api.get("/healthz", responses=_errors(503))
    def healthy() -> Health:
        """200 while logs can be analysed and kept."""
        desk.history.entries(limit=1)
        return Health(waiting=desk.workers.pending)

    @api.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> PlainTextResponse:
        """Counters for Prometheus."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        numbers.waiting.set(desk.workers.pending)
        return PlainTextResponse(generate_latest(numbers.registry), media_type=CONTENT_TYPE_LATEST)

    return api


def answered(desk: Desk, intake: Intake, scope: str = "") -> Answer:
    """The answer to what was sent. Raises `Refusal` with the sentence of the analysis."""
    try:
        if intake.paths:
            return desk.files(intake.paths, scope=scope, keep=intake.keep, zone=intake.zone)
        return desk.text(intake.text, scope=scope, keep=intake.keep, zone=intake.zone)
    except AnalysisError as error:
        headers = {"retry-after": "60"} if error.status == 503 else None
        raise Refusal(error.status, str(error), headers) from error
