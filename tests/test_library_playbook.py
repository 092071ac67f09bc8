"""Playbooks are read strictly, every fault with its line."""

from __future__ import annotations

import pytest

from triage.library.library import Problem
from triage.library.playbook import parse_playbook, split_command

GOOD = """\
---
id: gpu-off-the-bus
title: A GPU has fallen off the bus
applies_to: [linux]
sources: ['https://docs.nvidia.com/deploy/xid-errors/']
---
Bring the card back, then find out why it left.
It seldom comes back by itself.

## Confirm
- [read-only @host] Is the card still on the bus?
  `lspci -s {pci} -vv`
  Expect: the device with `Status: Cap+`;
  `rev ff` or nothing means that it is gone.

## Fix
- [reboot @host] Drain the node, then power it off and on;
  a warm reboot may not restore the link.

## Do not
- Do not set `pci=noaer`: it hides the messages, not the fault.

## Verify
- [read-only @host] The probe sees it again.
  `triage recheck gpu-present --gpu {gpu}`
"""


def problems(text: str) -> list[Problem]:
    return parse_playbook(text, "playbooks/gpu-off-the-bus.md")[1]


def test_a_good_page_is_read_whole() -> None:
    book, found = parse_playbook(GOOD, "playbooks/gpu-off-the-bus.md")
    assert found == []
    assert book is not None
    assert (book.id, book.applies_to) == ("gpu-off-the-bus", ["linux"])
    assert book.summary == "Bring the card back, then find out why it left. It seldom comes back by itself."
    assert list(book.sections) == ["Confirm", "Fix", "Do not", "Verify"]
    step = book.sections["Confirm"][0]
    assert (step.risk, step.where, step.section) == ("read-only", "host", "Confirm")
    assert step.command == ["lspci", "-s", "{pci}", "-vv"]
    assert step.expect == "the device with `Status: Cap+`; `rev ff` or nothing means that it is gone."
    assert book.sections["Fix"][0].text.endswith("a warm reboot may not restore the link.")
    assert book.sections["Do not"][0].risk == ""
    assert [line for _, line in book.steps()] == [11, 17, 21, 24]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("## Confirm", "## Confrm", 10, "unknown heading 'Confrm'; did you mean 'Confirm'?"),
        ("## Confirm", "### Confirm", 10, "second-level"),
        ("- [read-only @host] Is", "- Is", 11, "without a risk"),
        ("[reboot @host] Drain", "[rebot @host] Drain", 17, "unknown risk 'rebot'; did you mean 'reboot'?"),
        ("[reboot @host] Drain", "[reboot @hots] Drain", 17, "unknown place 'hots'; did you mean 'host'?"),
        ("[reboot @host] Drain", "[reboot] Drain", 17, "does not say where"),
        ("`lspci -s {pci} -vv`", "`lspci -s {pci} | grep LnkSta`", 12, "'|' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci > out.txt`", 12, "'>' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci && reboot`", 12, "'&&' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci ; reboot`", 12, "';' in a command"),
        ("`lspci -s {pci} -vv`", "`kill $(pidof python)`", 12, "'$(' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci -s $PCI`", 12, "'$P' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci -s <pci>`", 12, "'<' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci -s 'open`", 12, "cannot be split"),
        ("title: A", "titel: A", 3, "unknown field 'titel'; did you mean 'title'?"),
        ("[linux]", "[linus]", 4, "unknown platform 'linus'; did you mean 'linux'?"),
        ("[linux]", "[linux", 5, "not YAML"),
        ("id: gpu-off-the-bus\n", "", 1, "`id` is missing"),
        ("## Fix", "## Fix\nStray words.", 17, "outside of a step"),
        ("## Verify", "## Confirm", 23, "stands twice"),
        ("---\nid", "id", 1, "front matter is missing"),
    ],
)
def test_each_fault_is_named_with_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    assert any(p.line == line and message in p.message for p in found), [str(p) for p in found]


def test_read_only_steps_come_first() -> None:
    page = GOOD.replace("## Do not", "- [read-only @host] Look.\n\n## Do not")
    assert [(p.line, p.message) for p in problems(page)] == [
        (20, "read-only after reboot: read-only steps come first")
    ]


def test_operators_inside_quotes_and_blanks_are_words() -> None:
    page = GOOD.replace("`lspci -s {pci} -vv`", "`python -c \"import torch; print(1 > 0)\" --since '{time-5m}'`")
    book, found = parse_playbook(page, "x.md")
    assert found == []
    assert book is not None
    command = book.sections["Confirm"][0].command
    assert command == ["python", "-c", "import torch; print(1 > 0)", "--since", "{time-5m}"]


def test_a_backslash_is_a_separator_on_windows_only() -> None:
    assert split_command(r"type C:\Windows\x.log", windows=True) == ["type", r"C:\Windows\x.log"]
    assert split_command(r"ls a\ b") == ["ls", "a b"]
