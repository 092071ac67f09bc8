"""What playbooks may advise, what only with a warning, and which commands cannot be right."""

from __future__ import annotations

import pytest

from triage.library.advice import advices, check_advice, check_commands
from triage.library.playbook import parse_playbook


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
        (
            "Raise the NCCL timeout.",
            "Raise the NCCL timeout only after the rank that stopped is found: it hides a hang.",
        ),
        ("Boot with iommu=off.", "Boot with iommu=off; it weakens the isolation of devices."),
        (
            "Boot with pcie_aspm=off.",
            "Boot with pcie_aspm=off, only against storms of corrected errors; costs idle power.",
        ),
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
        ("Check.\n  `triage repair gpu-present`", "triage has no command 'repair'"),
        ("Check with `triage repair gpu-present`.", "triage has no command 'repair'"),
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


def test_firmware_settings_on_windows_need_bitlocker() -> None:
    assert advised("Switch Above 4G Decoding on.", "windows")
    assert advised("Suspend BitLocker, then switch Above 4G Decoding on.", "windows") == []
    assert advised("Switch Above 4G Decoding on.") == []


def test_every_rule_says_why() -> None:
    assert all(len(rule.say) > 20 for rule in [*advices().never, *advices().warn])
    assert all(rule.needs for rule in advices().warn)
