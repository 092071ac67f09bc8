"""Judges what playbooks advise: nothing that is known to be wrong, nothing risky without its warning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from triage.commands import COMMANDS
from triage.library.library import Problem
from triage.library.playbook import Playbook, did_you_mean
from triage.model import Step

_VARIABLE = re.compile(r"\b(?:NCCL|TORCH|CUDA|PYTORCH)_[A-Z0-9_]*[A-Z0-9]\b(?![_*])")
_INLINE = re.compile(r"`([^`]+)`")
_BLANK = re.compile(r"\{[a-z_]+")
_INSTALLERS = frozenset({"pip", "pip3", "pipx", "uv", "conda", "mamba", "apt", "apt-get", "dnf", "yum", "zypper"})
_PREFIXES = frozenset({"sudo", "env", "python", "python3", "py", "-m"})
_NOT_VARIABLES = re.compile(r"CUDA_(?:ERROR_\w+|SUCCESS|VERSION|ARCH)|NCCL_VERSION|TORCH_(?:CHECK|VERSION)\w*")


@dataclass(slots=True, frozen=True)
class Rule:
    """A piece of advice that is forbidden, or that needs words beside it which match every one of `needs`."""

    name: str
    regex: re.Pattern[str]
    say: str
    needs: tuple[re.Pattern[str], ...] = ()
    unless: re.Pattern[str] | None = None
    where: str = ""

    def speaks_of(self, step: Step, text: str) -> bool:
        """Whether the step gives this advice."""
        if self.where and step.where != self.where:
            return False
        return bool(self.regex.search(text)) and not (self.unless and self.unless.search(text))


@dataclass(slots=True)
class Advices:
    """The rules of a data file such as advice.yaml beside this module."""

    never: list[Rule] = field(default_factory=list)
    warn: list[Rule] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)


def read_advices(text: str) -> Advices:
    """The rules in the YAML `text`. Raises KeyError or re.error for a rule that is not whole."""
    data: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)

    def rule(fields: dict[str, Any]) -> Rule:
        unless = fields.get("unless")
        return Rule(
            fields["name"],
            re.compile(fields["regex"]),
            fields.get("why") or fields["say"],
            tuple(re.compile(need) for need in fields.get("needs", ())),
            re.compile(unless) if unless else None,
            fields.get("where", ""),
        )

    never, warn = ([rule(fields) for fields in data.get(name) or ()] for name in ("never", "warn"))
    return Advices(never, warn, set(data.get("variables") or ()))


@cache
def advices() -> Advices:
    """The rules that come with the package."""
    return read_advices(Path(__file__).with_name("advice.yaml").read_text(encoding="utf-8"))


def said(step: Step) -> str:
    """All words of a step: text, command and expectation."""
    return "\n".join([step.text, " ".join(step.command or ()), step.expect])


def check_advice(playbook: Playbook) -> Iterator[Problem]:
    """What the playbook may not say, with line numbers. Under *Do not* everything may be named."""
    rules = advices()
    summary = Step(playbook.summary, "summary")
    for step, line in [(summary, _summary_line(playbook)), *playbook.steps()]:
        if step.section == "Do not":
            continue
        text = said(step)
        for rule in rules.never:
            if rule.speaks_of(step, text):
                message = f"forbidden advice ({rule.name}): {rule.say}; it may stand only under `## Do not`"
                yield Problem(playbook.path, line, message)
        for rule in rules.warn:
            if rule.speaks_of(step, text) and not all(need.search(text) for need in rule.needs):
                yield Problem(playbook.path, line, f"{rule.name} without its warning in the same step: {rule.say}")
        for name in dict.fromkeys(_VARIABLE.findall(text)):
            if name not in rules.variables and not _NOT_VARIABLES.fullmatch(name):
                hint = did_you_mean(name, rules.variables)
                message = f"unknown variable {name}{hint} (known ones: triage/library/advice.yaml)"
                yield Problem(playbook.path, line, message)


def check_commands(playbook: Playbook) -> Iterator[Problem]:
    """Commands that cannot be right whatever the blanks hold, in command lines and in code inside of sentences.

    `triage` followed by a word that is no command of it, and a package installer that is given a blank: the blank is
    filled from a log, and whoever controls the log, or has registered that name, then runs code.
    """
    for step, line in playbook.steps():
        if step.section == "Do not":
            continue
        spans = [span.split() for span in _INLINE.findall(f"{step.text}\n{step.expect}")]
        for words in [*spans, *([step.command] if step.command else [])]:
            message = _wrong_command(words)
            if message:
                yield Problem(playbook.path, line, message)


def _wrong_command(words: list[str]) -> str:
    """What is wrong with the words of one command, or an empty text."""
    while words and (words[0] in _PREFIXES or "=" in words[0]):
        words = words[1:]
    if len(words) < 2:
        return ""
    if words[0] == "triage" and re.fullmatch(r"[a-z]+", words[1]) and words[1] not in COMMANDS:
        return f"triage has no command {words[1]!r}{did_you_mean(words[1], COMMANDS)}"
    if words[0] in _INSTALLERS and any(_BLANK.search(word) for word in words[1:]):
        return f"{words[0]} takes a name out of a log: anybody can register it; let the reader name the package"
    return ""


def _summary_line(playbook: Playbook) -> int:
    """The line of the first sentence after the front matter."""
    lines = playbook.text.splitlines()
    start = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    return next((i for i, line in enumerate(lines[start + 1 :], start + 2) if line.strip()), 1)
