"""The JSON contract: names, nesting, order, and text that is safe to show."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from forms import schema
from reports import fault, healthy, hostile, unknown

from triage import model
from triage.render.json import as_dict, render

TOP = ["schema_version", "tool", "verdict", "summary", "findings", "earlier", "unexplained", "missing", "sources", "timeline", "stats", "notes"]
FINDING = [
    "id", "title", "role", "severity", "confidence", "why", "incident", "entities", "count", "first", "last", "evidence", "explains",
    "explained_by", "action", "action_vendor", "playbook", "recheck", "means", "decoded", "sources",
]  # fmt: skip


@pytest.mark.parametrize("make", [fault, healthy, unknown])
def test_round_trip(make):
    assert json.loads(render(make())) == as_dict(make())


def test_names_and_order_are_the_contract():
    data = as_dict(fault())
    assert list(data) == TOP
    assert data["schema_version"] == 1
    assert data["tool"]["name"] == "triage"
    assert data["tool"]["library"] == "abc123"
    first = data["findings"][0]
    assert list(first) == FINDING
    assert first["entities"] == {"gpu": 2, "host": "node07", "pci": "0000:3b:00", "rank": 3, "xid": 79}
    assert first["evidence"][0]["span"] == [27, 59]
    assert first["first"] == {"time": "2024-03-14T10:02:11", "source": "dmesg.txt", "line": 17}
    assert first["playbook"]["steps"][0]["command"] == ["lspci", "-s", "0000:3b:00", "-vv"]
    assert list(data["stats"]) == ["lines", "templates", "seconds"]
    assert data["sources"][2]["note"] == "a core dump, not a log"


def test_the_same_report_gives_the_same_bytes():
    assert render(fault()) == render(fault())


def test_hostile_text_is_escaped_and_comes_back_whole():
    shown = render(hostile())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", shown)
    assert "显卡" in shown
    back = json.loads(shown)
    assert back["findings"][0]["evidence"][0]["text"] == hostile().findings[0].evidence[0].text
    assert back["findings"][0]["evidence"][5]["text"].endswith("\ud800 surrogate")
    assert back["stats"]["seconds"] is None
    shown.encode("utf-8")


def names(value: object, node: dict, defs: dict) -> None:
    """Asserts that the schema knows every key of a value, and names no other (but for translations and outcomes)."""
    node = defs[node["$ref"].split("/")[-1]] if "$ref" in node else node
    if "anyOf" in node:
        node = node["anyOf"][-1]
    if isinstance(value, dict) and "properties" in node:
        assert set(value) <= set(node["properties"])
        assert set(node.get("required", ())) <= set(value)
        for key, item in value.items():
            names(item, node["properties"][key], defs)
    elif isinstance(value, list) and "items" in node:
        for item in value:
            names(item, node["items"], defs)


@pytest.mark.parametrize("make", [fault, healthy, unknown, hostile])
def test_the_published_schema_is_that_of_the_report(make):
    data = json.loads(render(make()))
    assert [error.message for error in schema().iter_errors(data)] == []
    names(data, schema().schema, schema().schema["$defs"])


def test_the_published_schema_lists_all_fields_and_words():
    known = schema().schema
    finding = known["$defs"]["finding"]["properties"]
    assert list(known["properties"]) == TOP == known["required"]
    assert set(finding) == {*FINDING, "title_zh", "summary_zh"}
    assert known["$defs"]["finding"]["required"] == FINDING
    assert finding["action"]["enum"] == list(model.ACTIONS)
    assert finding["severity"]["enum"] == list(model.SEVERITIES)
    assert finding["role"]["enum"] == list(get_args(model.Role))
    assert finding["confidence"]["enum"] == list(get_args(model.Confidence))
    assert known["properties"]["verdict"]["enum"] == list(get_args(model.Verdict))
    step = finding["playbook"]["anyOf"][1]["properties"]["steps"]["items"]
    assert step["properties"]["risk"]["enum"] == ["", *model.RISKS]
    assert set(step["required"]) == set(as_dict(fault())["findings"][0]["playbook"]["steps"][0])


@pytest.mark.parametrize(("key", "value"), [("verdict", "maybe"), ("findings", {}), ("summary", None), ("schema_version", 2)])
def test_the_published_schema_refuses_what_is_none(key, value):
    assert list(schema().iter_errors(as_dict(fault()) | {key: value}))
