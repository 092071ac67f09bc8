"""The steps that a person needs are shown, however few fit."""

from __future__ import annotations

import pytest
from reports import fault

from triage.model import Advice, Finding, Step
from triage.render import markdown, steps
from triage.render.page import plain
from triage.render.terminal import render


def test_the_step_of_the_action_is_never_hidden():
    shown = plain(render(fault()))
    assert "Drain the node, then power it off and on" in shown
    cause = fault().findings[0]
    assert cause.playbook
    cause.action = "check-hardware"
    assert "hardware" in [step.risk for step in steps.steps(cause, 3)[0]]


def test_where_a_step_runs_is_told_when_it_is_elsewhere():
    report = fault()
    assert report.findings[0].playbook
    report.findings[0].playbook.steps[0].where = "login-node"
    try:
        assert "[read-only @login-node] Is the card" in plain(render(report))
        assert "`read-only @login-node`" in markdown.render(report)
    finally:
        report.findings[0].playbook.steps[0].where = "host"


def test_a_step_that_checks_the_repair_says_so() -> None:
    assert steps.told(Step("Three steps pass.", "Verify")) == "Verify: Three steps pass."
    assert steps.told(Step("Restart it.", "Fix")) == "Restart it."


def advice(*steps: tuple[str, str, str]) -> Finding:
    found = Finding("x", "X", "cause", "fatal", "likely", action="reset-gpu")
    found.playbook = Advice("p", "P", [Step(text, section, risk) for text, section, risk in steps])
    return found


RESET = (
    ("Look.", "Confirm", "read-only"), ("Look again.", "Confirm", "read-only"), ("Look there.", "Confirm", "read-only"),
    ("Stop the jobs.", "Fix", "restart-job"), ("Save the evidence.", "Fix", "read-only"),
    ("Reset it.", "Fix", "reset-gpu"), ("If that fails, power cycle.", "Fix", "reboot"),
    ("Replace it.", "If it returns", "hardware"), ("It answers.", "Verify", "read-only"),
)  # fmt: skip


@pytest.mark.parametrize("most", [3, 4, 5, 6, 7])
def test_what_to_do_when_the_action_does_not_help_is_shown(most):
    found, left = steps.steps(advice(*RESET), most)
    told = [step.text for step in found]
    assert {"Look.", "Reset it.", "If that fails, power cycle."} <= set(told)
    assert ("Save the evidence." in told) == (most >= 4)
    assert ("Stop the jobs." in told) == (most >= 5)
    assert told == [text for text, _, _ in RESET if text in told]  # in the order of the page
    assert len(found) == most == len(RESET) - left


def test_a_program_that_is_to_be_corrected_has_no_step_of_escalation():
    found = advice(
        ("Look.", "Confirm", "read-only"),
        ("One.", "Fix", "restart-job"),
        ("Two.", "Fix", "restart-job"),
        ("Open it.", "Fix", "restart-service"),
    )
    found.action = "debug-app"
    assert [step.text for step in steps.steps(found, 3)[0]] == ["Look.", "One.", "Two."]
