from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse

from tests.served import live
from triage.serve.guard import Refusal
from triage.serve.intake import taken
from triage.serve.settings import Settings

SETTINGS = Settings(text=1000, upload=1 << 20, files=5)


def application(kept: list[Any]) -> FastAPI:
    app = FastAPI()

    @app.post("/")
    async def told(request: Request) -> JSONResponse:
        async with taken(request, SETTINGS) as intake:
            kept.append(intake.paths)
            folders = {path.parent for path in intake.paths}
            base = min(folders, key=lambda one: len(one.parts), default=None)
            files = {str(path.relative_to(base)): path.read_bytes().hex() for path in intake.paths} if base else {}
            return JSONResponse({"text": intake.text, "files": files, "zone": intake.zone, "keep": intake.keep})

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, Refusal)
        return error.response()

    app.add_exception_handler(Refusal, refused)
    return app


KEPT: list[Any] = []


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with live(application(KEPT)) as url, httpx2.Client(base_url=url, timeout=30) as client:
        yield client


def sent(client: httpx2.Client, **kwargs: Any) -> dict[str, Any]:
    answer = client.post("/", **kwargs)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_what_comes_more_than_once_is_all_read(client: httpx2.Client) -> None:
    form = "text=one&text=two"
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert sent(client, content=form, headers=kind)["text"] == "one\ntwo"


def test_a_text_may_be_sent_as_a_file(client: httpx2.Client) -> None:
    assert sent(client, files={"text": ("dmesg.txt", b"log")})["files"] == {"dmesg.txt": b"log".hex()}


def test_a_file_without_a_name_gets_one_and_an_empty_field_is_none(client: httpx2.Client) -> None:
    body = '--x\r\ncontent-disposition: form-data; name="files"; filename=""\r\n\r\n{}\r\n--x--\r\n'
    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert sent(client, content=body.format("log"), headers=kind)["files"] == {"file": b"log".hex()}
    assert sent(client, content=body.format(""), headers=kind)["files"] == {}


def test_a_text_beside_files_is_a_file_of_the_same_incident(client: httpx2.Client) -> None:
    told = sent(client, files=[("files", ("a.log", b"a")), ("files", ("paste", b"b"))], data={"text": "c"})
    assert told["files"] == {"a.log": b"a".hex(), "paste": b"b".hex(), "2/paste": b"c".hex()}


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("...", "file"), ("/", "file"), (".", "file"),
        ("<img src=x>.log", "_img src=x_.log"), ("日志.log", "_.log"), ("a\x1b[31m\u202eb.log", "a_[31m_b.log"),
        ("x" * 300 + ".log", "x" * 116 + ".log"), ("-rf", "-rf"), ("a%00b", "a_00b"), ("CON", "CON"),
    ],
)  # fmt: skip
def test_names_are_safe_to_show_and_to_store(client: httpx2.Client, name: str, safe: str) -> None:
    assert list(sent(client, files={"files": (name, b"log")})["files"]) == [safe]


def test_files_are_gone_after_the_request(client: httpx2.Client) -> None:
    sent(client, files={"files": ("a.log", b"a")})
    assert KEPT[-1]
    assert not any(path.parent.exists() for path in KEPT[-1])


@pytest.mark.parametrize(
    ("kwargs", "keep", "zone"),
    [
        ({"json": {"text": "x", "keep": False, "zone": "+08:00"}}, False, 28800),
        ({"json": {"text": "x"}, "params": {"keep": "false", "zone": "+08:00"}}, False, 28800),
        ({"json": {"text": "x", "keep": True}, "params": {"keep": "false"}}, True, None),
        ({"data": {"text": "x", "keep": "off", "zone": "UTC"}}, False, 0),
        ({"data": {"text": "x"}, "params": {"keep": "NO"}}, False, None),
        ({"content": "x", "params": {"keep": "0", "zone": ""}}, False, None),
        ({"content": b"\xff\xfe\x00", "params": {"keep": "no"}}, False, None),
        ({"content": "x"}, True, None),
    ],
)
def test_keep_and_zone_are_obeyed_wherever_they_stand(
    client: httpx2.Client, kwargs: dict[str, Any], keep: bool, zone: float | None
) -> None:
    told = sent(client, **kwargs)
    assert (told["keep"], told["zone"]) == (keep, zone)


@pytest.mark.parametrize(
    ("kwargs", "status", "says"),
    [
        ({"data": {"text": "x", "keep": "never"}}, 422, "`keep`"),
        ({"content": "x", "params": {"keep": ""}}, 422, "`keep`"),
        ({"json": {"text": "x", "keep": "false"}}, 422, "`keep`"),
        ({"json": {"text": "x", "zone": {}}}, 422, "`zone`"),
        ({"json": {"text": "x", "zone": None}}, 422, "`zone`"),
        ({"json": {"text": "x"}, "params": {"zone": "Mars"}}, 422, "not a known time zone"),
        ({"content": "x", "params": {"zone": "../../etc/passwd"}}, 422, "not a known time zone"),
        ({"data": {"files": "x"}}, 422, "send it as `text`"),
        ({"data": {"text": "x" * 1001}}, 413, "send it as a file"),
        ({"data": {"text": "x" * 1001}, "files": {"files": ("a", b"a")}}, 413, "send it as a file"),
        ({"content": "x" * 1001}, 413, "send it as a file"),
        ({"content": '{"text": 1e999999}', "headers": {"content-type": "application/json"}}, 422, "no string"),
        ({"content": "[" * 100_000, "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        ({"content": b"\xff", "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        ({"content": "x", "headers": {"content-type": "image/png"}}, 415, "text/plain"),
    ],
)
def test_what_is_not_meant_so_is_refused(client: httpx2.Client, kwargs: dict[str, Any], status: int, says: str) -> None:
    answer = client.post("/", **kwargs)
    assert (answer.status_code, says in answer.json()["error"]) == (status, True), answer.text


def test_too_many_files_are_refused(client: httpx2.Client) -> None:
    files = [("files", (f"{at}.log", b"x")) for at in range(6)]
    answer = client.post("/", files=files)
    assert (answer.status_code, "Too many files" in answer.text) == (400, True)


@pytest.mark.parametrize("charset", ["utf-16", "nonsense", "utf-8"])
def test_a_charset_that_is_not_true_harms_nothing(client: httpx2.Client, charset: str) -> None:
    told = sent(client, content="Fehler: größe".encode("gbk", "ignore"), headers={"content-type": f"text/plain; charset={charset}"})
    assert told["text"] or told["files"]
