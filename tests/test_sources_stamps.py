"""Times of collectors before the lines of other programs."""

from __future__ import annotations

import pytest

from triage.sources.stamps import is_stamped, unstamp, untask


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2024-01-01T00:00:00.0000000Z ##[error]Process completed", "##[error]Process completed"),
        ("2025-03-11T10:02:11.123456789Z   File \"x\"", "  File \"x\""),
        ("2025-03-11 10:02:11 [rank3]: Traceback", "[rank3]: Traceback"),
        ("2025-03-11T10:02:11Z NVRM: Xid (PCI:0000:3b:00): 79", "NVRM: Xid (PCI:0000:3b:00): 79"),
        ("2025-03-11T10:02:11.123456789Z gpu-n2 kernel: NVRM", "gpu-n2 kernel: NVRM"),
        ("2025-03-11T10:02:11.1Z stderr F text", "text"),
    ],
)
def test_collectors_stamp_goes(text: str, rest: str) -> None:
    fields: dict[str, str] = {}
    assert unstamp(text, fields, False) == rest
    assert fields["time"] == text[: len(fields["time"])]


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-19 16:47:09,552\tINFO worker.py:1724 -- Connecting",
        "2031-05-02T14:01:58.123456+02:00 gpu-n2 kernel: NVRM: Xid",
        "2031-05-02T14:01:58+0200 gpu-n2 systemd[1]: Started",
        "2031-05-02T14:01:58,331123+02:00 NVRM: Xid",
        "2031-05-02 14:01:58, Info  CBS  text",
        "2026-01-06 08:02:51.337120: E external/x.cc:477] text",
    ],
)
def test_own_header_stays(text: str) -> None:
    assert unstamp(text, {}, False) is None


def test_all_lines_stamped() -> None:
    lines = ["2031-09-02T05:59:58.1Z step 1", "2031-09-02T05:59:59.1Z step 2", "2031-09-02T06:00:00.1Z done"]
    assert is_stamped(lines)
    assert unstamp(lines[0], {}, True) == "step 1"
    assert not is_stamped(["2026-01-19 16:47:09,552 INFO a", "2026-01-19 16:47:09,552 INFO b"])
    assert not is_stamped(["2031-05-02T14:01:58+02:00 gpu-n2 kernel: a", "2031-05-02T14:01:58+02:00 gpu-n2 kernel: b"])


def test_brackets() -> None:
    fields: dict[str, str] = {}
    assert untask("[task 2026-07-08T11:05:00.000+00:00] [train] x", fields) == "[train] x"
    assert fields == {"time": "2026-07-08T11:05:00.000+00:00"}
    assert untask("[2026-11-03 02:20:13,441] [INFO] x", {}) is None
