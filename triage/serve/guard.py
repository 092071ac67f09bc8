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
from starlette.requests import Request
from starlette.responses import JSONResponse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
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
    """An ASGI layer: bounds each body while it streams, sets the headers, counts requests."""

    def __init__(self, app: App, most: int, numbers: Numbers) -> None:
        self._app, self._most, self._numbers = app, most, numbers

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
            await self._app(scope, _bounded(scope, receive, self._most), sending)
        except Refusal as refusal:  # raised by the bounded body, below all handlers of the application
            if not told["status"]:
                await refusal.response()(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._numbers.requests.labels(route, str(told["status"])).inc()


def _bounded(scope: Scope, receive: Receive, most: int) -> Receive:
    """The body, decompressed, until it is larger than `most` bytes; neither form is ever held as a whole."""
    headers = dict(scope["headers"])
    stated = headers.get(b"content-length", b"")
    if stated.isdigit() and int(stated) > most:
        raise Refusal(413, _too_large(most))
    coding = headers.get(b"content-encoding", b"identity").strip().lower()
    if coding not in (b"identity", b"gzip", b"deflate"):
        raise Refusal(415, "Content-Encoding must be gzip, deflate or identity")
    unpack = None if coding == b"identity" else zlib.decompressobj(47 if coding == b"gzip" else zlib.MAX_WBITS)
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            body = message.get("body", b"")
            if unpack is not None and body:
                try:
                    body = unpack.decompress(body, most - seen + 1)
                except zlib.error as error:
                    raise Refusal(400, f"the body is not {coding.decode()}: {error}") from error
            seen += len(body)
            if seen > most:
                raise Refusal(413, _too_large(most))
            message = dict(message, body=body)
        return message

    return bounded


def _too_large(most: int) -> str:
    size = f"{most >> 20} MiB" if most >> 20 else f"{most} bytes"
    return f"more than {size}: send the part around the failure, or run `triage analyze` on your machine"
