"""The routes of the page, and the knowledge base below `/kb`."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path as Folder
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from triage.history import Entry, HistoryError
from triage.library.loader import load_library
from triage.render import site as library_site
from triage.render.from_json import report_of
from triage.render.lang import using
from triage.serve import page
from triage.serve.brief import brief
from triage.serve.desk import Answer, Desk
from triage.serve.guard import Numbers, Rate, Refusal
from triage.serve.intake import Intake, taken
from triage.serve.jobs import Jobs, Running
from triage.serve.settings import Settings
from triage.serve.workers import AnalysisError, Progress

Id = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,40}$")]
Marked = Literal["fixed", "not-same", "helpful", "not-helpful"]
_WAIT = 2.0  # seconds until a page shows the progress instead of the report
_COOKIE = "triage-delete-"


def language(request: Request) -> str:
    """`en` or `zh`: of the address, else of the cookie, else of the browser."""
    said = request.query_params.get("lang") or request.cookies.get("lang")
    return said or ("zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en")


def routes(desk: Desk, settings: Settings, rate: Rate, numbers: Numbers) -> APIRouter:
    """`/`, `/jobs/{id}` and all below `/r/{id}`."""
    door, jobs = APIRouter(include_in_schema=False, default_response_class=HTMLResponse), Jobs()

    def html(request: Request, make: Callable[[], str], status: int = 200) -> Response:
        with using(language(request)):
            answer = HTMLResponse(make(), status, page.HEADERS)
        if said := request.query_params.get("lang"):
            answer.set_cookie("lang", "zh" if said == "zh" else "en", samesite="lax", httponly=True)
        return answer

    @door.get("/")
    def paste(request: Request) -> Response:
        return html(request, lambda: page.paste(settings))

    @door.post("/")
    async def pasted(request: Request) -> Response:
        try:
            _same_site(request)
            rate.check(request)
            job = await _started(request)
        except Refusal as refusal:
            told, typed = refusal.text, getattr(request.state, "text", "")
            return html(request, lambda: page.paste(settings, told, typed), refusal.status)
        await run_in_threadpool(job.done.wait, _WAIT)
        return _next(request, job)

    async def _started(request: Request) -> Running:
        began = time.perf_counter()
        # The files outlive this request: the job deletes them.
        folder = Folder(tempfile.mkdtemp(prefix="triage-job-"))
        try:
            async with taken(request, settings) as intake:
                paths = [await run_in_threadpool(_moved, path, folder) for path in intake.paths]
            mine = Intake(intake.text, paths, intake.zone, intake.keep)
            return jobs.start(work(mine, began), lambda: shutil.rmtree(folder, ignore_errors=True))
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, AnalysisError):
                raise Refusal(error.status, str(error)) from error
            raise

    def work(mine: Intake, began: float) -> Callable[[Progress], Answer]:
        def analysed(step: Progress) -> Answer:
            if mine.paths:
                answer = desk.files(mine.paths, zone=mine.zone, progress=step)
            else:
                answer = desk.text(mine.text, zone=mine.zone, progress=step)
            numbers.report(answer.report, "page", time.perf_counter() - began)
            return answer

        return analysed

    @door.get("/jobs/{id}")
    def job(request: Request, id: Id) -> Response:
        found = jobs.get(id)
        if found is None:
            raise Refusal(404, "no such analysis: it ended a while ago")
        return _next(request, found)

    def _next(request: Request, job: Running) -> Response:
        if not job.done.is_set():
            if request.method == "POST":
                return RedirectResponse(f"/jobs/{job.id}", 303)
            return html(request, lambda: page.working(job))
        if job.error is not None:
            told = str(job.error)
            return html(request, lambda: page.paste(settings, told), job.error.status)
        assert job.answer is not None
        kept = job.answer.kept
        if kept is None:  # the history does not answer
            report = report_of(job.answer.report)
            return html(request, lambda: page.unkept(report))
        answer = RedirectResponse(f"/r/{kept.id}", 303)
        answer.set_cookie(
            _COOKIE + kept.id, kept.token, max_age=int(settings.keep), path=f"/r/{kept.id}", samesite="strict",
            secure=settings.url.startswith("https://"), httponly=True,
        )  # fmt: skip
        return answer

    @door.get("/r/{id}")
    def shown(request: Request, id: Id) -> Response:
        entry, data, text = _found(id)
        report = report_of(data)
        near = [one for _, one in desk.history.nearest(data, entry.scope, entry.id)]
        may_delete = _COOKIE + id in request.cookies
        return html(request, lambda: page.shown(report, entry, near, bool(text), may_delete))

    @door.get("/r/{id}/log")
    def log(request: Request, id: Id) -> Response:
        entry, _, text = _found(id)
        return html(request, lambda: page.log(entry, text))

    @door.get("/r/{id}/{form}")
    def copied(request: Request, id: Id, form: Literal["md", "txt", "json", "slack"]) -> Response:
        entry, data, _ = _found(id)
        if form == "json":
            return JSONResponse(data)
        with using(language(request)):
            if form == "slack":
                told = brief(Answer(data, None, None), settings.link(str(request.base_url), f"/r/{entry.id}"))
                return PlainTextResponse(page.slack(told))
            return PlainTextResponse(page.copied(report_of(data), form))

    @door.post("/r/{id}/mark")
    def mark(request: Request, id: Id, kind: Annotated[Marked, Form()], said: Annotated[str, Form()] = "") -> Response:
        _same_site(request)
        rate.check(request)
        _found(id)
        try:
            desk.history.mark(id, kind, said)
        except HistoryError as error:
            raise Refusal(422, str(error)) from error
        return html(request, lambda: page.message("Thank you", "It is noted, and the next report like this says so."))

    @door.post("/r/{id}/delete")
    def delete(request: Request, id: Id) -> Response:
        _same_site(request)
        if not desk.history.forget(id, request.cookies.get(_COOKIE + id, "-")):
            return html(request, lambda: page.message("Not deleted", "Only who pasted it can delete it."), 403)
        answer = html(request, lambda: page.message("Deleted", "The report and its log are gone."))
        answer.delete_cookie(_COOKIE + id, path=f"/r/{id}")
        return answer

    def _found(id: str) -> tuple[Entry, dict[str, object], str]:
        found = desk.history.get(id)
        if found is None:
            raise Refusal(404, "no such report, or it has expired")
        return found

    return door


class Knowledge:
    """The library as pages, written into `folder` when the first of them is asked for."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._lock = folder, asyncio.Lock()
        self._files: StaticFiles | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            if self._files is None:
                await run_in_threadpool(library_site.build, load_library(), self._folder)
                self._files = StaticFiles(directory=self._folder, html=True)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":  # the pages have policies of their own
                MutableHeaders(scope=message)["content-security-policy"] = "frame-ancestors 'none'"
            await send(message)

        await self._files(scope, receive, sending)


def _same_site(request: Request) -> None:
    """Refuses a form that another site sent in the name of its visitor."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "this form was sent by another site")


def _moved(path: Folder, folder: Folder) -> Folder:
    place = folder / path.parent.name if path.parent.name.isdigit() else folder
    place.mkdir(exist_ok=True)
    return Folder(shutil.move(path, place / path.name))
