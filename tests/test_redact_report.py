"""A report for others says the same without secrets and names, in every form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from reports import hostile, unknown

from triage import analyze_text
from triage.redact import Redactor
from triage.redact.report import redact_report
from triage.render import json as as_json

ROOT = Path(__file__).resolve().parent.parent
TEXT = (
    "Mar 14 09:57:00 node07 job[7]: HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH /home/alice/train.py\n"
    "Mar 14 09:57:01 node07 kernel: NVRM: GPU at PCI:0000:3b:00: GPU-8e6f9a52-1234-5678-9abc-def012345678\n"
    "Mar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.\n"
)
GONE = ("node07", "alice", "8e6f9a52-1234", "hf_aBcD")


def test_names_are_gone_and_the_diagnosis_stays() -> None:
    before = analyze_text(TEXT, "node07-dmesg.txt")
    after = redact_report(before, Redactor(b"k"))
    text = as_json.render(after)
    for name in GONE:
        assert name not in text
    assert [(f.id, f.role, f.count) for f in after.findings] == [(f.id, f.role, f.count) for f in before.findings]
    assert after.findings[0].entities["pci"] == "0000:3b:00"
    host = after.findings[0].entities["host"]
    assert str(host).startswith("host-")
    assert f"host {host}" in after.summary or str(host) in text
    assert before.findings[0].entities["host"] == "node07"


def test_spans_mark_the_same_words() -> None:
    before = analyze_text(TEXT)
    after = redact_report(before, Redactor(b"k"))
    for old, new in zip(before.findings[0].evidence, after.findings[0].evidence, strict=True):
        marked = old.text[slice(*old.span)]
        assert new.text[slice(*new.span)] == marked or "GPU-" in marked


@pytest.mark.parametrize("report", [hostile(), unknown()], ids=["hostile", "unknown"])
def test_any_report_can_be_redacted(report) -> None:  # type: ignore[no-untyped-def]
    after = redact_report(report, Redactor(b"k"))
    assert len(after.findings) == len(report.findings)
    for line in after.findings[0].evidence:
        assert 0 <= line.span[0] <= line.span[1] <= len(line.text)


@pytest.mark.parametrize("form", ["terminal", "json", "md", "html", "csv", "sarif"])
def test_every_form_of_the_command_line(form: str, tmp_path: Path) -> None:
    path = tmp_path / "node07.log"
    path.write_text(TEXT)
    command = [sys.executable, "-m", "triage", "analyze", "--redact", "--all", "--format", form, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60)
    assert done.returncode == 1
    for name in GONE:
        assert name not in done.stdout + done.stderr
    assert "xid-79" in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["findings"][0]["entities"]["host"].startswith("host-")
