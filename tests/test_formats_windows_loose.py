"""Events of which only the description was pasted."""

from __future__ import annotations

import pytest
from taken import records

from triage.formats.windows import WindowsEvent


@pytest.mark.parametrize(
    ("text", "origin", "expected"),
    [
        (
            "The description for Event ID 153 from source nvlddmkm cannot be found.\n\n\\Device\\Video3\n"
            "Error occurred on GPUID: 100\n\nThe message resource is present",
            "nvlddmkm",
            {"event_id": 153, "pci": "0000:01:00"},
        ),
        (
            '> Die Beschreibung für die Ereignis-ID "14" in der Quelle "nvlddmkm" kann nicht gefunden werden.',
            "nvlddmkm",
            {"event_id": 14},
        ),
        (
            "The driver \\Driver\\WUDFRd failed to load.\nDevice: ROOT\\DISPLAY\\0000\nStatus: 0xC0000365",
            "kernel-pnp",
            {"event_id": 219, "unit": "WUDFRd", "ntstatus": "0xC0000365", "device_kind": "other"},
        ),
        (
            "Возникла проблема с запуском устройства ROOT\\UNNAMED_DEVICE\\0001.\n\nИмя драйвера: oem21.inf\n"
            "GUID класса: {62f9c741-b25a-46ce-b54c-9bccce08b6f2}\nСлужба: nvpcf\nПроблема: 0x0\n"
            "Состояние проблемы: 0xC00000E5",
            "kernel-pnp",
            {"event_id": 411, "unit": "nvpcf", "ntstatus": "0xC00000E5", "device_kind": "helper"},
        ),
        (
            "The bugcheck was: 0x0000003b (0x00000000c0000005, 0xfffff8077bf5a2f9, 0xffffc2091a75c1c0, 0x0).",
            "bugcheck",
            {"bugcheck": "0x3b", "p1": "0xc0000005"},
        ),
        (
            "*** Fatal System Error: 0x00000119\n   (0x0000000000000012,0xFFFFC20133065410,0x0,0xFFFFFFFFFFFFFFFF)",
            "bugcheck",
            {"bugcheck": "0x119", "p1": "0x12"},
        ),
        (
            "错误应用程序名称: python.exe，版本: 3.10.6150.1013\n错误模块名称: torch_cpu.dll，版本: 0.0.0.0\n异常代码: 0xc0000005",
            "application error",
            {"event_id": 1000, "process": "python.exe", "module": "torch_cpu.dll", "ntstatus": "0xc0000005"},
        ),
    ],
)
def test_descriptions_without_their_headings(text: str, origin: str, expected: dict[str, object]) -> None:
    record = records(text, WindowsEvent())[0]
    assert record.fields["origin"] == origin
    assert expected.items() <= record.fields.items()


@pytest.mark.parametrize(
    "text",
    [
        "nvlddmkm 560.94 loaded, monitor ID 3",
        "Instance ID: ROOT\\DISPLAY\\0000",
        "python.exe: 3 workers, exit code 0xc0000005",
        "mov eax, 0x1000 (0x10)",
    ],
)
def test_no_event_where_no_description_stands(text: str) -> None:
    assert not records(text, WindowsEvent())
