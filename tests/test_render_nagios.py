"""One line for monitoring."""

from __future__ import annotations

import reports

from triage.model import Report, Source, no_blocks
from triage.render import nagios


def test_states_and_codes() -> None:
    assert nagios.status(reports.fault()) == 2
    assert nagios.status(reports.healthy()) == 0
    assert nagios.status(reports.unknown()) == 1
    assert nagios.status(Report("nothing-understood", "x")) == 3
    assert nagios.status(Report("fault", "x", sources=[Source("a", no_blocks, readable=False)])) == 3


def test_it_is_one_line_without_performance_data() -> None:
    assert nagios.render(reports.fault()) == (
        "TRIAGE CRITICAL - GPU 2 (0000:3b:00) of node07 fell off the bus; rank 3 failed and seven ranks waited for it. "
        "[xid-79: reboot-node]\n"
    )
    assert nagios.line(0, "a|b\nc\x1b[31m") .count("\n") == 1
    assert "|" not in nagios.line(0, "a|b")
