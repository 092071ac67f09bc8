"""Rules that raise or lower a finding."""

from __future__ import annotations

from pathlib import Path

from small import library, signature

from triage.pipeline import analyze_text

PORT = signature(
    "port", r"(?P<hca>mlx5_\d+) is down", severity="error",
    promote="[{when: 'not mentioned(\"hca\")', role: context, note: 'nobody uses it'}]",
)  # fmt: skip
USER = signature("user", "network: ", role="context", severity="info")


def verdict(tmp_path: Path, *lines: str) -> tuple[str, list[str]]:
    found = analyze_text("\n".join(lines), library=library(tmp_path, {"port.yaml": PORT, "user.yaml": USER}))
    return found.verdict, [*(f.id for f in found.findings), *found.notes]


def test_a_device_that_nobody_names_is_no_fault_and_the_report_says_why(tmp_path: Path) -> None:
    assert verdict(tmp_path, "mlx5_1 is down", "network: mlx5_10:1") == ("healthy", ["line 1: port is no fault (nobody uses it)"])


def test_a_device_that_a_fact_names_is_one(tmp_path: Path) -> None:
    assert verdict(tmp_path, "mlx5_1 is down", "network: mlx5_0:1 mlx5_1:1") == ("fault", ["port"])


def test_a_fact_of_another_host_does_not_count(tmp_path: Path) -> None:
    lines = "node08: network: mlx5_1:1", "node07: mlx5_1 is down", "node08: ready", "node07: ready"
    assert verdict(tmp_path, *lines)[0] == "healthy"
    assert verdict(tmp_path, *(line.replace("node08", "node07") for line in lines))[0] == "fault"
