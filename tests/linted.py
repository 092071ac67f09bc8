"""A small library with one signature of each kind, whose files can be changed one by one to see what lint says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from triage.library.library import Problem
from triage.library.lint import lint

XID = """\
id: xid-79
title: GPU has fallen off the bus
severity: fatal
role: cause
action: reboot-node
match:
  - {use: xid, where: 'xid == 79'}
key: [host, pci]
means: |
  The driver can no longer reach the GPU.
playbook: gpu-off-the-bus
recheck: [gpu-present]
sources: ['https://docs.nvidia.com/deploy/xid-errors/']
examples:
  match:
    - {text: '[74694.384138] NVRM: Xid (PCI:0000:82:00): 79, GPU has fallen off the bus.', entities: {pci: '0000:82:00', xid: 79}}
  ignore:
    - {text: '[74694.384138] NVRM: Xid (PCI:0000:82:00): 43, pid=4711, name=python3, Ch 00000008'}
"""
OOM = """\
id: cuda-oom
title: Out of GPU memory
severity: fatal
role: cause
action: debug-app
match:
  - {regex: 'CUDA out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)'}
means: The device has no room for the request.
playbook: cuda-memory
sources: ['c10/cuda/CUDACachingAllocator.cpp']
types: {requested: bytes}
examples:
  match:
    - {text: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 0 has a total capacity of 139.80 GiB', entities: {requested: 300.00 GiB}}
  ignore:
    - {text: 'the words out of memory alone'}
"""
HEADERS = """\
headers:
  xid:
    formats: [kernel]
    regex: 'NVRM: Xid \\((?:PCI:)?(?P<pci>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}(?:\\.[0-7])?)\\): (?P<xid>\\d+)\\b'
    types: {pci: pci, xid: int}
"""
LINKS = """\
- cause: xid-79
  effect: cuda-oom
  relation: explains
  join: [host]
  strength: usual
  source: NVIDIA Xid catalogue, row 79
"""
BOOK = """\
---
id: NAME
title: The remedy
applies_to: [linux]
sources: ['https://docs.nvidia.com/deploy/xid-errors/']
---
What is to be done.

## Confirm
- [read-only @host] Is it there?
  `lspci -s {pci} -vv`

## Fix
- [reboot @host] Power it off and on.

## Do not
- Do not set `pci=noaer`: it hides the messages, not the fault.
"""
TABLE = """\
table: xid
use: xid
select: xid
id: 'xid-{xid}'
defaults: {playbook: gpu-off-the-bus, key: [host, pci], sources: ['https://docs.nvidia.com/deploy/xid-errors/'], means: Halt.}
rows:
  - {xid: 62, title: Internal micro-controller halt}
examples:
  match:
    - {id: xid-62, text: '[1.0] NVRM: Xid (PCI:0000:3b:00): 62, pid=1'}
  ignore:
    - {text: 'NVRM: Xid (PCI:0000:3b:00) without a number'}
"""
FILES = {
    "signatures/headers.yaml": HEADERS,
    "signatures/causality.yaml": LINKS,
    "signatures/nvidia/xid-79.yaml": XID,
    "signatures/pytorch/cuda-oom.yaml": OOM,
    "playbooks/gpu-off-the-bus.md": BOOK.replace("NAME", "gpu-off-the-bus"),
    "playbooks/cuda-memory.md": BOOK.replace("NAME", "cuda-memory"),
}
Lint = Callable[..., list[Problem]]


def linter(folder: Path) -> Lint:
    """Lints the small library in `folder`, with some of its files changed, added, or (None) left out."""

    def run(**changed: str | None) -> list[Problem]:
        names = {Path(name).stem.replace("-", "_"): name for name in FILES}
        files: dict[str, str | None] = {**FILES}
        for key, text in changed.items():
            files[names.get(key, f"signatures/nvidia/{key.replace('_', '-')}.yaml")] = text
        for name, text in files.items():
            if text is not None:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        return lint([folder], builtin=False)

    return run


def replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def said(problems: list[Problem], words: str) -> list[Problem]:
    return [p for p in problems if words in p.message]
