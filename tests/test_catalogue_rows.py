"""Every row of every table is known by a message of its table's form, and by no other number."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from triage.library.loader import load_library
from triage.library.proof import read_examples
from triage.pipeline import match_texts

KNOWN = load_library()
EXAMPLES = [one for one in read_examples(KNOWN) if one.table and one.wanted]
ROWS: dict[str, dict[str, int]] = defaultdict(dict)  # table -> id -> number
for _one in KNOWN.signatures.values():
    if _one.table and not _one.unknown_of and (_found := re.search(r"(\d+)$", _one.id)):
        ROWS[_one.table][_one.id] = int(_found[1])


@pytest.mark.parametrize("table", sorted(ROWS))
def test_each_row_holds_on_a_message_with_its_number(table: str) -> None:
    rows = ROWS[table]
    forms = [e for e in EXAMPLES if e.table == table and e.id in rows and re.search(rf"\b{rows[e.id]}\b", e.text)]
    assert forms, "the table has no example that holds the number of its row"
    own = rows[forms[0].id]
    texts = [(re.sub(rf"\b{own}\b", str(number), forms[0].text), "paste") for number in rows.values()]
    wrong = {
        name: [m.id for m in matches]
        for name, matches in zip(rows, match_texts(texts, KNOWN), strict=True)
        if [m.id for m in matches if KNOWN.signatures[m.id].table == table] != [name]
    }
    assert wrong == {}


CUDA = {
    name: {int(n) for pattern in one.match if "cuda_error" in pattern.where for n in re.findall(r"\d+", pattern.where)}
    for name, one in KNOWN.signatures.items()
    if name != "cuda-error-unknown-number" and any("<cuda_error>" in p.regex and p.where for p in one.match)
}  # signature -> the numbers that it knows


@pytest.mark.parametrize("form", ["CUDA error: {}", "Cuda error {} at x.cu:12", "CUDA driver error: {}", "CUDA Runtime Error Code={}"])
def test_a_bare_number_of_cuda_has_one_owner(form: str) -> None:
    assert len({n for numbers in CUDA.values() for n in numbers}) >= 140
    numbers = range(1, 1100)
    wrong = {}
    for number, matches in zip(numbers, match_texts([(form.format(n), "paste") for n in numbers], KNOWN), strict=True):
        owners = {name for name, own in CUDA.items() if number in own}
        found = {m.id for m in matches if m.id in CUDA}
        if found != owners or len(owners) > 1:
            wrong[number] = (found, owners)
    assert wrong == {}


DEVICE = (
    "Instance ID:                PCI\\VEN_10DE&DEV_2204&SUBSYS_38971462&REV_A1\\4&1f3b7c52&0&0008\n"
    "Device Description:         NVIDIA GeForce RTX 3090\nStatus:                     Problem\nProblem Code:               "
)
BUGCHECK = (
    "Log Name:      System\nSource:        {}\nDate:          2/6/2021 9:14:05 PM\nEvent ID:      {}\n"
    "Level:         Error\nComputer:      DL-PC\nDescription:\n{}"
)
# A family of ids that end in a number, the base of that number, and how messages write it.
WRITTEN = {
    "xid": (10, "NVRM: Xid (PCI:0000:3b:00): {:d}, pid=1, name=a, Ch 00000008"),
    "xid of a plugin": (10, "XidCriticalError: Xid={:d} on Device=GPU-11111111-2222-3333-4444-555555555555; unhealthy."),
    "sxid": (10, "nvidia-nvswitch0: SXid (PCI:0000:c5:00.0): {:d}, Fatal, Link 30 words"),
    "exit-code": (10, "command terminated with exit code {:d}"),
    "exit-code of a pod": (10, "      Exit Code:    {:d}"),
    "nvml-error": (10, "nvmlInit() returned {:d}"),
    "nccl-result": (10, "node7:4711:4802 [0] NCCL INFO bootstrap.cc:96 -> {:d}"),
    "win-code": (10, "NVIDIA GeForce RTX 3090: words. (Code {:d})"),
    "win-code in Chinese": (10, "NVIDIA GeForce RTX 3090:单词。(代码 {:d})"),
    "win-code in eight digits": (10, DEVICE + "{:08X}"),
    "win-code in hexadecimal": (10, DEVICE + "0x{:X}"),
    "win-code in both": (10, DEVICE + "{0:d} (0x{0:02X})"),
    "win-bugcheck": (16, BUGCHECK.format("Microsoft-Windows-WER-SystemErrorReporting", 1001, "The bugcheck was: 0x{:08x} (0x1, 0x2, 0x3, 0x4).")),
    "win-bugcheck in a dump": (16, "BugCheck {:X}, {{1, 2, 3, 4}}"),
    "win-livekernel": (16, "Fault bucket , type 0\nEvent Name: LiveKernelEvent\nProblem signature:\nP1: {:x}\n"),
}  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_a_neighbouring_number_is_no_other_row(written: str) -> None:
    """No row holds on a number that begins or ends with its own, is ten times it, or is written alike in another base."""
    base, form = WRITTEN[written]
    family = re.compile(written.split()[0] + r"-([0-9a-f]+)$" if base == 16 else written.split()[0] + r"-(\d+)$")
    own = {int(found[1], base) for name in KNOWN.signatures if (found := family.match(name))}
    assert len(own) >= 3
    near = {m for n in own for m in (n, n * 10, n * 10 + 3, n // 10, n * 16, n // 16, n + 1, n - 1, n + 1000, int(f"1{n}"))}
    near |= {int(str(n), 16) for n in own} | {int(f"{n:x}") for n in own if f"{n:x}".isdecimal()}
    numbers = sorted(n for n in near if n > 0)
    wrong = {}
    hits = 0
    for number, matches in zip(numbers, match_texts([(form.format(n), "paste") for n in numbers], KNOWN), strict=True):
        found = {int(one[1], base) for m in matches if (one := family.match(m.id))}
        hits += number in found
        if found - {number}:
            wrong[number] = found
    assert wrong == {}
    assert hits >= 0.9 * len(own)
