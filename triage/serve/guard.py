"""What stands before every route: size, rate, headers, and numbers for Prometheus. All refusals are JSON sentences."""

from __future__ import annotations

import time
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    # For data; pages name the hashes of their own style and script.
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Refusal(Exception):
    """An answer of 4xx or 5xx with a sentence that says what to do."""

    def __init__(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers or {}

    def response(self) -> JSONResponse:
        return JSONResponse({"error": self.text}, self.status, self.headers)


class Numbers:
    """The counters of `/metrics`; `causes` counts findings by id, so that a rare one is not hidden by the last."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("triage_requests", "Requests by route and status", ["route", "status"],
                                registry=self.registry)  # fmt: skip
        self.seconds = Histogram("triage_analysis_seconds", "Time from request to report", registry=self.registry,
                                 buckets=(0.1, 0.2, 0.4, 0.8, 2, 5, 15, 60))  # fmt: skip
        self.verdicts = Counter("triage_reports", "Reports by verdict and door", ["verdict", "door"],
                                registry=self.registry)  # fmt: skip
        self.causes = Counter("triage_findings", "Findings by id and role", ["id", "role"], registry=self.registry)
        self.waiting = Gauge("triage_waiting", "Logs that are being analysed or wait for it", registry=self.registry)

    def report(self, report: dict[str, Any], door: str, seconds: float) -> None:
        """Counts one report."""
        self.verdicts.labels(report["verdict"], door).inc()
        self.seconds.observe(seconds)
        for found in report["findings"]:
            if found["role"] != "context":
                self.causes.labels(found["id"], found["role"]).inc(found["count"])


class Rate:
    """At most so many analyses of one address in a window."""

    def __init__(self, rate: str) -> None:
        self._item = parse(rate)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def check(self, request: Request) -> None:
        """Raises `Refusal` (429) with the seconds to wait."""
        address = request.client.host if request.client else "unknown"
        if not self._limiter.hit(self._item, address):
            wait = max(1, int(self._limiter.get_window_stats(self._item, address).reset_time - time.time()) + 1)
            text = f"more than {self._item} from one address: try again in {wait} s"
            raise Refusal(429, text, {"retry-after": str(wait)})


class Guard:
    """An ASGI layer: bounds each body while it streams, sets the headers, counts requests.

    `upload` bounds a form with files, which go to disk; `body` all that is held in memory.
    """

    def __init__(self, app: App, upload: int, body: int, numbers: Numbers) -> None:
        self._app, self._upload, self._body, self._numbers = app, upload, body, numbers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = {"status": 0}

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                have = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(
                    (name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in have
                )]  # fmt: skip
            await send(message)

        try:
            await self._app(scope, _bounded(scope, receive, self._upload, self._body), sending)
        except ClientDisconnect:
            told["status"] = told["status"] or 499
        except Exception as error:
            if not told["status"]:
                text = f"internal error ({type(error).__name__}); please report it"
                # The server closes the connection after an error: whoever keeps it open must know.
                await Refusal(500, text, {"connection": "close"}).response()(scope, receive, sending)
            raise  # the server writes it into its log
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._numbers.requests.labels(route, str(told["status"])).inc()


def _bounded(scope: Scope, receive: Receive, upload: int, body: int) -> Receive:
    """The body, decompressed, until it is too large; neither form is ever held as a whole here.

    Refusals are raised where the body is read, so that the application's own handlers make a page or JSON of them.
    """
    headers = dict(scope["headers"])
    stated = headers.get(b"content-length", b"")
    form = headers.get(b"content-type", b"").lower().startswith(b"multipart/form-data")
    most, do = (upload, "send the part around the failure") if form else (body, "send it as a file in a form")
    coding = headers.get(b"content-encoding", b"identity").strip().lower().decode("latin-1")
    packed = _Packed(coding) if coding in ("gzip", "deflate") else None
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        if stated.isdigit() and int(stated) > most:
            raise _too_large(most, do)
        if packed is None and coding != "identity":
            raise Refusal(415, "Content-Encoding must be gzip, deflate or identity")
        message = await receive()
        if message["type"] == "http.request":
            data = message.get("body", b"")
            if packed is not None:
                data = packed.unpack(data, most - seen + 1, last=not message.get("more_body", False))
            seen += len(data)
            if seen > most:
                raise _too_large(most, do)
            message = dict(message, body=data)
        return message

    return bounded


class _Packed:
    """A body in gzip, of any number of members, or deflate."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._start()

    def _start(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16 if self._coding == "gzip" else zlib.MAX_WBITS)

    def unpack(self, data: bytes, most: int, last: bool) -> bytes:
        """The next bytes of the body, `most` at most; more than that is for the caller to refuse."""
        parts = []
        try:
            while data and most > 0:
                if self._stream.eof:
                    self._start()
                parts.append(self._stream.decompress(data, most))
                most -= len(parts[-1])
                data = self._stream.unused_data
        except zlib.error as error:
            raise Refusal(400, f"the body is not {self._coding}: {error}") from error
        if last and most > 0 and not self._stream.eof:
            raise Refusal(400, f"the body is not {self._coding}: it ends too early")
        return b"".join(parts)


def _too_large(most: int, do: str) -> Refusal:
    size = f"{most >> 20} MiB" if most >> 20 else f"{most} bytes"
    return Refusal(413, f"more than {size}: {do}, or run `triage analyze` on your machine")
