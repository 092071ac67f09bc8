"""Whole bundles, as people send them: the right cause on the right device, and nothing about a healthy one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bundles
import pytest
from bundles import Bundle, packed, put

from triage.pipeline import analyze

FAULTS: list[tuple[Callable[[bool], Bundle], str, dict[str, object]]] = [
    (bundles.sosreport, "xid-119", {"host": "gpu-07", "pci": "0000:3b:00", "gpu_uuid": bundles.GPU}),
    (bundles.gpu_operator, "pcie-aer-uncorrectable-fatal", {"pci": "0000:3b:00", "host": "gpu-07"}),
    (bundles.pods, "k8s-oomkilled", {"host": "gpu-07", "pod": "llama-worker-2", "exit_code": 137}),
    (bundles.slurm, "python-exception", {"rank": 5, "host": "g0141"}),
    (bundles.ray_session, "ray-oom", {"rank": 0, "host": "10.0.0.7", "pid": 5001}),
    (bundles.error_reports, "win-livekernel-141", {}),
]
# What a member is passed over for, and none of the lines that only talk about errors.
PASSED = {
    "sosreport": ("localtime is binary", "rpmdb.sqlite is an SQLite database", "nvidia-smi_-q is empty"),
    "gpu_operator": ("previous.log is empty",),
    "ray_session": ("raylet.err is empty",),
    "error_reports": ("is a Windows crash dump; give the text of WinDbg",),
}


@pytest.mark.parametrize(("make", "root", "entities"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_cause_of_a_bundle_on_its_device(tmp_path: Path, make: Callable[[bool], Bundle], root: str, entities: dict[str, object]) -> None:
    found = analyze([put(tmp_path, make(True))])
    top = found.findings[0]
    assert (top.id, top.role) == (root, "cause")
    assert {name: top.entities.get(name) for name in entities} == entities
    assert [one.sample for one in found.unexplained if "modinfo" in one.first.source or "stderr" in one.first.source] == []
    notes = [source.note for source in found.sources if not source.readable]
    for words in PASSED.get(make.__name__, ()):
        assert any(words in note for note in notes), words


@pytest.mark.parametrize("make", [make for make, _, _ in FAULTS], ids=lambda make: make.__name__)
def test_a_healthy_bundle_raises_no_alarm(tmp_path: Path, make: Callable[[bool], Bundle]) -> None:
    found = analyze([put(tmp_path, make(False))])
    assert (found.verdict, found.findings, found.missing) in [(calm, [], []) for calm in ("healthy", "nothing-understood")]


def test_an_archive_of_archives_tells_the_machines_apart(tmp_path: Path) -> None:
    inner: Bundle = {
        f"sos-collector-case1-2031-05-02-qwert/sosreport-{host}-2031-05-02-abcdefg.tar.xz": packed(bundles.sosreport(fault, host))
        for host, fault in (("gpu-07", True), ("gpu-08", False))
    }
    (tmp_path / "sos-collector-case1-2031-05-02-qwert.tar.xz").write_bytes(packed(inner))
    top = analyze([tmp_path]).findings[0]
    assert (top.id, top.entities["host"]) == ("xid-119", "gpu-07")


def test_an_empty_answer_and_a_tool_that_was_given_up_are_of_the_hung_gpu(tmp_path: Path) -> None:
    found = analyze([put(tmp_path, bundles.sosreport(True))])
    assert "smi-hang" in found.findings[0].explains
    assert "the output of nvidia-smi" in found.missing[0].what


def test_what_is_told_of_a_restarted_pod_is_one_story(tmp_path: Path) -> None:
    found = analyze([put(tmp_path, bundles.pods(True))])
    assert {"process-killed", "nccl-conn-closed"} <= set(found.findings[0].explains)
