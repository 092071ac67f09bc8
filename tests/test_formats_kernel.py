"""Kernel and syslog lines: headers, joined messages, and what stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.clock import iso
from triage.formats import read
from triage.formats.headers import head
from triage.formats.kernel import Kernel
from triage.model import Line, Record


def lines(text: str, **fields: str) -> list[Line]:
    return [Line(i, one, one, dict(fields)) for i, one in enumerate(text.strip("\n").split("\n"), 1)]


def records(text: str, **fields: str) -> list[Record]:
    return read(lines(text, **fields), "test")


MESSAGE = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
HEADERS = [
    ("[  812.345678] ", "+812.346 s", {"boot": 812.345678}),
    ("<6>[  812.3] ", "+812.300 s", {"level": "info"}),
    ("[  812.345678][   T12] ", "+812.346 s", {}),
    ("[  812.345678] [  C12] ", "+812.346 s", {}),
    ("[Tue Mar 11 10:02:11 2025] ", "2025-03-11T10:02:11", {}),
    ("[Di Mär 11 10:02:11 2025] ", "2025-03-11T10:02:11", {}),
    ("kern  :warn  : [  812.345678] ", "+812.346 s", {"level": "warn"}),
    ("kern  :err   : [Tue Mar 11 10:02:11 2025] ", "2025-03-11T10:02:11", {"level": "err"}),
    ("2025-03-11T10:02:11.1+01:00 node7 kernel: ", "2025-03-11T09:02:11.100Z", {"host": "node7"}),
    ("2025-03-11T10:02:11+0100 node7 kernel: [  812.345678] ", "2025-03-11T09:02:11Z", {"host": "node7", "boot": 812.345678}),
    ("2025-03-11T10:02:11,345678+01:00 ", "2025-03-11T09:02:11.346Z", {}),
    ("Tue 2025-03-11 10:02:11 UTC node7 kernel: ", "2025-03-11T10:02:11Z", {"host": "node7"}),
    ("<4>1 2025-03-11T10:02:11Z node7 kernel - - - ", "2025-03-11T10:02:11Z", {"host": "node7", "level": "warn"}),
    ("1741687331.123456 node7 kernel: ", "2025-03-11T10:02:11.123Z", {"host": "node7"}),
    ("[  812.345678] node7 kernel: ", "+812.346 s", {"host": "node7"}),
    ("kernel: [16450076.43] ", "+16450076.430 s", {}),
    ("4,1234,812345678,-;", "+812.346 s", {"level": "warn"}),
    ("node7: [  812.345678] ", "+812.346 s", {"host": "node7"}),
    ("/var/log/messages-20250311:12:2025-03-11T10:02:11+00:00 node8 kernel: ", "2025-03-11T10:02:11Z", {"host": "node8"}),
    ("kern.log:[  812.345678] ", "+812.346 s", {}),
    ("", "", {}),
]


@pytest.mark.parametrize(("header", "shown", "fields"), HEADERS)
def test_header_comes_off(header: str, shown: str, fields: dict[str, object]) -> None:
    (found,) = records(header + MESSAGE)
    assert found.format == "kernel"
    assert found.text == MESSAGE
    assert (iso(found.time) if found.time else "") == shown
    assert found.fields["ident"] == "kernel"
    assert found.fields | fields == found.fields


@pytest.mark.parametrize("header", ["Mar 11 10:02:11 node7 kernel: ", "mar 11 10:02:11 node7 kernel: [  812.345678] ",
                                    "<4>Mar 11 10:02:11.123456 node7 kernel: ", "3月 11 10:02:11 node7 kernel: "])  # fmt: skip
def test_the_wall_clock_of_the_header_goes_before_boot_seconds(header: str) -> None:
    (found,) = records(header + MESSAGE)
    assert found.text == MESSAGE
    assert found.fields["host"] == "node7"
    assert found.time is not None
    assert found.time.kind == "naive"
    assert iso(found.time)[4:19] == "-03-11T10:02:11"


def test_the_header_of_the_wrapper_counts() -> None:
    (found,) = records(MESSAGE, ident="kernel", time="1741687331000000", host="dgx-c3")
    assert (found.format, found.text, found.fields["host"]) == ("kernel", MESSAGE, "dgx-c3")
    assert found.time is not None
    assert iso(found.time) == "2025-03-11T10:02:11Z"
    (found,) = records("Main process exited", ident="systemd", pid="1", time="1741687331000000")
    assert (found.format, found.fields["ident"], found.fields["pid"]) == ("syslog", "systemd", "1")


@pytest.mark.parametrize(
    ("text", "ident", "pid", "message"),
    [
        ("Jun 28 14:21:05 gpu-n2 nvidia-persistenced[88411]: Started (88411)", "nvidia-persistenced", "88411", "Started (88411)"),
        ("2031-08-16T07:51:20.867784-04:00 localhost nvidia-persistenced: PID file closed.", "nvidia-persistenced", None, "PID file closed."),
        ("2031-08-16T07:51:20.191423-04:00 localhost (udev-worker)[88377]: nvidia: Process failed", "(udev-worker)", "88377", "nvidia: Process failed"),
        ("2025-03-11T10:02:11+0100 node7 systemd[1]: Reloading.", "systemd", "1", "Reloading."),
        ("mar 04 09:42:36 aula-07 systemd-modules-load[402]: Failed to insert module", "systemd-modules-load", "402", "Failed to insert module"),
        ("[  812.345678] node7 systemd[1]: Started foo: bar", "systemd", "1", "Started foo: bar"),
    ],
)
def test_syslog(text: str, ident: str, pid: str | None, message: str) -> None:
    (found,) = records(text)
    assert (found.format, found.text) == ("syslog", message)
    assert (found.fields["ident"], found.fields.get("pid")) == (ident, pid)
    assert found.fields["host"]


@pytest.mark.parametrize(
    "text",
    [
        "2025-03-11T10:02:11Z INFO trainer: loss 1",
        "2025-03-11 10:02:11 worker trainer: loss 1",
        "Mar 11 10:02:11 ERROR trainer: loss",
        "[    12.345] (EE) NVIDIA(0): Failed to initialize the NVIDIA GPU",
        "step [0.5] loss 2.1",
        "the log said NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        'watching kmsg regex "NVRM: Xid.*"',
    ],
)
def test_lines_of_programs_are_neither(text: str) -> None:
    assert head(Line(1, text, text)) is None


def test_a_traceback_of_a_service_is_a_traceback() -> None:
    head_ = "Oct 11 15:19:41 aibox train[1188]: "
    body = ["Traceback (most recent call last):", '  File "/srv/a.py", line 3, in <module>', "    main()",
            '  File "/srv/a.py", line 2, in main', "    raise ValueError(1)", "ValueError: 1"]  # fmt: skip
    found = records("\n".join(head_ + one for one in body) + "\nOct 11 15:19:42 aibox systemd[1]: train.service: Failed")
    assert [(r.format, len(r.lines)) for r in found] == [("traceback", 6), ("syslog", 1)]
    assert found[0].fields["ident"] == "train"
    assert found[0].lines[0].text.startswith("Oct 11")


AER = """
[1.000001] pcieport 0000:3a:01.0: AER: Multiple Correctable error message received from 0000:3b:00.0
[1.000002] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)
[1.000003] nvidia 0000:3b:00.0:   device [10de:2330] error status/mask=00000001/00000000
[1.000004] nvidia 0000:3b:00.0:    [ 0] RxErr                  (First)
[1.000005] nvidia 0000:3b:00.0: AER:   TLP Header: 40000001 0000000f 92000000 00000000
[1.000006] pcieport 0000:3a:01.0: AER: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)
[1.000007] pcieport 0000:3a:01.0: AER:   device [8086:2030] error status/mask=00001000/00002000
[1.000008] pcieport 0000:3a:01.0: AER:    [12] Timeout
[1.000009] pcieport 0000:3a:01.0: AER:   Error of this Agent is reported first
"""
OLD_AER = """
[74590.410366] pcieport 0000:80:02.0: AER: Corrected error received: id=8010
[74590.410380] pcieport 0000:80:02.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, id=8010(Transmitter ID)
[74590.410496] pcieport 0000:80:02.0:   device [8086:6f04] error status/mask=00001000/00002000
[74590.410559] pcieport 0000:80:02.0:    [12] Replay Timer Timeout  
"""
LONE_AER = """
[1.0000] nvme 0000:3d:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
[1.0001] nvme 0000:3d:00.0:   device [144d:a808] error status/mask=00000001/0000e000
[1.0002] nvme 0000:3d:00.0:    [ 0] RxErr
"""


@pytest.mark.parametrize("block", [AER, OLD_AER, LONE_AER])
def test_an_aer_block_is_one_record(block: str) -> None:
    found = records(block.strip("\n") + "\n" + block.strip("\n") + "\n[1.1000] pcieport 0000:3a:01.0: AER: device recovery failed")
    size = len(block.strip("\n").split("\n"))
    assert [len(r.lines) for r in found] == [size, size, 1]
    assert found[0].fields["device"]


def test_a_foreign_line_ends_an_aer_block() -> None:
    first, *rest = AER.strip("\n").split("\n")
    found = records("\n".join([first, "[1.000001] usb 1-1: new device", *rest]))
    assert [len(r.lines) for r in found] == [1, 1, 4, 4]


WRAPPED = [
    ["API mismatch: the client 'nvidia-smi' (pid 90211)", "has the version 550.120, but this kernel module has",
     "the version 550.90.07.  Please make sure that this", "kernel module and all NVIDIA driver components", "have the same version."],
    ["The NVIDIA GPU 0000:3b:00.0", "(PCI ID: 10de:20b2) installed in this system has", "fallen off the bus and is not responding to commands."],
    ["The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:1c82)", "installed in this system is not supported by the", "NVIDIA 580.95.05 driver release.",
     "Please see 'Appendix A - Supported NVIDIA GPU Products'", "in this release's README, available on the operating system",
     "specific graphics driver download page at www.nvidia.com."],
    ["The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:2d04)", "installed in this system requires use of the NVIDIA open kernel modules."],
    ["A GPU crash dump has been created. If possible, please run", "nvidia-bug-report.sh as root to collect this data before",
     "the NVIDIA kernel module is unloaded."],
    ["This PCI I/O region assigned to your NVIDIA device is invalid:", "BAR1 is 0M @ 0x0 (PCI:0000:3b:00.0)"],
    ["request_mem_region failed for 16M @ 0x92000000. This can", "occur when a driver such as rivatv is loaded and claims",
     "ownership of the device's registers."],
    ["The NVIDIA probe routine was not called for 1 device(s).", "This can occur when a driver such as: ", "nouveau, rivafb, nvidiafb or rivatv ",
     "was loaded and obtained ownership of the NVIDIA device(s).", "Try unloading the conflicting kernel module (and/or",
     "reconfigure your kernel without the conflicting", "driver(s)), then try loading the NVIDIA kernel module", "again."],
]  # fmt: skip
ALONE = ["NVRM: Xid (PCI:0000:3b:00): 45, pid=7194, name=python, Ch 00000010", "NVRM: rpcSendMessage failed with status 0x00000065 for fn 76!",
         "NVRM: GPU at PCI:0000:3b:00: GPU-11111111-2222-3333-4444-555555555555", "NVRM: GPU Board Serial Number: ",
         "NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x65:2477)", "NVRM: rm_init_adapter failed, device minor number 0",
         "NVRM: kgspHealthCheck_TU102: **** GSP-CrashCat Report ****", "NVRM: No NVIDIA graphics adapter probed!",
         "NVRM: None of the NVIDIA devices were initialized."]  # fmt: skip


@pytest.mark.parametrize("message", WRAPPED)
@pytest.mark.parametrize("header", ["[   12.345678] ", "Mar 11 10:02:11 node7 kernel: ", ""])
def test_a_wrapped_nvrm_message_is_one_record(message: list[str], header: str) -> None:
    whole = [f"NVRM: {part}" for part in message]
    for after in ALONE:
        found = records("\n".join(header + one for one in (*whole, after)))
        assert [r.text for r in found] == ["\n".join(whole), after]
    assert [len(r.lines) for r in records("\n".join(header + one for one in whole * 2))] == [len(whole)] * 2


def test_a_message_printed_under_one_header() -> None:
    found = records(
        "[88213.557121] NVRM: GPU 0000:43:00.0: GPU has fallen off the bus.\n"
        "[88213.557140] NVRM: A GPU crash dump has been created. If possible, please run\n"
        "               NVRM: nvidia-bug-report.sh as root to collect this data before\n"
        "               NVRM: the NVIDIA kernel module is unloaded.\n"
    )
    assert [len(r.lines) for r in found] == [1, 3]
    assert found[1].text.split("\n")[2] == "NVRM: the NVIDIA kernel module is unloaded."
    (found_one,) = records("Jul 02 21:04:36 ml-box app[12]: first line\n                                second line")
    assert found_one.text.split("\n")[0] == "first line"


@pytest.mark.parametrize("header", ["[   12.345678] ", "Mar 11 10:02:11 node7 kernel: "])
def test_own_nvrm_messages_stay_apart(header: str) -> None:
    assert [r.text for r in records("\n".join(header + one for one in ALONE * 2))] == ALONE * 2


def test_sxid_takes_its_data_lines() -> None:
    found = records(
        "[1.00001] nvidia-nvswitch2: SXid (PCI:0000:86:00.0): 22013, Non-fatal, Link 32 minion (First)\n"
        "[1.00002] nvidia-nvswitch2: SXid (PCI:0000:86:00.0): 22013, Severity 0 Engine instance 12 Sub-engine instance 00\n"
        "[1.00003] nvidia-nvswitch2: SXid (PCI:0000:86:00.0): 22013, Data {0x00000012, 0x00000000}\n"
        "[1.00004] nvidia-nvswitch1: SXid (PCI:0000:85:00.0): 22013, Data {0x00000012, 0x00000000}\n"
        "[1.00005] nvidia-nvswitch1: SXid (PCI:0000:85:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    )
    assert [len(r.lines) for r in found] == [3, 1, 1]


def test_call_traces_belong_to_what_they_trace() -> None:
    found = records(
        "[801335.200000] INFO: task nvidia-smi:771201 blocked for more than 120 seconds.\n"
        "[801335.200100]       Tainted: P           OE     5.15.0-58-generic #64-Ubuntu\n"
        '[801335.200200] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.\n'
        "[801335.200300] task:nvidia-smi      state:D stack:    0 pid:771201 ppid:     1 flags:0x00004006\n"
        "[801335.200400] Call Trace:\n"
        "[801335.200450]  <TASK>\n"
        "[801335.200500]  __schedule+0x24e/0x590\n"
        "[801335.200600]  _nv039547rm+0x10/0x40 [nvidia]\n"
        "[801335.200700] RIP: 0033:0x43d9d7\n"
        "[801335.200800] RAX: 000000002f1a56e0 RBX: 00007f804c3f04f0 RCX: 00000000000476e0\n"
        "[801456.200000] INFO: task dcgm-exporter:4410 blocked for more than 241 seconds.\n"
        "[801456.300000] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
        "[801456.300001] Call Trace:\n"
        "[801456.300002]  dump_stack_lvl+0x5c/0x90\n"
    )
    assert [len(r.lines) for r in found] == [10, 1, 1, 1, 1]


def test_hardware_error_lines_of_one_record_are_joined() -> None:
    found = records(
        "[1.00001] {1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1\n"
        "[1.00002] {1}[Hardware Error]: event severity: recoverable\n"
        "[1.00003] mce: [Hardware Error]: Machine check events logged\n"
        "[1.00004] {1}[Hardware Error]:   device_id: 0000:3d:00.0\n"
        "[1.00005] {2}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1\n"
    )
    assert [len(r.lines) for r in found] == [2, 1, 1, 1]


PIECES = [*(header for header, _, _ in HEADERS), "Mar 11 10:02:11 node7 app[12]: ", "               ", "NVRM: ", "GPU 0000:3b:00.0",
          "pcieport 0000:3a:01.0: ", "PCIe Bus Error: ", " foo+0x1/0x2", "BUG: ", "|   0  NVIDIA", "+-----------------------+", "    Key : v"]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=4).map("".join), max_size=25))
def test_every_line_is_in_exactly_one_record(texts: list[str]) -> None:
    own = [Line(i, text, text) for i, text in enumerate(texts)]
    found = read(own, "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    for one in found:
        assert len(one.offsets) == len(one.lines)


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=12).filter(lambda w: w[0] not in "[<")


@given(st.sampled_from(HEADERS[:-1]), st.lists(WORDS, min_size=1, max_size=6).map(" ".join))
def test_the_message_survives_its_header(header: tuple[str, str, dict[str, object]], words: str) -> None:
    text = header[0] + "NVRM: " + words
    (line,) = [Line(1, text, text)]
    found = Kernel().take([line], 0)
    assert found is not None
    assert found.text == "NVRM: " + words
