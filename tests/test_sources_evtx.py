"""Binary event logs: all events, fields and text, and what a damaged file says."""

from __future__ import annotations

import pytest

from tests.evtx_writer import Event, evtx
from triage.formats.windows import WindowsEvent
from triage.sources.evtx import evtx_lines, split_events

TDR = [
    Event("nvlddmkm", 153, ["\\Device\\Video3", "Error occurred on GPUID: 100"]),
    Event("Display", 4101, ["nvlddmkm", ""], level=3, time="2025-02-20T18:44:09.004000Z"),
    Event("Microsoft-Windows-Kernel-Power", 41, {"BugcheckCode": "278", "BugcheckParameter1": "0xffff950c8b0f7010"}, level=1),
]


def test_events_become_lines_with_fields() -> None:
    lines, note = evtx_lines(evtx(TDR), "System.evtx")
    assert note == ""
    assert [line.number for line in lines] == [1, 2, 3]
    assert lines[0].text == "nvlddmkm 153: \\Device\\Video3 | Error occurred on GPUID: 100"
    assert lines[0].fields["host"] == "WS-LAB-07"
    assert lines[0].fields["time"] == "2025-02-20T18:44:07.101200Z"
    assert lines[2].fields["data_BugcheckCode"] == "278"


def test_the_format_reads_the_lines() -> None:
    lines, _ = evtx_lines(evtx(TDR), "System.evtx")
    records = [WindowsEvent().take(lines, at) for at in range(3)]
    assert all(records)
    first, second, third = (record.fields for record in records if record)
    assert (first["event_id"], first["pci"], first["level"]) == (153, "0000:01:00", "error")
    assert (second["origin"], second["module"], second["level"]) == ("display", "nvlddmkm", "warning")
    assert (third["bugcheck"], third["p1"]) == ("0x116", "0xffff950c8b0f7010")
    stamp = records[1].time if records[1] else None
    assert stamp is not None
    assert stamp.kind == "zoned"
    assert stamp.seconds == 1740077049.004


def test_many_chunks_and_other_scripts() -> None:
    events = [Event("Service Control Manager", 7036, [f"服务 {i}", "正在运行"], level=4) for i in range(150)]
    lines, note = evtx_lines(evtx(events), "System.evtx")
    assert len(lines) == 150
    assert note == ""
    assert "服务 149 | 正在运行" in lines[-1].text


def test_a_cut_file_is_named() -> None:
    data = evtx([Event("Display", 4101, ["nvlddmkm"])] * 150)
    lines, note = evtx_lines(data[: 4096 + 65536 + 30000], "System.evtx")
    assert 0 < len(lines) < 150
    assert "cut" in note


def test_gaps_in_the_record_ids_are_named() -> None:
    events = [Event("Display", 4101, ["nvlddmkm"], record_id=number) for number in (7, 8, 12)]
    _, note = evtx_lines(evtx(events), "System.evtx")
    assert note == "3 record numbers between 7 and 12 are missing"


def test_other_data_is_refused() -> None:
    with pytest.raises(ValueError, match=r"System\.evtx"):
        evtx_lines(b"no event log at all", "System.evtx")


def test_damage_inside_does_not_raise() -> None:
    data = bytearray(evtx(TDR * 20))
    data[4096 + 3000 : 4096 + 3040] = b"\xff" * 40
    lines, note = evtx_lines(bytes(data), "System.evtx")
    assert len(lines) < 60
    assert "damaged" in note


def test_xml_on_one_line_is_split() -> None:
    text = "<Events><Event xmlns='x'>a</Event><Event xmlns='x'>b</Event></Events>"
    assert split_events(text).splitlines() == ["<Events>", "<Event xmlns='x'>a</Event>", "<Event xmlns='x'>b</Event></Events>"]
    assert split_events("plain text") == "plain text"
