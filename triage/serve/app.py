"""The service: page, API and the doors that are configured, on one port."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match

from triage import __version__
from triage.history import HistoryError
from triage.render.lang import using
from triage.serve import api, page, site
from triage.serve.desk import Desk
from triage.serve.guard import Guard, Numbers, Rate, Refusal
from triage.serve.settings import Settings


def create(desk: Desk, settings: Settings | None = None, doors: Sequence[APIRouter] = ()) -> FastAPI:
    """The ASGI application around a desk, with further doors; the desk is closed when it ends."""
    settings = settings or Settings()
    numbers, rate = Numbers(), Rate(settings.rate)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        # Each log that waits for a worker waits in a thread; others must be left for all other requests.
        to_thread.current_default_thread_limiter().total_tokens += desk.workers.most
        with tempfile.TemporaryDirectory(prefix="triage-kb-") as folder:
            app.mount("/kb", site.Knowledge(Path(folder)))
            sweeper = asyncio.create_task(_sweep(desk))
            yield
            sweeper.cancel()
            desk.close()

    app = FastAPI(
        title="triage", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        description="Root-cause triage of the error logs of GPU and AI-training machines.",
    )  # fmt: skip
    app.state.routers = [
        api.routes(desk, settings, rate, numbers), site.routes(desk, settings, rate, numbers), *doors
    ]  # fmt: skip
    for router in app.state.routers:
        app.include_router(router)
    app.add_middleware(Guard, upload=settings.upload, body=settings.body, numbers=numbers)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HistoryError, _no_history)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(OSError, _no_space)
    return app


async def _sweep(desk: Desk) -> None:
    """Deletes what has expired, each hour."""
    while True:
        with contextlib.suppress(HistoryError):
            await run_in_threadpool(desk.history.purge)
        await asyncio.sleep(3600)


def _told(request: Request, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """A sentence: as a page for a browser, else as JSON."""
    if "text/html" not in request.headers.get("accept", "") or request.url.path.startswith("/api/"):
        return JSONResponse({"error": text}, status, headers)
    with using(site.language(request)):
        return HTMLResponse(page.message("Not done", text), status, {**page.HEADERS, **(headers or {})})


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _told(request, error.status, error.text, error.headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    told = "; ".join(f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors())
    return _told(request, 422, told)


def _no_history(request: Request, _error: Exception) -> Response:
    return _told(request, 503, "the history does not answer: try again in a minute", {"retry-after": "60"})


def _no_space(request: Request, error: Exception) -> Response:
    """Uploads lie on the disk while they are read."""
    if not isinstance(error, OSError) or error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    text = "the disk of the help desk is full: try a smaller file, or tell who runs it"
    return _told(request, 503, text, {"retry-after": "60"})


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == 405:  # of the first route with this path; the others have methods, too
        routes: list[Any] = [route for router in request.app.state.routers for route in router.routes]
        here = [route.methods for route in routes if route.matches(request.scope)[0] is not Match.NONE]
        headers["allow"] = ", ".join(sorted(set().union(*here))) or headers.get("allow", "GET")
    return _told(request, error.status_code, str(error.detail), headers)
