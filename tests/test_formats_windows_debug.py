"""Crash texts."""

from __future__ import annotations

import pytest
from taken import records

from triage.formats.windows import WindowsEvent


@pytest.mark.parametrize(
    ("text", "bugcheck", "module"),
    [
        ("Stop code: VIDEO_TDR_FAILURE\nWhat failed: nvlddmkm.sys", "0x116", "nvlddmkm.sys"),
        ("终止代码: DPC_WATCHDOG_VIOLATION\n失败的操作: nvlddmkm.sys", "0x133", "nvlddmkm.sys"),
        (
            "Bug Check String  : X\nBug Check Code    : 0x00000119\nCaused By Driver  : dxgmms2.sys",
            "0x119",
            "dxgmms2.sys",
        ),
        (
            "BugCheck 119, {a, d69, d6a, 10}\n\nProbably caused by : dxgmms2.sys ( dxgmms2!X+6ad )",
            "0x119",
            "dxgmms2.sys",
        ),
    ],
)
def test_words_of_a_blue_screen(text: str, bugcheck: str, module: str) -> None:
    (record,) = records(text, WindowsEvent())
    assert (record.fields["bugcheck"], record.fields["module"]) == (bugcheck, module)
