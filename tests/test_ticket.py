"""A vendor's ticket out of a report and what nvidia-smi says; here of real captures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from triage import analyze
from triage.render import json as rendering
from triage.render.ticket import render
from triage.ticket import inventory, load, ticket

ROOT = Path(__file__).resolve().parent.parent
XID = "NVRM: Xid (PCI:0000:00:07): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) on the framebuffer."
SMI = ROOT / "fixtures" / "recheck" / "nvidia-smi-q.txt"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.log"
    path.write_text(f"2026-11-29T01:00:00+00:00 node07 kernel: {XID}\n2026-11-30T01:00:00+00:00 node07 kernel: {XID.replace('48', '79').replace('DBE (double bit error) on the framebuffer.', 'GPU has fallen off the bus.')}\n")
    return path


def test_serial_and_versions_come_from_nvidia_smi() -> None:
    gpus, versions = inventory([str(SMI)])
    assert sorted(gpus) == ["0000:00:06", "0000:00:07"]
    assert gpus["0000:00:07"]["Serial Number"] == "1650000000042"
    assert versions["Driver Version"] == "580.159.04"


def test_a_whole_ticket(kernel: Path) -> None:
    paths = [str(kernel), str(SMI)]
    made = ticket(rendering.as_dict(analyze(paths)), *inventory(paths))
    assert made.pci == "0000:00:07"
    assert made.part["Serial number"] == "1650000000042"
    assert made.part["VBIOS"] == "96.00.A5.00.1A"
    assert made.counters["PCI / Replays Since Reset"] == "2"
    assert [one["id"] for one in made.history] == ["xid-48"]
    text = render(made)
    for words in ("PCI address: 0000:00:07", "xid-79", "UUID: GPU-ae173600", "Seen before on this GPU:", "GPU has fallen off the bus", "triage recheck xid-79"):
        assert words in text


def test_without_nvidia_smi_it_says_what_to_add(kernel: Path) -> None:
    text = render(ticket(rendering.as_dict(analyze([kernel])), *inventory([str(kernel)])))
    assert "serial number, VBIOS and counters: nvidia-smi -q -i 0000:00:07" in text


def test_a_report_and_other_inputs_are_told_apart(kernel: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(rendering.render(analyze([kernel])))
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"schema_version": 3}))
    found, rest = load([str(SMI), str(report), str(other), "/no/such"])
    assert found is not None
    assert found["findings"][0]["id"] == "xid-79"
    assert rest == [str(SMI), str(other), "/no/such"]
    assert "Serial number: 1650000000042" in render(ticket(found, *inventory([str(SMI)])))


def test_one_gpu_can_be_chosen(kernel: Path) -> None:
    report, facts = rendering.as_dict(analyze([kernel])), inventory([str(SMI)])
    for name in ("0000:00:07", "00000000:00:07.0", "GPU-ae173600-b8dd-fe97-8c74-3ab8f4ffbf9f"):
        assert ticket(report, *facts, name).pci == "0000:00:07"
    with pytest.raises(LookupError, match=r"no fault of GPU 0000:99:00; GPUs with faults: .*0000:00:07"):
        ticket(report, *facts, "0000:99:00")


def test_a_healthy_machine_needs_no_ticket() -> None:
    made = ticket(rendering.as_dict(analyze([ROOT / "fixtures" / "healthy" / "healthy-node-bundle"])), {}, {})
    assert made.cause is None
    assert "say what was observed" in render(made)
