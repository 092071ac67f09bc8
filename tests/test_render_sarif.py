"""SARIF that the standard's schema accepts, with the cause apart from its symptoms."""

from __future__ import annotations

import json

import pytest
from forms import sarif_schema
from hypothesis import given
from hypothesis import strategies as st
from reports import fault, healthy, hostile, unknown

from triage.model import Evidence, Finding, Place, Report
from triage.render.sarif import as_dict, render


def problems(report: Report) -> list[str]:
    return [error.message for error in sarif_schema().iter_errors(json.loads(render(report)))]


@pytest.mark.parametrize("make", [fault, healthy, unknown, hostile, lambda: Report("nothing-understood", "")])
def test_it_is_valid(make):
    assert problems(make()) == []


def test_the_schema_would_refuse_another_log():
    data = as_dict(fault())
    data["runs"][0]["results"][0]["level"] = "fatal"
    assert list(sarif_schema().iter_errors(data))


def test_a_cause_has_the_level_of_its_severity_and_a_symptom_is_a_note():
    run = as_dict(fault())["runs"][0]
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels["xid-79"] == "error"
    assert levels["pcie-aer-corrected"] == "warning"
    assert levels["cuda-launch-failure"] == levels["torchrun-childfailed"] == "note"
    assert levels["driver-load"] == "none"
    assert [result["properties"]["when"] for result in run["results"]][-1] == "earlier"


def test_rules_and_places_fit_the_results():
    run = as_dict(fault())["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    top = run["results"][0]
    place = top["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "dmesg.txt"}
    assert (place["region"]["startLine"], place["region"]["startColumn"], place["region"]["endColumn"]) == (17, 28, 60)
    assert place["region"]["snippet"]["text"][27:59].startswith("NVRM")
    assert top["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "rank3.log"
    assert "lspci -s 0000:3b:00 -vv" in rules[0]["help"]["text"]
    assert "pci=noaer" in rules[0]["help"]["text"]
    assert rules[0]["helpUri"].startswith("https://docs.nvidia.com/")
    assert "_helper" not in top["properties"]["entities"]


def test_what_could_not_be_read_is_a_notification():
    run = as_dict(fault())["runs"][0]
    assert [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]] == ["a core dump, not a log"]
    assert run["invocations"][0]["executionSuccessful"]


@given(st.text(max_size=40), st.text(max_size=80), st.integers(-3, 100), st.integers(-3, 100), st.integers(0, 10))
def test_any_name_and_line_is_valid(name, text, start, end, line):
    found = Finding("x", text, "cause", "error", "likely", first=Place("", name, line), evidence=[Evidence(name, line, text, (start, end))])
    assert problems(Report("fault", text, [found])) == []
