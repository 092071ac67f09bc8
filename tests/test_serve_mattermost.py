from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from tests.desk import XID, desk
from triage.serve import mattermost
from triage.serve.app import create
from triage.serve.brief import Brief, Told
from triage.serve.settings import Settings

TOKEN = "t0ken"
SETTINGS = Settings(url="https://triage.example")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with (
        desk(tmp_path_factory.mktemp("desk")) as made,
        TestClient(create(made, SETTINGS, [mattermost.routes(made, SETTINGS, TOKEN)])) as client,
    ):
        yield client


def test_a_trigger_word_is_answered_in_the_thread(client: TestClient) -> None:
    said = {"token": TOKEN, "text": f"triage {XID}", "trigger_word": "triage", "channel_id": "c", "team_id": "t"}
    told = client.post("/mattermost", data=said).json()
    assert told["response_type"] == "comment"
    assert "fallen off the bus" in told["text"]
    assert "https://triage.example/r/" in told["text"]


def test_a_slash_command_is_answered_in_the_channel(client: TestClient) -> None:
    told = client.post("/mattermost", data={"token": TOKEN, "text": XID, "command": "/triage"}).json()
    assert told["response_type"] == "in_channel"


def test_nothing_to_read_is_said(client: TestClient) -> None:
    told = client.post("/mattermost", data={"token": TOKEN, "text": " "}).json()
    assert "nothing was pasted" in told["text"]


@pytest.mark.parametrize("token", ["", "guess", "t0ken\N{KELVIN SIGN}"])
def test_another_token_is_refused(client: TestClient, token: str) -> None:
    assert client.post("/mattermost", data={"token": token, "text": XID}).status_code == 401


def test_a_post_fits() -> None:
    line = "根" * 400
    assert len(mattermost.post(Brief("fault", line, line, line * 50, [line] * 40, [Told(line, line)] * 40))) <= 16_383


def test_log_text_is_shown_and_not_obeyed() -> None:
    evil = "@all @channel ![x](http://x.example/i.png) [y](javascript:z) <b> ``` \u202e\x1b[31m"
    text = mattermost.post(Brief("fault", evil, "xid-79", evil, [evil], [Told(evil, evil)], [Told(evil)], evil))
    shown = "".join(part for at, part in enumerate(re.split(r"^ *(`{4,}).*?^ *\1$", text, flags=re.M | re.S)) if at % 2 == 0)
    assert not re.search(r"@(all|channel)|(?<!\\)\[[xy]|(?<!\\)<b", shown)
    assert not set(text) & {"\u202e", "\x1b"}
