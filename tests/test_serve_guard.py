from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest

pytest.importorskip("uvicorn")

import httpx2
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from tests.served import live
from triage.serve.guard import HEADERS, Guard, Numbers, Rate, Refusal

UPLOAD, BODY = 4000, 1000
FORM = {"content-type": "multipart/form-data; boundary=x"}
NUMBERS = Numbers()


def application() -> FastAPI:
    app = FastAPI()
    rate = Rate("2/minute")

    @app.post("/echo")
    async def echo(request: Request) -> Response:
        return Response(await request.body(), media_type="text/plain")

    @app.get("/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the log")

    @app.get("/rated")
    def rated(request: Request) -> dict[str, bool]:
        rate.check(request)
        return {"ok": True}

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Refusal)
        return error.response()

    app.add_exception_handler(Refusal, refused)
    app.add_middleware(Guard, upload=UPLOAD, body=BODY, numbers=NUMBERS)
    return app


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with live(application()) as url, httpx2.Client(base_url=url, timeout=30) as client:
        yield client


@pytest.mark.parametrize(("size", "status"), [(BODY, 200), (BODY + 1, 413)])
def test_a_body_may_be_as_large_as_the_limit_and_no_byte_more(client: httpx2.Client, size: int, status: int) -> None:
    assert client.post("/echo", content=b"x" * size).status_code == status


@pytest.mark.parametrize(("size", "status"), [(UPLOAD, 200), (UPLOAD + 1, 413)])
def test_a_form_with_files_has_its_own_limit(client: httpx2.Client, size: int, status: int) -> None:
    assert client.post("/echo", content=b"x" * size, headers=FORM).status_code == status


def test_a_body_without_a_stated_length_is_counted_as_it_comes(client: httpx2.Client) -> None:
    assert client.post("/echo", content=iter([b"x" * 400] * 2)).status_code == 200
    answer = client.post("/echo", content=iter([b"x" * 400] * 3))
    assert (answer.status_code, "more than 1000 bytes" in answer.json()["error"]) == (413, True)


@pytest.mark.parametrize(
    ("coding", "body", "status"),
    [
        ("gzip", gzip.compress(b"a" * BODY), 200),
        ("gzip", gzip.compress(b"a" * (BODY + 1)), 413),
        ("gzip", gzip.compress(b"a" * (1 << 24))[:900], 413),
        ("gzip", gzip.compress(b"one ") + gzip.compress(b"two"), 200),
        ("gzip", gzip.compress(b"a" * 500) + gzip.compress(b"a" * 501), 413),
        ("gzip", gzip.compress(bytes(range(256)))[:-9], 400),
        ("gzip", b"plain", 400),
        ("gzip", b"", 400),
        ("deflate", zlib.compress(b"a" * BODY), 200),
        ("deflate", zlib.compress(b"a" * (BODY + 1)), 413),
        ("deflate", b"plain", 400),
        ("br", b"x", 415),
        ("gzip, gzip", b"x", 415),
        ("GZIP", gzip.compress(b"a"), 200),
    ],
    # not of the bytes: gzip writes the time into them, and each process of a parallel run makes its own
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else None,
)
def test_a_compressed_body_is_bounded_by_what_it_becomes(
    client: httpx2.Client, coding: str, body: bytes, status: int
) -> None:
    answer = client.post("/echo", content=body, headers={"content-encoding": coding})
    assert answer.status_code == status, answer.text
    assert status == 200 or answer.json()["error"]


def test_all_members_of_a_gzip_body_are_read(client: httpx2.Client) -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two")
    assert client.post("/echo", content=body, headers={"content-encoding": "gzip"}).text == "one two"
    # The members arrive in pieces that end nowhere in particular.
    pieces = iter([body[at : at + 3] for at in range(0, len(body), 3)])
    assert client.post("/echo", content=pieces, headers={"content-encoding": "gzip"}).text == "one two"


def test_an_error_of_ours_says_its_kind_and_nothing_of_the_log(client: httpx2.Client) -> None:
    answer = client.get("/broken")
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal error (RuntimeError); please report it"}
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("path", ["/nothing", "/broken", "/rated"])
def test_each_answer_has_the_headers(client: httpx2.Client, path: str) -> None:
    headers = client.get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS


def test_requests_are_counted_by_route_and_status(client: httpx2.Client) -> None:
    from prometheus_client import generate_latest

    client.get("/nothing/of/ours")
    told = generate_latest(NUMBERS.registry).decode()
    assert 'triage_requests_total{route="other",status="404"}' in told
    assert "nothing/of/ours" not in told  # a caller cannot fill the memory with names


def test_who_asks_too_often_is_told_when_to_come_back() -> None:
    with live(application()) as url, httpx2.Client(base_url=url) as client:
        answers = [client.get("/rated") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert 1 <= int(answers[2].headers["retry-after"]) <= 61
    assert "2 per 1 minute" in answers[2].json()["error"]
