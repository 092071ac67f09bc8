"""Which steps of a playbook are shown, and how each is labelled."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.model import RISKS, Finding, Step
from triage.render.lang import say

# The risk of the step that carries out an action.
_STEP_OF = {
    "debug-app": "restart-job", "restart-app": "restart-job", "restart-service": "restart-service",
    "reset-gpu": "reset-gpu", "reboot-node": "reboot", "check-hardware": "hardware", "rma": "hardware",
}  # fmt: skip
_ESCALATED = ("restart-service", "reset-gpu", "drain", "reboot-node")  # actions on a machine that may not be enough
_DRAIN = re.compile(r"(?i)\bdrain|out of service|\bcordon")
_ORDER = ("Confirm", "Fix", "If it returns", "Verify")


def steps(finding: Finding, most: int | None = None) -> tuple[list[Step], int]:
    """The steps to show, at most `most`, and how many are left out. "Do not" items are not among them.

    Whatever is left out, these stay, in the order of the page: the first look, the step that is the action of the
    finding, what must be saved before it, and what to do when it does not help.
    """
    found = finding.playbook.steps if finding.playbook else []
    known = [s for name in _ORDER for s in found if s.section == name]
    known += [s for s in found if s.section not in (*_ORDER, "Do not")]
    if most is None or len(known) <= most:
        return known, 0
    confirm = [s for s in known if s.section == "Confirm"]
    rest = [s for s in known if s.section != "Confirm"]
    wanted = [*_needed(confirm, rest, finding.action), *confirm[: max(most // 2, most - len(rest))], *rest]
    kept = {id(step) for step in list({id(step): step for step in wanted}.values())[:most]}
    return [step for step in known if id(step) in kept], len(known) - len(kept)


def _needed(confirm: Sequence[Step], rest: Sequence[Step], action: str) -> list[Step]:
    """The steps that are never left out, the most needed first."""
    does = next((at for at, step in enumerate(rest) if _does(step, action)), None)
    if does is None:
        return [*confirm[:1], *rest[:1]]
    after = [s for s in rest[does + 1 :] if s.section != "Verify" and _rank(s) > _rank(rest[does])]
    before = sorted((s for s in rest[:does] if s.section == rest[does].section), key=_rank)  # evidence to save first
    return [rest[does], *confirm[:1], *(after[:1] if action in _ESCALATED else ()), *before[:2]]


def _rank(step: Step) -> int:
    return RISKS.index(step.risk) if step.risk in RISKS else 0


def _does(step: Step, action: str) -> bool:
    if step.section not in ("Fix", "If it returns"):
        return False
    return bool(_DRAIN.search(step.text)) if action == "drain" else step.risk == _STEP_OF.get(action)


def tag(step: Step, windows: bool = False) -> str:
    """`[reset-gpu]`, with the place where it is done if that is not the machine of the logs: `[restart-job @code]`."""
    known = step.where in ("", "host") or (step.where == "windows" and windows)
    known |= step.where == "code" and not step.command  # a change of the program: the text says so
    place = "" if known else f" @{step.where}"
    return f"[{step.risk}{place}]" if step.risk else ""


def told(step: Step) -> str:
    """The text of the step; one that only checks the repair says so."""
    return f"{say('Verify')}: {step.text}" if step.section == "Verify" else step.text


def windows(finding: Finding) -> bool:
    """Whether the finding is about a Windows machine, whose shells quote in their own way."""
    return finding.id.startswith("win-")


def warnings(finding: Finding) -> list[str]:
    """The "Do not" items of the playbook."""
    return [s.text for s in finding.playbook.steps if s.section == "Do not"] if finding.playbook else []
