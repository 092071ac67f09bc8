"""Windows devices and events in the forms in which people export, print and paste them."""

from __future__ import annotations

import pytest
from taken import records

from triage.formats.windows import WindowsDevice, WindowsEvent
from triage.formats.windows_codes import code_in
from triage.formats.windows_payload import level, origin
from triage.formats.windows_time import stamp

PNPUTIL_ZH = r"""Microsoft PnP 工具

实例 ID:                PCI\VEN_10DE&DEV_1DB6&SUBSYS_124A10DE&REV_A1\4&1f3b7c52&0&0008
设备描述:               NVIDIA Tesla V100-PCIE-32GB
类名:                   Display
状态:                   问题
问题代码:               12 (0x0C) [CM_PROB_NORMAL_CONFLICT]
问题状态:               0x00000000

实例 ID:                ACPI\PNP0A0A\2&daba3ff&1
设备描述:               未知设备
状态:                   问题
问题代码:               28 (0x1C) [CM_PROB_FAILED_INSTALL]
问题状态:               0xC0000490
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Windows has stopped this device because it has reported problems. (Code 43)", 43),
        ("该设备找不到足够资源可以使用。 (代码 12)", 12),
        ("由于该设备有问题，Windows 已将其停止。（代码43）", 43),
        ("Este dispositivo no puede iniciar. (Código 10)", 10),
        ("Запуск этого устройства невозможен. (Код 10)", 10),
        ("このデバイスを開始できません。 (コード 10)", 10),
        ("NVIDIA GeForce RTX 3090 (Code 31)", 31),
        ("Device Manager shows error code 43 for the card", 43),
        ("设备管理器里显示错误代码 43", 43),
        ("Device not started: Device has problem: 0x34: CM_PROB_UNSIGNED_DRIVER.", 52),
        ("process exited. (Code 1)", None),
        ("npm ERR! failed (code 1)", None),
        ("Worker finished (Code 0)", None),
        ("see the table (Code 43)", None),
        ("RmInitAdapter failed! (0x26:0xffff:1290)", None),
        ("Device pending start: Device has problem: 0x38 (CM_PROB_NEED_CLASS_CONFIG)", None),
        ("error code 43", None),
    ],
)
def test_codes_in_text(text: str, code: int | None) -> None:
    assert code_in(text) == code


def test_pnputil_in_another_language() -> None:
    first, second = records(PNPUTIL_ZH, WindowsDevice())
    assert first.fields["device_code"] == 12
    assert first.fields["symbol"] == "CM_PROB_NORMAL_CONFLICT"
    assert first.fields["vendor"] == "10de"
    assert first.fields["device_kind"] == "gpu"
    assert first.fields["device_name"] == "NVIDIA Tesla V100-PCIE-32GB"
    assert "ntstatus" not in first.fields
    assert second.fields["device_kind"] == "other"
    assert second.fields["ntstatus"] == "0xC0000490"


def test_powershell_list_with_a_wrapped_id() -> None:
    text = r"""Status                      : Error
Class                       : Display
FriendlyName                : NVIDIA GeForce RTX 3090
InstanceId                  : PCI\VEN_10DE&DEV_2204&SUBSYS_38971462&REV_A1\4&
                              1F3B7C52&0&0008
Problem                     : CM_PROB_FAILED_POST_START"""
    (record,) = records(text, WindowsDevice())
    assert record.fields["device_code"] == 43
    assert record.fields["instance_id"] == r"PCI\VEN_10DE&DEV_2204&SUBSYS_38971462&REV_A1\4&1F3B7C52&0&0008"


def test_powershell_lists_without_blank_lines() -> None:
    text = (
        "FriendlyName : NVIDIA L40S\nStatus : Error\nProblem : CM_PROB_UNSIGNED_DRIVER\n"
        "FriendlyName : NVIDIA A2\nStatus : Error\nProblem : 12\n"
    )
    rows = records(text, WindowsDevice())
    assert [(row.fields["device_name"], row.fields["device_code"]) for row in rows] == [("NVIDIA L40S", 52), ("NVIDIA A2", 12)]


def test_wmi_list_and_csv() -> None:
    (one,) = records(
        "ConfigManagerErrorCode=12\nName=NVIDIA Tesla V100\nPNPDeviceID=PCI\\VEN_10DE&DEV_1DB6\\3&11", WindowsDevice()
    )
    assert (one.fields["device_code"], one.fields["device_kind"]) == (12, "gpu")
    rows = records(
        '"Status","Class","FriendlyName","Problem","InstanceId"\n'
        '"OK","Display","NVIDIA RTX A6000","CM_PROB_NONE","PCI\\VEN_10DE&DEV_2230\\4&11"\n'
        '"Unknown","Display","NVIDIA GeForce GTX 1080","CM_PROB_PHANTOM","PCI\\VEN_10DE&DEV_1B80\\4&12"',
        WindowsDevice(),
    )
    assert [(row.fields["device_code"], row.fields["status"]) for row in rows] == [(0, "present"), (45, "phantom")]


def test_setupapi_takes_the_device_from_its_section() -> None:
    text = (
        ">>>  [Device Install (Hardware initiated) - PCI\\VEN_10DE&DEV_2204&SUBSYS_38971462&REV_A1\\4&1f3b7c52&0&0008]\n"
        ">>>  Section start 2031/05/02 14:01:58.123\n"
        "!!!  dvi:   Device not started: Device has problem: 0x34 (CM_PROB_UNSIGNED_DRIVER), problem status: 0xc0000428."
    )
    (record,) = records(text, WindowsDevice())
    assert (record.fields["device_code"], record.fields["ntstatus"], record.fields["vendor"]) == (
        52,
        "0xc0000428",
        "10de",
    )


def test_whose_code_it_is() -> None:
    (helper,) = records(
        "NVIDIA Platform Controllers and Framework: This device is not working. (Code 31)", WindowsDevice()
    )
    assert helper.fields["device_kind"] == "helper"
    (other,) = records("Realtek High Definition Audio: This device cannot start. (Code 10)", WindowsDevice())
    assert other.fields["device_kind"] == "other"
    (near,) = records("Device status of NVIDIA GeForce RTX 4090\nThis device cannot start. (Code 10)", WindowsDevice())
    assert (near.fields["device_kind"], near.fields["gpu_model"]) == ("gpu", "NVIDIA GeForce RTX 4090")
    (bare,) = records("This device cannot start. (Code 10)", WindowsDevice())
    assert bare.fields["device_kind"] == "unknown"


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


@pytest.mark.parametrize(
    "text",
    [
        "Level: info\nSource: cache\nDate: today",
        "Description: a model card\nSource: huggingface\nLicense: mit",
        "id,source,message,date\nabc,web,hello,2024-01-01",
        "2025-02-20 19:44:07,123 ERROR trainer failed",
        "Epoch 3/50\n 112/1875 [>....] - ETA: 6:12 - loss: 1.0421",
        "<Event>\nno provider here\n</Event>",
        "SOME_CONSTANT (12)",
        "Id: 7\nMessage: hello",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert records(text, WindowsEvent()) == []
    assert records(text, WindowsDevice()) == []


def test_words_have_one_spelling() -> None:
    assert [level(word) for word in ("2", "Fehler", "错误", "Warnung", "信息", "Critique")] == [
        "error", "error", "error", "warning", "info", "critical",
    ]  # fmt: skip
    assert origin("Microsoft-Windows-WER-SystemErrorReporting") == origin("BugCheck") == "bugcheck"


@pytest.mark.parametrize(
    ("text", "seconds", "kind"),
    [
        ("2025-02-20T18:44:09.004000Z", 1740077049.004, "zoned"),
        ("2025-02-20T19:44:09+01:00", 1740077049, "zoned"),
        ("2/20/2025 7:44:09 PM", 1740080649, "naive"),
        ("20.02.2025 19:44:09", 1740080649, "naive"),
        ("20/02/2025 19:44:09", 1740080649, "naive"),
        ("2025/2/20 下午 7:44:09", 1740080649, "naive"),
        ("2025/2/20 19:44:09", 1740080649, "naive"),
    ],
)
def test_times(text: str, seconds: float, kind: str) -> None:
    found = stamp(text)
    assert found is not None
    assert (found.seconds, found.kind) == (pytest.approx(seconds), kind)


def test_no_time() -> None:
    assert stamp("no time") is None
    assert stamp("2025-13-45T99:99:99Z") is None


@pytest.mark.parametrize(
    ("vendor", "device", "class_guid", "kind"),
    [
        ("10DE&DEV_2204", "NVIDIA GeForce RTX 3090", "{4d36e968-e325-11ce-bfc1-08002be10318}", "gpu"),
        ("1002&DEV_744C", "Unbekannt", "{4D36E968-E325-11CE-BFC1-08002BE10318}", "gpu"),
        ("10DE&DEV_1AEF", "High Definition Audio-Controller", "{4d36e97d-e325-11ce-bfc1-08002be10318}", "other"),
        ("10DE&DEV_2520", "Unbekannt", "{62f9c741-b25a-46ce-b54c-9bccce08b6f2}", "helper"),
        ("8086&DEV_A0C8", "Intel SST", "{4d36e97d-e325-11ce-bfc1-08002be10318}", "other"),
    ],
)
def test_the_device_class_decides(vendor: str, device: str, class_guid: str, kind: str) -> None:
    text = f"Instanz-ID: PCI\\VEN_{vendor}\\4&1\nName: {device}\nKlassen-GUID: {class_guid}\nCode: 10 (0x0A) [CM_PROB_FAILED_START]"
    (record,) = records(text, WindowsDevice())
    assert record.fields["device_kind"] == kind


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


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        ("NVIDIA P106-100: Windows has stopped this device because it has reported problems.", 43, "gpu"),
        ("Intel(R) UHD Graphics 630: This device is disabled. (Code 22)", 22, "other"),
        ("NVIDIA High Definition Audio: This device cannot start. (Code 10)", 10, "other"),
        ("CMP 50HX (Code 43)", 43, "gpu"),
    ],
)
def test_the_code_of_a_sentence_and_whose_it_is(text: str, code: int, kind: str) -> None:
    (record,) = records(text, WindowsDevice())
    assert (record.fields["device_code"], record.fields["device_kind"]) == (code, kind)
