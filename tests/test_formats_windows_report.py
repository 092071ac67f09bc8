"""Report.wer, as it lies in the folders of Windows Error Reporting."""

from __future__ import annotations

import pytest

from triage.formats import read
from triage.model import Line, Record
from triage.pipeline import analyze_text

HEAD = "Version=1\nEventType={kind}\nEventTime=133594128170000000\nReportType=4\nNsAppName={kind}"
TAIL = "DynamicSig[1].Name=OS Version\nDynamicSig[1].Value=10.0.22631\nLoadedModule[0]=C:\\WINDOWS\\nvapi64.dll\nFriendlyEventName=Hardware error"


def wer(kind: str, *values: str) -> str:
    signature = [part for i, value in enumerate(values) for part in (f"Sig[{i}].Name=x{i}", f"Sig[{i}].Value={value}")]
    return "\n".join([HEAD.format(kind=kind), *signature, TAIL])


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.split("\n"), 1)], "test")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (wer("LiveKernelEvent", "141", "ffffbb0f8a0c5460"), {"wer_event": "LiveKernelEvent", "live_code": "0x141"}),
        (wer("BlueScreen", "116"), {"wer_event": "BlueScreen", "bugcheck": "0x116"}),
        (
            wer("APPCRASH", "python.exe", "3.11", "660bd8d3", "torch_cpu.dll", "0.0", "65ab1234", "c0000005", "00abc123"),
            {"event_id": 1000, "process": "python.exe", "module": "torch_cpu.dll", "ntstatus": "0xc0000005"},
        ),
        (
            wer("BEX64", "python.exe", "3.11", "660bd8d3", "ucrtbase.dll", "0.0", "65ab1234", "0007286e", "c0000409"),
            {"event_id": 1000, "process": "python.exe", "module": "ucrtbase.dll", "ntstatus": "0xc0000409"},
        ),
        (wer("AppHangB1", "python.exe"), {"event_id": 1002, "process": "python.exe"}),
        (wer("WindowsUpdateFailure3", "x"), {"wer_event": "WindowsUpdateFailure3"}),
    ],
)
def test_a_report_reads_like_the_event_that_windows_logs(text: str, fields: dict[str, object]) -> None:
    version, report = records(text)
    assert (version.text, report.format) == ("Version=1", "windows-event")
    assert {name: report.fields[name] for name in fields} == fields
    assert report.time is not None
    assert (report.time.text, report.time.kind) == ("2024-05-05T20:00:17Z", "zoned")


def test_without_a_time_or_a_signature_it_is_no_report() -> None:
    assert [one.format for one in records("EventType=APPCRASH\nSig[0].Value=python.exe")] == ["text", "text"]
    assert {one.format for one in records(HEAD.format(kind="APPCRASH"))} == {"text"}


def test_modules_that_were_only_loaded_do_not_make_it_a_crash_of_the_gpu() -> None:
    text = wer("APPCRASH", "explorer.exe", "10.0", "1", "shell32.dll", "10.0", "1", "c0000005", "1")
    assert analyze_text(text).verdict == "healthy"
    assert [f.id for f in analyze_text(text.replace("explorer", "python")).findings] == ["win-app-crash-1000"]
