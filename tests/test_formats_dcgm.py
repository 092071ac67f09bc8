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


@pytest.mark.parametrize(("text", "expected"), [
    (TABLE, ["PCIe : Fail - GPU: 3", "PCIe / Error : GPU 3 is slow"]),
    (JSON, ["Memory : Fail - GPU: 1", "Memory / Error : GPU 1 failed"]),
])  # fmt: skip
def test_results(text: str, expected: list[str]) -> None:
    found = [one for one in records(text) if one.format == "dcgm"]
    assert len(found) == 1
    assert [line for line in found[0].text.split("\n") if "Fail" in line or "Error" in line] == expected
    assert records(text)[-1].format == "text"
