"""Windows events in the forms in which people export, print and paste them."""

from __future__ import annotations

import pytest
from taken import records

from triage.formats.windows import WindowsEvent

VIEWER = r"""Log Name:      System
Source:        nvlddmkm
Date:          2/6/2021 9:14:05 PM
Event ID:      14
Task Category: None
Level:         Error
Computer:      DL-PC
Description:
The description for Event ID 14 from source nvlddmkm cannot be found.

The following information was included with the event: 

\Device\Video7
0cec(3098) 00000000 00000000

Event Xml:
<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
  <System>
    <Provider Name="nvlddmkm" />
    <EventID Qualifiers="49322">14</EventID>
    <TimeCreated SystemTime="2021-02-06T20:14:05.1186342Z" />
  </System>
  <EventData>
    <Data>\Device\Video7</Data>
  </EventData>
</Event>

Log Name:      System
Source:        Display
Date:          2/6/2021 9:14:06 PM
Event ID:      4101
Level:         Warning
Computer:      DL-PC
Description:
Display driver nvlddmkm stopped responding and has successfully recovered.

Traceback (most recent call last):
  File "train.py", line 3, in <module>"""


def test_event_viewer_copy_counts_once_and_leaves_other_text() -> None:
    first, second = records(VIEWER, WindowsEvent())
    assert (first.fields["event_id"], first.fields["host"], first.fields["level"]) == (14, "DL-PC", "error")
    assert first.lines[-1].text == "</Event>"
    assert "0cec(3098)" in first.text
    assert second.fields["event_id"] == 4101
    assert second.lines[-1].text.startswith("Display driver")
    assert first.time is not None
    assert first.time.kind == "naive"


@pytest.mark.parametrize(
    "heads",
    [
        ("日志名称", "来源", "日期", "事件 ID", "任务类别", "级别", "计算机", "描述"),
        ("Protokollname", "Quelle", "Datum", "Ereignis-ID", "Aufgabenkategorie", "Ebene", "Computer", "Beschreibung"),
        (
            "Nom du journal ",
            "Source ",
            "Date ",
            "ID de l\u2019événement ",
            "Catégorie ",
            "Niveau ",
            "Ordinateur ",
            "Description ",
        ),
        ("Имя журнала", "Источник", "Дата", "Код события", "Категория задачи", "Уровень", "Компьютер", "Описание"),
        ("ログの名前", "ソース", "日付", "イベント ID", "タスクのカテゴリ", "レベル", "コンピューター", "説明"),
        ("Lokinimi", "Lahde", "Paiva", "Tapahtuma", "Luokka", "Taso", "Kone", "Kuvaus"),
    ],
)
def test_headings_of_many_languages(heads: tuple[str, ...]) -> None:
    values = ("System", "Display", "2025-02-20 19:44:07", "4101", "-", "2", "WS-14", "")
    text = "\n".join(f"{head}: {value}" for head, value in zip(heads, values, strict=True)) + "\nxx nvlddmkm xx"
    (record,) = records(text, WindowsEvent())
    assert (record.fields["provider"], record.fields["event_id"], record.fields["host"]) == ("Display", 4101, "WS-14")
    assert record.fields["level"] == "error"
    assert record.text.strip() == "xx nvlddmkm xx"


def test_wevtutil_text_and_powershell_lists() -> None:
    text = r"""Event[0]:
  Log Name: System
  Source: nvlddmkm
  Date: 2025-02-20T18:44:07.1012000Z
  Event ID: 153
  Level: Error
  Computer: WS-LAB-07
  Description: 
The following information was included with the event: 

\Device\Video3
Resetting TDR occurred on GPUID:100

Event[1]:
  Log Name: System
  Source: Display
  Date: 2025-02-20T18:44:09.0000000Z
  Event ID: 4101
  Level: Warning
  Description: 
Display driver nvlddmkm stopped responding and has successfully recovered.

TimeCreated  : 2/20/2025 7:44:07 PM
ProviderName : nvlddmkm
Id           : 14
Message      : The description for Event ID 14 from source nvlddmkm cannot be found. Either the
               component that raises this event is not installed.
               
               \Device\Video3

TimeCreated  : 2/20/2025 7:44:09 PM
ProviderName : Display
Id           : 4101
Message      : Display driver nvlddmkm stopped responding."""
    found = records(text, WindowsEvent())
    assert [(r.fields["origin"], r.fields["event_id"]) for r in found] == [
        ("nvlddmkm", 153), ("display", 4101), ("nvlddmkm", 14), ("display", 4101),
    ]  # fmt: skip
    assert found[0].fields["pci"] == "0000:01:00"
    assert found[2].fields["interface"] == "\\Device\\Video3"


def test_tables() -> None:
    text = """   ProviderName: nvlddmkm

TimeCreated                     Id LevelDisplayName Message
-----------                     -- ---------------- -------
2/20/2025 7:44:07 PM           153 Error            The description for Event ID '153' in source 'nvlddmkm' c...

TimeCreated            Id ProviderName
-----------            -- ------------
2025/3/4 8:01:09      219 Microsoft-Windows-Kernel-PnP"""
    first, second = records(text, WindowsEvent())
    assert (first.fields["provider"], first.fields["event_id"]) == ("nvlddmkm", 153)
    assert (second.fields["origin"], second.fields["event_id"]) == ("kernel-pnp", 219)


def test_csv_with_quoted_lines_and_localized_heads() -> None:
    text = (
        '"TimeCreated";"ProviderName";"Id";"LevelDisplayName";"MachineName";"Message"\n'
        '"11.01.2025 08:02:13";"Microsoft-Windows-Kernel-PnP";"411";"Fehler";"WS-14";"Problem bei ROOT\\UNNAMED_DEVICE\\0001.\n\n'
        "Treibername: oem21.inf\nKlassen-GUID: {62f9c741-b25a-46ce-b54c-9bccce08b6f2}\nDienst: nvpcf\nUntere Filter: \n"
        'Problem: 0x0\nProblemstatus: 0xC00000E5"\n'
        "级别,日期和时间,来源,事件 ID,任务类别\n"
        '错误,2025/2/20 下午 7:44:07,nvlddmkm,153,无,"无法找到描述。\n\n\\Device\\Video3"'
    )
    first, second = records(text, WindowsEvent())
    assert (first.fields["unit"], first.fields["ntstatus"], first.fields["device_kind"]) == (
        "nvpcf",
        "0xC00000E5",
        "helper",
    )
    assert "device_code" not in first.fields
    assert (second.fields["event_id"], second.fields["interface"]) == (153, "\\Device\\Video3")
    assert second.time is not None
    assert second.time.seconds == 1740080647


def test_xml_line_and_payload_names() -> None:
    xml = (
        "<Event xmlns='x'><System><Provider Name='Microsoft-Windows-WHEA-Logger'/><EventID>17</EventID><Level>3</Level>"
        "<TimeCreated SystemTime='2025-01-01T00:00:00.000Z'/><Computer>A</Computer></System><EventData>"
        "<Data Name='Segment'>0x0</Data><Data Name='Bus'>0x0</Data><Data Name='Device'>0x1</Data>"
        "<Data Name='Function'>0x0</Data><Data Name='SecondaryBus'>0x1</Data></EventData></Event>"
    )
    (record,) = records(xml, WindowsEvent())
    assert (record.fields["root_port"], record.fields["pci"]) == ("0000:00:01.0", "0000:01:00")
    rendered = xml.replace("</EventData>", "</EventData><RenderingInfo><Message>a&#13;&#10;b</Message></RenderingInfo>")
    (shown,) = records(rendered, WindowsEvent())
    assert shown.text == "a | b"


def test_windbg_dump_is_one_record() -> None:
    text = """7: kd> !analyze -v
DPC_WATCHDOG_VIOLATION (133)
Arg1: 0000000000000001, The system cumulatively spent an extended period of time
BUGCHECK_CODE:  133
BUGCHECK_P1: 1
PROCESS_NAME:  python.exe
MODULE_NAME: nvlddmkm
IMAGE_NAME:  nvlddmkm.sys
FAILURE_BUCKET_ID:  0x133_ISR_nvlddmkm!unknown_function
Followup:     MachineOwner
---------"""
    (record,) = records(text, WindowsEvent())
    assert (record.fields["bugcheck"], record.fields["module"], record.fields["p1"]) == ("0x133", "nvlddmkm.sys", "0x1")


def test_json_of_powershell() -> None:
    text = """[
    {
        "TimeCreated":  "/Date(1740077047000)/",
        "Id":  153,
        "ProviderName":  "nvlddmkm",
        "LevelDisplayName":  "Error",
        "Message":  "The description cannot be found.\\r\\n\\\\Device\\\\Video3\\r\\nError occurred on GPUID: 100"
    },
    {
        "Id":  4101,
        "ProviderName":  "Display",
        "Message":  "x"
    }
]"""
    first, second = records(text, WindowsEvent())
    assert (first.fields["event_id"], first.fields["pci"], second.fields["event_id"]) == (153, "0000:01:00", 4101)
    assert first.time is not None
    assert first.time.seconds == 1740077047
    assert records('{"id": 7, "source": "web", "text": "hello"}', WindowsEvent()) == []


def test_friendly_view() -> None:
    text = """- System

  - Provider

   [ Name]  Microsoft-Windows-Kernel-Power
   [ Guid]  {331c3b3a-2005-44c2-ac5e-77220c37d6b4}

   EventID 41

   Level 1

  - TimeCreated

   [ SystemTime]  2025-02-20T18:44:07.1186342Z

   Computer WS-1


- EventData

  BugcheckCode 278
  BugcheckParameter1 0xffff950c8b0f7010
  SleepInProgress 0

It happens when I train a model."""
    (record,) = records(text, WindowsEvent())
    assert (record.fields["event_id"], record.fields["bugcheck"], record.fields["host"]) == (41, "0x116", "WS-1")
    assert "train" not in record.lines[-1].text
