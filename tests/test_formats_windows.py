"""Windows devices in the forms in which people export, print and paste them; words and times of Windows."""

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
