"""The headers of kernel lines in all their spellings, and every Xid and SXid number behind them."""

from __future__ import annotations

import re

import pytest

from triage.clock import iso
from triage.formats.headers import head
from triage.library.library import Library
from triage.library.loader import load_library
from triage.model import Line
from triage.pipeline import match_text

LIBRARY = load_library()
UNKNOWN = {"xid": (178, 185, 199, 255, 999), "sxid": (10999, 29999)}
XID_FORMS = {
    "plain": "[  812.345678] NVRM: Xid (PCI:0000:3b:00): {}, Ch 00000008",
    "old": "Mar 11 10:02:11 node7 kernel: NVRM: Xid (0000:3b:00): {}, Channel 00000001",
    "process": "[  812.345678] NVRM: Xid (PCI:0000:3b:00): {}, pid=41877, name=ray::Worker, Ch 00000008",
    "pid alone": "[  812.345678] NVRM: Xid (PCI:0000:3b:00): {}, pid=41877, Ch 00000008",
    "unknown process": "[Tue Mar 11 10:02:11 2025] NVRM: Xid (PCI:0000:3b:00): {}, pid='<unknown>', name=<unknown>, text",
    "MIG": "[  812.345678] NVRM: Xid (PCI:0000:3b:00 GPU-I:05): {}, pid=7194, text",
    "MIG compute": "[  812.345678] NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): {}, pid=7194, name=python, text",
    "function": "kernel: NVRM: Xid (PCI:0000:3b:00.0): {}, text",
    "upper case": "kern  :warn  : [  812.345678] NVRM: Xid (PCI:0000:3B:00): {}, text",
    "long domain": "4,1,812345678,-;NVRM: Xid (PCI:00000000:3b:00): {}, text",
    "dmesg -H": "[Mar11 10:02] NVRM: Xid (PCI:0000:3b:00): {}, text",
    "dmesg -H, later": "[  +0.000031] NVRM: Xid (PCI:0000:3b:00): {}, text",
    "Talos": "10.0.0.5: kern:     err: [2025-03-11T10:02:11.123456789Z]: NVRM: Xid (PCI:0000:3b:00): {}, text",
    "journal": '{{"__REALTIME_TIMESTAMP": "1741687331120000", "_HOSTNAME": "n7", "_TRANSPORT": "kernel", "SYSLOG_IDENTIFIER": "kernel", "MESSAGE": "NVRM: Xid (PCI:0000:3b:00): {}, text"}}',
    "pdsh": "gpu003: NVRM: Xid (PCI:0000:3b:00): {}, text",
    "console": "rz2 login: [  812.345678] NVRM: Xid (PCI:0000:3b:00): {}, text",
    "clock": "1:14:43  NVRM: Xid (PCI:0000:3b:00): {}, text",
    "number alone": "NVRM: Xid (PCI:0000:3b:00): {}",
    "plugin": "I0614 13:20:31.402311       1 health.go:185] XidCriticalError: Xid={} on Device=GPU-11111111-2222-3333-4444-555555555555; marking device as unhealthy.",
    "gpud": "XID {}(some words) detected on PCI:0000:3b:00",
}  # fmt: skip
SXID_FORMS = {
    "fatal": "[  812.345678] nvidia-nvswitch0: SXid (PCI:0000:c5:00.0): {}, Fatal, Link 30 some words",
    "non-fatal": "Mar 11 10:02:11 node7 kernel: nvidia-nvswitch12: SXid (PCI:0000:C5:00.0): {}, Non-fatal, Link 61 words",
    "no severity": "[  812.345678] nvidia-nvswitch3: SXid (PCI:0000:c5:00.0): {}, some words",
}  # fmt: skip


def numbers(library: Library, table: str) -> list[int]:
    found = (re.fullmatch(rf"{table}-(\d+)", name) for name in library.signatures)
    return sorted(int(one[1]) for one in found if one)


@pytest.mark.parametrize("form", XID_FORMS)
def test_every_xid_is_named_in_every_form(form: str) -> None:
    known = numbers(LIBRARY, "xid")
    assert len(known) >= 156
    _all_named("xid", XID_FORMS[form], known)


@pytest.mark.parametrize("form", SXID_FORMS)
def test_every_sxid_is_named_in_every_form(form: str) -> None:
    known = numbers(LIBRARY, "sxid")
    assert len(known) >= 262
    _all_named("sxid", SXID_FORMS[form], known)


def _all_named(table: str, form: str, known: list[int]) -> None:
    wanted = [*known, *UNKNOWN[table]]
    named: dict[object, set[str]] = {}
    for match in match_text("\n".join(form.format(number) for number in wanted), LIBRARY):
        if match.id.startswith(f"{table}-"):
            named.setdefault(match.entities[table], set()).add(match.id)
            if "pci" in match.entities:
                assert match.entities["pci"] in ("0000:3b:00", "0000:c5:00")
    for number in wanted:
        expected = f"{table}-{number}" if number in known else f"{table}-unknown"
        assert any(name == expected or name.startswith(expected) for name in named.get(number, ())), number


MESSAGE = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."


@pytest.mark.parametrize(
    ("header", "host", "shown"),
    [
        ("10.20.30.29: kern: warning: [2026-04-22T21:27:51.291660856Z]: ", "10.20.30.29", "2026-04-22T21:27:51.292Z"),
        ("kern:    info: [2024-08-11T12:19:05.867315943Z]: ", None, "2024-08-11T12:19:05.867Z"),
        ("xyz 15 07:56:59 testowy kernel: ", "testowy", ""),  # a month of a language that is not known
        ("        Mar 21 21:42:01 kernel: [ 812.345678] ", None, "-03-21T21:42:01"),  # quoted inside a list
        (" kernel:[  812.345678] ", None, "+812.346 s"),  # syslogd's message to all terminals
        ("Mar 21 21:42:01 ", None, "-03-21T21:42:01"),
        ("1:14:43  ", None, ""),
        ("gpu003: ", "gpu003", ""),
        ("gpu-a01.example.org: [  812.345678] ", "gpu-a01.example.org", "+812.346 s"),
        ("gpu003: Mar 21 21:42:01 gpu003 kernel: ", "gpu003", "-03-21T21:42:01"),
        ("MESSAGE=", None, ""),
        ("    MESSAGE=", None, ""),
        ('[XID found] (54 minutes ago) "', None, ""),
    ],
)
def test_rarer_headers_come_off(header: str, host: str | None, shown: str) -> None:
    found = head(Line(1, header + MESSAGE, header + MESSAGE))
    assert found is not None
    assert (found.ident, found.size, found.host) == ("kernel", len(header), host)
    assert (iso(found.time) if found.time else "").endswith(shown)


def test_the_letter_of_a_level_is_no_host() -> None:
    assert head(Line(1, text := "Feb 09 13:10:12 E torch.distributed: failed (exitcode: -9)", text)) is None
    assert head(Line(1, text := "Feb 09 13:10:12 e torch.distributed: failed (exitcode: -9)", text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Mar 21 21:42:01 epoch 3 of 10 done",
        "MESSAGE=Started session 4 of user root.",
        "kernel:size 3x3, stride 2",
        '[XID found] (54 minutes ago) "something else"',
        "gpu003: epoch 3 of 10 done",
        "1:14:43 epoch 3 of 10 done",
        "user: warning: the model is not compiled",
    ],
)
def test_other_lines_have_no_kernel_header(text: str) -> None:
    found = head(Line(1, text, text))
    assert found is None or found.ident != "kernel"
