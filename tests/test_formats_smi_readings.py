"""Numbers of one GPU out of any dump."""

from __future__ import annotations

from triage.formats.smi_readings import peers, readings


def test_readings() -> None:
    top = "GPU 00000000:3B:00.0"
    assert readings([
        f"{top} / GPU Power Readings / Current Power Limit : 150.00 W", f"{top} / Fan Speed : Unknown Error",
        f"{top} / GPU Power Readings / Requested Power Limit : 300.00 W", f"{top} / Driver Model / Current : N/A",
        f"{top} / Module Power Readings / Current Power Limit : 90.00 W", f"{top} / Max Clocks / SM : 1530 MHz",
        f"{top} / PCI / GPU Link Info / Link Width / Current : 8x", f"{top} / Processes : None",
    ]) == {"power_limit": 150.0, "errors": 1, "clock_sm_max": 1530.0, "link_width": 8.0, "processes": 0}  # fmt: skip


def test_the_lower_of_two_power_limits_counts() -> None:
    assert readings(
        ["Power Readings / Power Limit : 300.00 W", "Power Readings / Enforced Power Limit : 150.00 W"]
    ) == {"power_limit": 150.0}


def test_peers() -> None:
    def cards(*widths: int) -> list[dict[str, object]]:
        return [{"gpu_model": "A", "link_width": width} for width in widths]

    own = {"gpu_model": "A"}
    assert peers(own, cards(16, 8, 16)) == {"link_width_peers": 16}  # type: ignore[arg-type]
    assert peers(own, cards(16, 8)) == {"link_width_peers": 16}  # type: ignore[arg-type]
    assert peers(own, cards(16, 8, 16, 8)) == {}  # type: ignore[arg-type]
    assert peers(own, cards(8)) == {}  # type: ignore[arg-type]
