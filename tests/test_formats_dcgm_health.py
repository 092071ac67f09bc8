"""The report of `dcgmi health --check`."""

from __future__ import annotations

import json

from triage.formats import read
from triage.model import Line, Record

TREE = """
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Failure                                                  |
| GPU                       |                                                          |
| -> 0                      | Warning                                                  |
|    -> Errors              |                                                          |
|       -> PCIe system      | Warning                                                  |
|                           | Detected 11 PCIe replays per minute for GPU 0            |
| -> 3                      | Failure                                                  |
|    -> Errors              |                                                          |
|       -> Memory system    | Failure                                                  |
|                           | GPU 3 had uncorrectable memory errors and row remapping  |
|                           | failed.                                                  |
|       -> Driver           | Warning                                                  |
|                           | XID 63                                                   |
+---------------------------+----------------------------------------------------------+
ready"""
BODY = {
    "GPU": {"children": {"3": {"children": {"Errors": {"children": {
        "Memory system": {"overflow": ["GPU 3 had uncorrectable memory errors"], "value": "Failure"},
    }}}, "value": "Failure"}}},
    "Overall Health": {"value": "Failure"},
}  # fmt: skip
EXPECTED = ["GPU 0 / PCIe system : Warning", "GPU 3 / Memory system : Failure", "GPU 3 / Driver : Warning"]


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


def test_each_incident_names_its_gpu_and_its_system() -> None:
    *_, report, rest = records(TREE)
    assert report.format == "dcgm-health"
    assert [line for line in report.text.split("\n") if " / " in line] == EXPECTED
    assert "  failed." in report.text.split("\n")
    assert rest.text == "ready"
    place = report.line_at(report.text.index("GPU 3 / Memory"))
    assert report.lines[place].text.startswith("|       -> Memory system")


def test_json_reads_alike_and_each_incident_stands_at_its_system() -> None:
    (report,) = records(json.dumps({"body": BODY, "header": ["Health Monitor Report"]}, indent=3))
    assert "GPU 3 / Memory system : Failure\n  GPU 3 had uncorrectable memory errors" in report.text
    place = report.line_at(report.text.index("GPU 3 / Memory"))
    assert report.lines[place].text.strip() == '"Memory system": {'


def test_other_json_is_left_alone() -> None:
    assert [one.format for one in records('{\n "body": {},\n "header": ["Other"]\n}')] == ["text"] * 4
