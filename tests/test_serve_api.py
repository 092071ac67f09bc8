from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from tests.desk import HEALTHY, XID, desk
from triage.serve.app import create
from triage.serve.guard import HEADERS
from triage.serve.settings import Settings

SETTINGS = Settings(url="https://triage.example", text=1 << 20, upload=4 << 20, rate="10000/minute")
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with desk(tmp_path_factory.mktemp("desk")) as made, TestClient(create(made, SETTINGS)) as client:
        yield client


def analyze(client: TestClient, **kwargs: Any) -> Any:
    answer = client.post("/api/v1/analyze", **kwargs)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    "kwargs",
    [
        {"content": XID, "headers": {"content-type": "text/plain"}},
        {"json": {"text": XID}},
        {"data": {"text": XID}},
        {"files": {"files": ("dmesg.txt", XID.encode())}},
        {"content": XID.encode("utf-16"), "headers": {"content-type": "text/plain"}},
        {"content": gzip.compress(XID.encode()), "headers": {"content-type": "text/plain", "content-encoding": "gzip"}},
        {"content": zlib.compress(XID.encode()), "headers": {"content-type": "text/plain", "content-encoding": "deflate"}},
    ],
    ids=["text", "json", "form", "file", "utf-16", "gzip", "deflate"],
)
def test_the_same_answer_however_it_is_sent(client: TestClient, kwargs: dict[str, Any]) -> None:
    told = analyze(client, **kwargs)
    assert told["report"]["findings"][0]["id"] == "xid-79"
    assert told["link"] == f"https://triage.example/r/{told['id']}"


def test_several_files_are_one_incident_and_keep_their_names(client: TestClient) -> None:
    files = [("files", ("dmesg.txt", XID.encode())), ("files", ("../../etc/rank0.log", b"RuntimeError: CUDA error: unspecified launch failure"))]
    report = analyze(client, files=files)["report"]
    assert {source["name"] for source in report["sources"]} == {"dmesg.txt", "rank0.log"}


def test_a_report_is_kept_until_its_token_deletes_it(client: TestClient) -> None:
    told = analyze(client, json={"text": f"token {SECRET}\n{XID}"})
    kept = client.get(f"/api/v1/reports/{told['id']}", params={"include": ["report", "text"]}).json()
    assert kept["report"] == told["report"]
    assert SECRET not in json.dumps(kept)
    assert "fallen off the bus" in kept["text"]
    url = f"/api/v1/reports/{told['id']}"
    assert client.delete(url).status_code == 401
    assert client.delete(url, headers={"authorization": "Bearer guess"}).status_code == 404
    assert client.delete(url, headers={"authorization": f"Bearer {told['token']}"}).status_code == 204
    assert client.get(url).status_code == 404


def test_keep_false_keeps_nothing(client: TestClient) -> None:
    told = analyze(client, json={"text": XID, "keep": False})
    assert (told["id"], told["token"], told["link"]) == ("", "", "")


def test_a_healthy_log_is_called_so(client: TestClient) -> None:
    assert analyze(client, content=HEALTHY, headers={"content-type": "text/plain"})["report"]["verdict"] == "healthy"


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("big.log", b"\0" * (600 << 20))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("kwargs", "status", "says"),
    [
        ({"content": b"x" * (1 << 20) + b"y", "headers": {"content-type": "text/plain"}}, 413, "send it as a file"),
        ({"json": {"text": "x" * (1 << 20) + "y"}}, 413, "send it as a file"),
        ({"files": {"files": ("a", b"x" * (5 << 20))}}, 413, "more than 4 MiB"),
        ({"content": gzip.compress(b"x" * (64 << 20)), "headers": {"content-encoding": "gzip"}}, 413, "more than 4 MiB"),
        ({"content": b"nonsense", "headers": {"content-encoding": "gzip"}}, 400, "not gzip"),
        ({"content": b"x", "headers": {"content-encoding": "br"}}, 415, "gzip, deflate"),
        ({"content": b"x", "headers": {"content-type": "image/png"}}, 415, "text/plain"),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        ({"json": [1]}, 400, "JSON object"),
        ({"json": {"text": 1}}, 422, "no string"),
        ({"json": {"text": XID, "zone": "Mars"}}, 422, "not a known time zone"),
        ({"json": {"text": " \n"}}, 422, "nothing was pasted"),
        ({"content": XID, "headers": {"content-type": "application/x-www-form-urlencoded"}}, 422, "`content-type: text/plain`"),
        ({"content": b"--x", "headers": {"content-type": "multipart/form-data; boundary=y"}}, 400, "multipart"),
        ({"content": b"--x", "headers": {"content-type": "multipart/form-data"}}, 400, "boundary"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_a_sentence(
    client: TestClient, kwargs: dict[str, Any], status: int, says: str
) -> None:
    answer = client.post("/api/v1/analyze", **kwargs)
    assert (answer.status_code, says in answer.json()["error"]) == (status, True), answer.text


def test_a_zip_bomb_is_named_and_the_service_goes_on(client: TestClient) -> None:
    answer = client.post("/api/v1/analyze", files={"files": ("logs.zip", bomb())})
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        assert answer.json()["report"]["verdict"] in ("nothing-understood", "healthy")
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "text",
    ["\x1b]0;owned\x07\x1b[2J", "\x00" * 5000, "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "A" * 900_000, "\n" * 20_000,
     "<script>alert(1)</script>", "{{7*7}} ${jndi:ldap://x} %s%n"],
    ids=["escapes", "nul", "surrogate", "line", "lines", "html", "templates"],
)  # fmt: skip
def test_hostile_text_gets_an_answer(client: TestClient, text: str) -> None:
    told = analyze(client, json={"text": f"{text}\n{XID}"})
    assert told["report"]["findings"][0]["id"] == "xid-79"
    assert "\x1b" not in json.dumps(told, ensure_ascii=False)


def test_each_answer_has_the_headers_of_a_careful_site(client: TestClient) -> None:
    for answer in (client.get("/healthz"), client.get("/nothing"), client.post("/api/v1/analyze", json=[])):
        for name in HEADERS:
            assert name in answer.headers


def test_limits_signatures_and_playbooks_can_be_asked_for(client: TestClient) -> None:
    assert client.get("/api/v1/limits").json()["text_bytes"] == SETTINGS.text
    assert any(one["id"] == "xid-79" for one in client.get("/api/v1/signatures").json())
    assert client.get("/api/v1/signatures/xid-79").json()["title"]
    assert client.get("/api/v1/signatures/nothing").status_code == 404
    assert len(client.get("/api/v1/playbooks").json()) > 50


def test_numbers_count_reports_and_findings(client: TestClient) -> None:
    analyze(client, json={"text": XID})
    told = client.get("/metrics").text
    assert 'triage_reports_total{door="api",verdict="fault"}' in told
    assert 'triage_findings_total{id="xid-79",role="cause"}' in told
    assert 'route="/api/v1/analyze"' in told


def test_too_many_from_one_address_are_told_when_to_come_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    with desk(tmp_path_factory.mktemp("rate")) as made, TestClient(create(made, Settings(rate="2/minute"))) as client:
        statuses = [client.post("/api/v1/analyze", json={"text": XID, "keep": False}).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert int(client.post("/api/v1/analyze", json={"text": XID}).headers["retry-after"]) >= 1
