"""The report of `dcgmi diag`."""

from __future__ import annotations

import pytest

from triage.formats import read
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


TABLE = """
Successfully ran diagnostic for group.
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Deployment  --------+------------------------------------------------|
| Page Retirement/Row Remap | Pass                                           |
| PCIe                      | Fail - GPU: 3                                  |
| Error                     | GPU 3 is slow                                  |
+---------------------------+------------------------------------------------+
$
"""
JSON = """{
  "DCGM GPU Diagnostic" : {
    "test_categories" : [
      { "category" : "Hardware", "tests" : [
          { "name" : "Memory", "results" : [
              { "gpu_ids" : "1", "status" : "Fail", "warnings" : [ "GPU 1 failed" ] } ] } ] } ] } }
done"""


DEPLOYED = """
| Diagnostic                | Result                                         |
+===========================+================================================+
| Denylist                  | Pass                                           |
| Persistence Mode          | Fail                                           |
| Warning                   | Persistence mode is off                        |
| Page Retirement/Row Remap | Fail                                           |
+---------------------------+------------------------------------------------+
"""
SPREAD = """{
  "DCGM Diagnostic" : {
    "test_categories" : [
      { "category" : "Hardware", "tests" : [
          { "name" : "memory", "results" : [
              { "entity_id" : 0,
                "status" : "Pass" },
              { "entity_id" : 3,
                "status" : "Fail",
                "warnings" : [ { "warning" : "1 error" } ] } ] } ] } ] } }
"""


def test_what_looks_at_the_installation_is_told_from_the_hardware() -> None:
    (found,) = [one for one in records(DEPLOYED) if one.format == "dcgm"]
    assert [line for line in found.text.split("\n") if "Fail" in line] == ["Deployment / Persistence Mode : Fail", "Page Retirement/Row Remap : Fail"]


def test_a_result_in_json_stands_on_its_line() -> None:
    (found,) = [one for one in records(SPREAD) if one.format == "dcgm"]
    assert found.lines[found.line_at(found.text.index("memory : Fail"))].text.strip() == '"status" : "Fail",'
    assert found.lines[found.line_at(found.text.index("1 error"))].text.strip() == '"status" : "Fail",'


@pytest.mark.parametrize(("text", "expected"), [
    (TABLE, ["PCIe : Fail - GPU: 3", "PCIe / Error : GPU 3 is slow"]),
    (JSON, ["Memory : Fail - GPU: 1", "Memory / Error : GPU 1 failed"]),
])  # fmt: skip
def test_results(text: str, expected: list[str]) -> None:
    found = [one for one in records(text) if one.format == "dcgm"]
    assert len(found) == 1
    assert [line for line in found[0].text.split("\n") if "Fail" in line or "Error" in line] == expected
    assert records(text)[-1].format == "text"
