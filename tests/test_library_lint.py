"""`triage lint` finds each kind of fault, in a small library that has only that one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.library.advice import advices, check_advice, check_commands
from triage.library.library import Problem
from triage.library.lint import lint
from triage.library.playbook import parse_playbook

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
FILES = {
    "signatures/headers.yaml": HEADERS,
    "signatures/causality.yaml": LINKS,
    "signatures/nvidia/xid-79.yaml": XID,
    "signatures/pytorch/cuda-oom.yaml": OOM,
    "playbooks/gpu-off-the-bus.md": BOOK.replace("NAME", "gpu-off-the-bus"),
    "playbooks/cuda-memory.md": BOOK.replace("NAME", "cuda-memory"),
}
Lint = Callable[..., list[Problem]]


@pytest.fixture
def lint_with(tmp_path: Path) -> Lint:
    """Lints the small library with some of its files changed, added, or (None) left out."""

    def run(**changed: str | None) -> list[Problem]:
        names = {Path(name).stem.replace("-", "_"): name for name in FILES}
        files: dict[str, str | None] = {**FILES}
        for key, text in changed.items():
            files[names.get(key, f"signatures/nvidia/{key.replace('_', '-')}.yaml")] = text
        for name, text in files.items():
            if text is not None:
                path = tmp_path / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        return lint([tmp_path], builtin=False)

    return run


def replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def said(problems: list[Problem], words: str) -> list[Problem]:
    return [p for p in problems if words in p.message]


def test_the_small_library_is_clean(lint_with: Lint) -> None:
    assert [str(p) for p in lint_with()] == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("severity:", "serverity:", 3, "unknown field 'serverity'; did you mean 'severity'?"),
        ("severity: fatal", "severity: deadly", 3, "severity"),
        ("id: xid-79", "id: xid-97", 1, "is not the file's name"),
        ("xid == 79", "xid == 80", 16, "match example does not give xid-79 but nothing"),
        ("xid == 79", "xid >= 43", 18, "ignore example gives xid-79"),
        ("xid == 79", "xid === 79", 1, "xid === 79"),
        ("pci: '0000:82:00'", "pci: '0000:83:00'", 16, "entity 'pci' is '0000:82:00', not '0000:83:00'"),
        ("xid: 79}", "xid: 79, rank: 1}", 16, "entity 'rank' is nothing, not 1"),
        ("{use: xid,", "{use: xidd,", 1, "unknown header 'xidd'; did you mean 'xid'?"),
        ("playbook: gpu-off-the-bus", "playbook: gpu-of-the-bus", 1, "no playbook 'gpu-of-the-bus'; did you mean"),
        ("[gpu-present]", "['gpu present; reboot']", 1, "is not the name of a probe"),
        ("key: [host, pci]", "key: [host, pci", 9, "not valid YAML"),
        ("role: cause", "role: cause\nrole: symptom", 5, "'role' stands twice"),
        ("role: cause", "role: cause\nstatus: draft", 1, "is a draft"),
        ("role: cause", "role: cause\nrefines: xid-7", 1, "no signature 'xid-7'"),
    ],
)
def test_faults_of_a_signature(lint_with: Lint, old: str, new: str, line: int, words: str) -> None:
    problems = lint_with(xid_79=replaced(XID, old, new))
    assert [p.line for p in said(problems, words)] == [line], [str(p) for p in problems]


@pytest.mark.parametrize(
    ("regex", "words"),
    [
        ("CUDA (?=out)out of memory", "look-around"),
        ("CUDA out(?!x) of memory", "look-around"),
        ("(?<=CUDA )out of memory", "look-around"),
        ("CUDA (?>out) of memory", "atomic"),
        ("CUDA o++ut of memory", "possessive"),
        ("(CUDA) out of memory|\\1x", "back-reference"),
        ("\\pL out of memory", "engines"),
        ("CUDA out of memory)", "does not compile"),
        ("CUDA (out of memory", "does not compile"),
    ],
)
def test_patterns_outside_the_subset(lint_with: Lint, regex: str, words: str) -> None:
    old = "CUDA out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)"
    problems = lint_with(cuda_oom=replaced(OOM, old, regex))
    found = said(problems, words)
    assert [Path(p.path).name for p in found] == ["cuda-oom.yaml"]
    assert found[0].line == 7


def test_a_pattern_over_several_lines_needs_an_anchor(lint_with: Lint) -> None:
    old = "regex: 'CUDA out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)'"
    new = "regex: 'in main\\n[^\\n]+\\n[^\\n]*out of memory\\. Tried to allocate (?P<requested>[0-9.]+ [KMG]iB)', formats: [traceback]"
    trace = "Traceback (most recent call last):\\n  File \"a.py\", line 1, in main\\n    f()\\ntorch.OutOfMemoryError: "
    text = replaced(OOM, old, new)
    text = text.replace("'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 0 has a total capacity of 139.80 GiB'", '"' + trace.replace('"', '\\"') + 'CUDA out of memory. Tried to allocate 300.00 GiB."')
    problems = lint_with(cuda_oom=text)
    assert said(problems, "no single line of the example holds its pattern")
    assert said(problems, "hyperscan and re2 find other lines")
    anchored = text.replace("formats: [traceback]", "formats: [traceback], anchor: 'out of memory'")
    assert lint_with(cuda_oom=anchored) == []


def test_an_unknown_entity_is_named(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=replaced(OOM, "?P<requested>", "?P<request>"))
    assert said(problems, "unknown entity 'request'; did you mean 'requested'?")


def test_a_signature_needs_an_example(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=OOM[: OOM.index("examples:")])
    assert {p.message for p in problems} == {
        "cuda-oom: no example under `examples: match:`", "cuda-oom: no near miss under `examples: ignore:`",
    }  # fmt: skip


def test_a_signature_needs_a_near_miss(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=OOM[: OOM.index("  ignore:")])
    assert [p.message for p in problems] == ["cuda-oom: no near miss under `examples: ignore:`"]


def test_an_example_that_another_signature_takes(lint_with: Lint) -> None:
    other = XID.replace("id: xid-79", "id: bus-gone").replace("xid == 79", "xid > 70")
    problems = lint_with(bus_gone=other)
    assert sorted(p.message.split(" (")[0] for p in problems) == [
        "the example of bus-gone also gives xid-79",
        "the example of xid-79 also gives bus-gone",
    ]
    refined = other.replace("role: cause", "role: cause\nrefines: xid-79")
    assert not said(lint_with(bus_gone=refined), "the example of bus-gone also")
    assert not lint_with(bus_gone=other.replace("role: cause", "role: context"))[1:]


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


def test_a_table_is_checked_row_by_row(lint_with: Lint) -> None:
    assert lint_with(xid=TABLE) == []
    problems = lint_with(xid=TABLE.replace("{id: xid-62, ", "{"))
    assert said(problems, "names the `id` of its row")
    shown = TABLE.replace("without a number", ": 62, pid=2").replace("{text: 'NVRM", "{text: '[2.0] NVRM").replace(") : 62", "): 62")
    assert [p.line for p in said(lint_with(xid=shown), "ignore example gives xid-62")] == [12]
    unknown = TABLE.replace("{id: xid-62,", "{id: xid-63,")
    assert said(lint_with(xid=unknown), "example of unknown id 'xid-63'; did you mean")


def test_the_same_id_twice(lint_with: Lint) -> None:
    row = "  - {xid: 62, title: Internal micro-controller halt}\n"
    found = said(lint_with(xid=TABLE.replace(row, row + row)), "'xid-62' stands twice")
    assert [(Path(p.path).name, p.line) for p in found] == [("xid.yaml", 8)]


def test_a_link_says_what_it_rests_on(lint_with: Lint) -> None:
    bare = LINKS.replace("  source: NVIDIA Xid catalogue, row 79\n", "")
    assert said(lint_with(causality=bare), "the link names no `source` (or `basis: judgement`)")
    judged = bare + "  basis: judgement\n"
    assert not said(lint_with(causality=judged), "the link names no")
    assert said(lint_with(causality=judged.replace("usual", "sure")), "a judgement is not `sure`")
    assert said(lint_with(causality=judged.replace("usual", "{host: sure}")), "a judgement is not `sure`")
    assert not said(lint_with(causality=LINKS.replace("usual", "sure")), "a judgement is not")


def test_links_name_known_ids(lint_with: Lint) -> None:
    assert said(lint_with(causality=LINKS.replace("xid-79", "xid-78")), "no signature 'xid-78'; did you mean 'xid-79'?")
    assert said(lint_with(causality=LINKS.replace("xid-79", "sxid-*")), "no signature begins with 'sxid-'")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("id: NAME", "id: other-name", 1, "is not the file's name"),
        ("sources: ['https://docs.nvidia.com/deploy/xid-errors/']\n", "", 1, "`sources` is empty"),
        ("Power it off and on.", "Boot with `pci=noaer`.", 14, "forbidden advice (switching AER reports off)"),
        ("What is to be done.", "Set pci=noaer.", 7, "forbidden advice"),
        ("Power it off and on.", "Set `NCCL_P2P_DISABLE=1`.", 14, "NCCL_P2P_DISABLE=1 without its warning"),
        ("Is it there?", "Print `NCCL_DEBG_FILE`.", 10, "unknown variable NCCL_DEBG_FILE; did you mean 'NCCL_DEBUG_FILE'?"),
        ("`lspci -s {pci} -vv`", "`lspci | grep x`", 11, "'|' in a command"),
        ("[reboot @host]", "[magic @host]", 14, "unknown risk 'magic'"),
    ],
)
def test_faults_of_a_playbook(lint_with: Lint, old: str, new: str, line: int, words: str) -> None:
    problems = lint_with(gpu_off_the_bus=replaced(BOOK, old, new).replace("NAME", "gpu-off-the-bus"))
    assert [p.line for p in said(problems, words)] == [line], [str(p) for p in problems]


def test_a_playbook_that_nobody_uses(lint_with: Lint, tmp_path: Path) -> None:
    (tmp_path / "playbooks").mkdir()
    (tmp_path / "playbooks" / "spare.md").write_text(BOOK.replace("NAME", "spare"), encoding="utf-8")
    assert [p.message for p in lint_with()] == ["playbook 'spare' is used by no signature"]


def advised(text: str, where: str = "host", section: str = "Fix") -> list[str]:
    page = f"---\nid: x\ntitle: X\nsources: [y]\n---\nX.\n\n## {section}\n- [reboot @{where}] {text}\n"
    book = parse_playbook(page, "x.md")[0]
    assert book is not None
    return [p.message for p in check_advice(book)]


WRONG = [
    "Boot with `pci=noaer`.", "Disable AER in the BIOS.", "Run bcdedit /set testsigning on.",
    "Run bcdedit /set nointegritychecks on.", "Disable driver signature enforcement.", "Turn off Memory Integrity.",
    "Disable Secure Boot so that the module loads.", "Start nvidia-persistenced -l 512.",
    "Edit /etc/nvidia-persistenced.conf.", "Export NCCL_SOCKET_TIMEOUT=1800.", "Use devcon sethwid on each card.",
    "Assign IRQs by hand.", "Use vGPU on a GeForce card.", "Buy a PCIe 5.0 motherboard.",
    "Pull the power cable of one card while the job runs.", 'Use device_map="auto" and start it with torchrun.',
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_wrong_advice_may_stand_only_under_do_not(text: str) -> None:
    assert [m for m in advised(text) if "forbidden" in m]
    assert advised(text, section="Do not") == []


@pytest.mark.parametrize(
    "text",
    [
        "Remove `pci=noaer` from the kernel command line: somebody has switched the reports off.",
        "Run bcdedit /set testsigning off.",
        "Enrol the key with mokutil rather than disabling Secure Boot.",
        'Load with device_map="auto" in one process.',
        "Disconnect the power cable after the machine is off.",
    ],
)
def test_the_opposite_of_wrong_advice_is_fine(text: str) -> None:
    assert advised(text) == []


@pytest.mark.parametrize(
    ("bare", "warned"),
    [
        ("Set NCCL_P2P_DISABLE=1.", "As a test set NCCL_P2P_DISABLE=1; it also switches NVLink off and is slower."),
        ("Set NCCL_IB_DISABLE=1.", "As a test set NCCL_IB_DISABLE=1; large slowdown."),
        ("Raise the NCCL timeout.", "Raise the NCCL timeout only after the rank that stopped is found: it hides a hang."),
        ("Boot with iommu=off.", "Boot with iommu=off; it weakens the isolation of devices."),
        ("Boot with pcie_aspm=off.", "Boot with pcie_aspm=off, only against storms of corrected errors; costs idle power."),
        ("Force the slot to Gen3.", "As a test force the slot to Gen3; it halves the bandwidth."),
        ("Run nvidia-smi -pl 300.", "Run nvidia-smi -pl 300; it changes the performance for all users of the card."),
        ("Run nvidia-smi --gpu-reset.", "Run nvidia-smi --gpu-reset; it kills every process on that GPU."),
        ("Call empty_cache() in each step.", "Call empty_cache() only at phase changes: it slows training."),
        ("Set expandable_segments:True.", "Set expandable_segments:True where much is reserved but unallocated."),
        ("Run apt purge nvidia-*.", "First list what it takes: apt purge nvidia-* also removes the container toolkit."),
        ("Turn ECC off.", "Turn ECC off: needs a reboot, changes the capacity and removes error detection."),
    ],
)
def test_risky_advice_needs_its_warning(bare: str, warned: str) -> None:
    assert [m for m in advised(bare) if "without its warning" in m]
    assert advised(warned) == []


def commands(step: str, section: str = "Fix") -> list[str]:
    page = f"---\nid: x\ntitle: X\nsources: [y]\n---\nX.\n\n## {section}\n- [restart-job @host] {step}\n"
    book = parse_playbook(page, "x.md")[0]
    assert book is not None
    return [p.message for p in check_commands(book)]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("Check.\n  `triage recheck gpu-present`", "triage has no command 'recheck'"),
        ("Check with `triage recheck gpu-present`.", "triage has no command 'recheck'"),
        ("Read.\n  `triage explian xid-79`", "did you mean 'explain'?"),
        ("Install.\n  `pip install --no-cache-dir {library}`", "pip takes a name out of a log"),
        ("Install.\n  `sudo apt-get install lib{library}-dev`", "apt-get takes a name out of a log"),
        ("Install with `python3 -m pip install {module}`.", "pip takes a name out of a log"),
        ("Install.\n  `conda install -n base {library}`", "conda takes a name out of a log"),
        ("Install.\n  `dnf install {library}`", "dnf takes a name out of a log"),
    ],
)
def test_commands_that_cannot_be_right(step: str, words: str) -> None:
    found = commands(step)
    assert [words in message for message in found] == [True]
    assert commands(step, "Do not") == []


@pytest.mark.parametrize(
    "step",
    [
        "Read.\n  `triage analyze dmesg.txt logs`", "Read.\n  `triage dmesg.txt`", "Read with `triage`.",
        "List.\n  `pip list`", "Install.\n  `pip install torch`", "Show.\n  `nvidia-smi -q -i {pci}`",
    ],
)  # fmt: skip
def test_commands_that_are_fine(step: str) -> None:
    assert commands(step) == []


def test_a_playbook_for_two_systems_names_the_system_of_its_commands(lint_with: Lint) -> None:
    both = BOOK.replace("NAME", "cuda-memory").replace("[linux]", "[linux, windows]")
    found = said(lint_with(cuda_memory=both), "'lspci' is a command of Linux: mark the step [read-only @linux]")
    assert [Path(p.path).name for p in found] == ["cuda-memory.md"]
    assert not said(lint_with(cuda_memory=both.replace("@host", "@linux")), "a command of Linux")


def test_firmware_settings_on_windows_need_bitlocker() -> None:
    assert advised("Switch Above 4G Decoding on.", "windows")
    assert advised("Suspend BitLocker, then switch Above 4G Decoding on.", "windows") == []
    assert advised("Switch Above 4G Decoding on.") == []


def test_every_rule_says_why() -> None:
    assert all(len(rule.say) > 20 for rule in [*advices().never, *advices().warn])
    assert all(rule.needs for rule in advices().warn)


def test_the_shipped_library_is_clean() -> None:
    errors = [str(p) for p in lint() if p.level != "note"]
    assert errors == []
